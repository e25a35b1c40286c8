import type { InsertEdit, Trace } from "../format.ts";
import { skipBlanks } from "../lines.ts";
import { Splices } from "../splice.ts";
import type { YamlCollection } from "./collection.ts";
import type { YamlNode } from "./node.ts";
import { styleOf, type YamlStyle } from "./style.ts";

/** All that happens to the entries of one container, gathered because neighbours share separators. */
export interface Changes {
  readonly node: YamlNode;
  readonly removed: Set<number>;
  /** Of entries that go: how many blank lines came with them. */
  readonly blanks: Map<number, number>;
  /** By the position of a sibling. */
  readonly before: Map<number, InsertEdit[]>;
  readonly after: Map<number, InsertEdit[]>;
  readonly atEnd: InsertEdit[];
  /** Given by `clear`: what an emptied container had inside. */
  inner: string | undefined;
  /** What taking an insertion out again needs to know. */
  readonly remember: (insert: InsertEdit, trace: Trace) => void;
}

export function noChanges(node: YamlNode, remember: Changes["remember"]): Changes {
  const [removed, blanks] = [new Set<number>(), new Map<number, number>()];
  return { node, removed, blanks, before: new Map(), after: new Map(), atEnd: [], inner: undefined, remember };
}

/** New neighbours of a container's entry, in the order of the text. */
export interface Group {
  readonly at: number;
  readonly side: "before" | "after";
  readonly inserts: readonly InsertEdit[];
}

export function groupsOf(changes: Changes, count: number): Group[] {
  const groups: Group[] = [];
  const add = (at: number, side: Group["side"], inserts: readonly InsertEdit[] | undefined) => {
    if (inserts !== undefined && inserts.length > 0) groups.push({ at, side, inserts });
  };
  for (let i = 0; i < count; i++) {
    add(i, "before", changes.before.get(i));
    add(i, "after", changes.after.get(i));
  }
  add(count - 1, "after", changes.atEnd);
  return groups;
}

/** The edit of one map or list: what happens to it, and where that is written. */
export abstract class CollectionEdit {
  protected readonly changes: Changes;
  protected readonly collection: YamlCollection;
  protected readonly patch: Patch;
  protected readonly text: string;
  protected readonly style: YamlStyle;

  constructor(changes: Changes, collection: YamlCollection, patch: Patch) {
    const { tree } = changes.node;
    this.changes = changes;
    this.collection = collection;
    this.patch = patch;
    this.text = tree.text;
    this.style = styleOf(tree, collection);
  }

  abstract run(): void;
}

interface Insertion {
  readonly offset: number;
  text: string;
}

interface Removal {
  start: number;
  end: number;
  /** Whether whole lines go. */
  lines: boolean;
}

/** What goes and what comes, gathered from all edits. Removals that touch or overlap are one. */
export class Patch {
  private readonly text: string;
  private readonly removals: Removal[] = [];
  private readonly insertions: Insertion[] = [];

  constructor(text: string) {
    this.text = text;
  }

  remove(start: number, end: number): void {
    if (start < end) this.removals.push({ start, end, lines: false });
  }

  removeLines(start: number, end: number): void {
    if (start < end) this.removals.push({ start, end, lines: true });
  }

  /** Insertions at one offset stay in the order they were given. */
  insert(offset: number, text: string): void {
    this.insertions.push({ offset, text });
  }

  replace(start: number, end: number, text: string): void {
    this.insert(start, text);
    this.remove(start, end);
  }

  apply(): string {
    const removals = united(this.removals);
    this.endWithoutBreak(removals.at(-1));
    const splices = new Splices();
    for (const { start, end } of removals) splices.delete(start, end);
    for (const { offset, text } of this.insertions) splices.insert(offset, text);
    return splices.applyTo(this.text);
  }

  /** A file without a last line break stays so when its last lines go: the break before them goes too. */
  private endWithoutBreak(last: Removal | undefined): void {
    const { text } = this;
    if (last === undefined || !last.lines || last.end !== text.length || text.endsWith("\n")) return;
    const instead = this.insertions.findLast(({ offset }) => offset >= last.start && offset < last.end);
    if (instead !== undefined) instead.text = instead.text.replace(/\r?\n$/, "");
    else {
      const start = breakBefore(text, last.start);
      // A literal text that then ends the file keeps its line break: some programs take that for a part of it.
      if (!endsInOpenScalar(text.slice(0, start))) last.start = start;
    }
  }
}

/** Where the line break before a line begins. That of an empty line stays: it may be part of a literal block. */
function breakBefore(text: string, start: number): number {
  const match = /[^\r\n](\r?\n)$/.exec(text.slice(Math.max(0, start - 3), start));
  return match === null ? start : start - match[1]!.length;
}

function united(removals: readonly Removal[]): Removal[] {
  const united: Removal[] = [];
  for (const { start, end, lines } of removals.toSorted((a, b) => a.start - b.start)) {
    const last = united.at(-1);
    if (last === undefined || start > last.end) {
      united.push({ start, end, lines });
    } else {
      last.lines ||= lines;
      last.end = Math.max(last.end, end);
    }
  }
  return united;
}

/**
 * Whether a text ends in a literal or folded scalar without a last line break. A line behind it would add one, which
 * some readers take for a part of the value.
 */
export function endsInOpenScalar(text: string): boolean {
  if (text === "" || text.endsWith("\n")) return false;
  const lines = text.split("\n");
  const indentOf = (line: string) => skipBlanks(line, 0);
  let indent = indentOf(lines.at(-1)!);
  for (const line of lines.reverse()) {
    // A header may stand on a line of its own, no further out than the text.
    if (/^[ \t]*(?:[&!]\S+[ \t]+)*[|>][1-9]?\+?[1-9]?[ \t]*(?:#.*)?\r?$/.test(line)) return true;
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    // The line that the last one belongs to, from the inside to the outside.
    if (/[ \t][|>][1-9]?\+?[1-9]?[ \t]*(?:#.*)?\r?$/.test(line)) return true;
    indent = indentOf(line);
  }
  return false;
}
