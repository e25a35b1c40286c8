import { isList, isMap, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import { behindBlock } from "../block/markers.ts";
import { Fault } from "../fault.ts";
import type { InsertEdit } from "../format.ts";
import {
  beginsLine,
  columnOf,
  isBlank,
  isEmptyLine,
  lineStart,
  nextLine,
  skipBlanks,
  skipBlanksBack,
} from "../lines.ts";
import { type Changes, CollectionEdit, endsInOpenScalar, type Group, groupsOf, type Patch } from "./changes.ts";
import type { YamlCollection } from "./collection.ts";
import { keepsBlanks } from "./collection.ts";
import { blockLines } from "./render.ts";
import { isNullSpelling } from "./scalar.ts";

/** Adds and removes entries of a map or list that stands line below line. */
export class BlockEdit extends CollectionEdit {
  private readonly indent: number;
  /** Whether the first entry stands behind something else on its line: `- name: …`. */
  private readonly inline: boolean;
  /** The end of the last removed lines, so that a blank line goes only once. */
  private removedUntil = 0;

  constructor(changes: Changes, collection: YamlCollection, patch: Patch) {
    super(changes, collection, patch);
    const { start } = collection.entries[0]!;
    this.indent = columnOf(this.text, start);
    this.inline = !beginsLine(this.text, start);
  }

  override run(): void {
    const { removed } = this.changes;
    const count = this.collection.entries.length;
    const groups = groupsOf(this.changes, count);
    if (removed.size === count && groups.length === 0) this.empty();
    else this.addAndRemove(groups);
  }

  private addAndRemove(groups: readonly Group[]): void {
    const { removed } = this.changes;
    const count = this.collection.entries.length;
    const survivor = this.firstSurvivor();
    const replacesFirst = removed.has(0) && (this.inline || survivor === count);
    const first = replacesFirst
      ? groups.filter(({ at, side }) => at < survivor || (at === survivor && side === "before"))
      : [];
    for (const group of groups.slice(first.length)) this.add(group);
    if (first.length > 0) this.replaceFirst(first.flatMap(({ inserts }) => inserts));
    else if (replacesFirst) this.pullUp(survivor);
    for (const i of [...removed].sort((a, b) => a - b)) if (i > 0 || !replacesFirst) this.removeLines(i);
  }

  private firstSurvivor(): number {
    const { removed } = this.changes;
    let i = 0;
    while (removed.has(i)) i++;
    return i;
  }

  private add({ at, side, inserts }: Group): void {
    if (side === "before" && at === 0 && this.inline) {
      this.addInline(inserts);
      return;
    }
    const isBehind = side === "after" && !(at === this.collection.entries.length - 1 && this.isOpen());
    const offset = isBehind ? this.lineAfter(at) : this.lineBefore(at);
    insertYamlLines(this.patch, this.text, offset, (literals) =>
      inserts.flatMap((insert) => {
        const lines = this.lines([insert], literals);
        const count = this.blanksBeside(insert, at, isBehind);
        if (count === 0) return lines;
        this.changes.remember(insert, { blanks: count });
        const blanks = Array<string>(count).fill("");
        return isBehind ? [...blanks, ...lines] : [...lines, ...blanks];
      }),
    );
  }

  /**
   * Whether the last entry ends in a text that must not get a line below it. Entries of a map can stand above it; items
   * of a list have their order.
   */
  private isOpen(): boolean {
    const { entries, kind } = this.collection;
    const { start, end } = entries.at(-1)!;
    if (!isBlank(this.text, end, this.text.length) || !endsInOpenScalar(this.text)) return false;
    if (kind === "map") return true;
    const message =
      "nothing can be added after the text that ends this file: some programs would take the line break as part of it";
    throw new Fault(`${message}; end the file with a line break yourself, or write |- for |`, start);
  }

  /** How many blank lines set a new entry off: as many as its neighbours have between them. */
  private blanksBeside({ value }: InsertEdit, at: number, isBehind: boolean): number {
    const { entries } = this.collection;
    if (entries.length < 2 || (isBehind && keepsBlanks(entries[at]!.item))) return 0;
    const isSection = (each: Value) => (isMap(each) || isList(each)) && Object.keys(each).length > 0;
    const next = isBehind ? at + 1 : at;
    if (next > 0 && next < entries.length && isSection(value) && this.spansLines(next)) return this.gapBelow(next - 1);
    const gaps = [at - 1, at].filter((i) => i >= 0 && i + 1 < entries.length).map((i) => this.gapBelow(i));
    return Math.min(...gaps);
  }

  private spansLines(i: number): boolean {
    const { start, end } = this.collection.entries[i]!;
    return this.text.slice(start, end).includes("\n");
  }

  /** The blank lines between an entry and what follows it. */
  private gapBelow(i: number): number {
    let count = 0;
    for (let at = this.lineAfter(i); isEmptyLine(this.text, at); at = nextLine(this.text, at)) count++;
    return count;
  }

  private addInline(inserts: readonly InsertEdit[]): void {
    const { start } = this.collection.entries[0]!;
    const lineBreak = lineBreakAt(this.text, start);
    const lines = this.lines(inserts, true).join(lineBreak).slice(this.indent);
    this.patch.insert(start, lines + lineBreak + " ".repeat(this.indent));
  }

  /** Complete lines, one entry below the other. */
  private lines(inserts: readonly InsertEdit[], literals: boolean): string[] {
    return blockLines(inserts, this.indent, { style: this.style, literals });
  }

  private lineAfter(i: number): number {
    return behindBlock(this.text, lineBelow(this.text, this.collection.entries[i]!.end, this.indent));
  }

  /** Above the comments that stand directly above an entry: they are about it, also where they open the file. */
  private lineBefore(i: number): number {
    const { text, indent } = this;
    const own = lineStart(text, this.collection.entries[i]!.start);
    const limit = i === 0 ? this.changes.node.headEnd : this.lineAfter(i - 1);
    let at = own;
    while (at > limit) {
      const above = lineStart(text, at - 1);
      const isComment = skipBlanks(text, above) - above === indent && text[above + indent] === "#";
      // A `#!` has to stay in the first line.
      if (above < limit || !isComment || (above === 0 && text.startsWith("#!"))) break;
      at = above;
    }
    return at;
  }

  private removeLines(i: number): void {
    const { text } = this;
    const { start, end } = this.collection.entries[i]!;
    const rest = skipBlanks(text, end);
    if (text[rest] === "#") this.patch.remove(start, rest);
    else this.removeWithBlanks(i, lineStart(text, start), nextLine(text, end));
  }

  /** With as many of the blank lines around as came with the entry; any of them will do. */
  private removeWithBlanks(i: number, from: number, to: number): void {
    const { text } = this;
    const before = this.collection.entries[i - 1];
    const first = before === undefined ? this.changes.node.headEnd : nextLine(text, before.end);
    const limit = Math.max(first, this.removedUntil);
    let [start, end, count] = [from, to, this.changes.blanks.get(i) ?? 0];
    for (; count > 0 && start > limit && isEmptyLine(text, lineStart(text, start - 1)); count--)
      start = lineStart(text, start - 1);
    for (; count > 0 && isEmptyLine(text, end); count--) end = nextLine(text, end);
    this.patch.removeLines(start, end);
    this.removedUntil = end;
  }

  private replaceFirst(inserts: readonly InsertEdit[]): void {
    const { text } = this;
    const { start, end } = this.collection.entries[0]!;
    const literals = canEndInLiteral(text, end, this.indent);
    this.patch.replace(start, end, this.lines(inserts, literals).join(lineBreakAt(text, start)).slice(this.indent));
  }

  /** The first entry behind a dash goes. The next one takes its place unless a comment stands between. */
  private pullUp(survivor: number): void {
    const { text, patch } = this;
    const { entries } = this.collection;
    const [first] = entries;
    const { start, end } = first!;
    const bare = entries.slice(0, survivor).every((entry, i) => isBlank(text, entry.end, entries[i + 1]!.start));
    const rest = skipBlanks(text, end);
    if (bare) patch.remove(start, entries[survivor]!.start);
    else if (text[rest] === "#") patch.remove(start, rest);
    else patch.remove(skipBlanksBack(text, start), end);
  }

  /** Nothing is left but what stood there before us, if that is known, or the braces of an empty container. */
  private empty(): void {
    const { patch, collection, changes } = this;
    const { node } = changes;
    const [first] = collection.entries;
    const spelled = this.emptySpelling();
    const inPlace = this.inline || (node.parent === undefined && !node.hasProperties);
    collection.entries.forEach((_, i) => {
      if (i > 0 || !inPlace || (spelled === "" && !this.inline)) this.removeLines(i);
    });
    if (inPlace && spelled !== "") patch.replace(first!.start, first!.end, spelled);
    else if (inPlace && this.inline) patch.remove(node.headEnd, first!.end);
    else if (spelled !== "") patch.insert(node.headEnd, ` ${spelled}`);
  }

  private emptySpelling(): string {
    const { node, inner } = this.changes;
    const [open, close] = this.collection.kind === "map" ? "{}" : "[]";
    if (inner === "" || (inner !== undefined && isNullSpelling(inner))) return inner;
    if (inner !== undefined && isBlank(inner, 0, inner.length)) return `${open}${inner}${close}`;
    return node.parent === undefined && this.collection.kind === "map" && !node.hasProperties ? "" : `${open}${close}`;
  }
}

/** The line below an entry and the comments that belong to it, being indented deeper. */
export function lineBelow(text: string, end: number, indent: number): number {
  let below = nextLine(text, end);
  let probe = below;
  while (probe < text.length) {
    const first = skipBlanks(text, probe);
    const deeper = text[first] === "#" && first - probe > indent;
    if (!deeper && text[first] !== "\n" && text[first] !== "\r") break;
    probe = nextLine(text, first);
    if (deeper) below = probe;
  }
  return below;
}

/** New lines at the start of a line, or behind a last line without a break; then the file still ends without one. */
export function insertYamlLines(
  patch: Patch,
  text: string,
  offset: number,
  lines: (literals: boolean) => string[],
): void {
  const lineBreak = lineBreakAt(text, offset > 0 ? offset - 1 : 0);
  const fresh = offset === 0 || text[offset - 1] === "\n" || (offset === 1 && text.charCodeAt(0) === 0xfeff);
  const added = lines(fresh && !blanksFollow(text, offset));
  patch.insert(offset, added.map((line) => (fresh ? line + lineBreak : lineBreak + line)).join(""));
}

/**
 * Whether the value of an entry in this column may end here as a literal block. Blanks or a comment behind it, or
 * deeper comments on the next lines, would become part of it.
 */
export function canEndInLiteral(text: string, offset: number, column: number): boolean {
  if (text[offset] !== "\n" && text[offset] !== "\r") return false;
  const next = nextLine(text, offset);
  return lineBelow(text, offset, column) === next && !blanksFollow(text, next);
}

/** Whether lines of nothing but blanks begin here: behind a literal block they would count as its text. */
function blanksFollow(text: string, start: number): boolean {
  let at = start;
  while (text[at] === "\n" || text[at] === "\r") at++;
  const first = skipBlanks(text, at);
  return first > at && (first === text.length || text[first] === "\n" || text[first] === "\r");
}
