import { behindBlock } from "../block/markers.ts";
import type { InsertEdit } from "../format.ts";
import { type Changes, type Group, groupsOf } from "./changes.ts";
import type { Collection } from "./collection.ts";
import {
  columnOf,
  isBlank,
  lineBreakAt,
  lineStart,
  nextLine,
  skipSpaces,
  spacesBefore,
  startsItsLine,
} from "./lines.ts";
import type { Patch } from "./patch.ts";
import { isNullSpelling } from "./scalar.ts";
import { type Style, styleOf } from "./style.ts";
import { blockItem, blockPair } from "./write.ts";

/** Adds and removes entries of a map or list that stands line below line. */
export function editBlock(changes: Changes, collection: Collection, patch: Patch): void {
  new BlockEdit(changes, collection, patch).run();
}

class BlockEdit {
  private readonly changes: Changes;
  private readonly collection: Collection;
  private readonly patch: Patch;
  private readonly text: string;
  private readonly style: Style;
  private readonly indent: number;
  /** Whether the first entry stands behind something else on its line: `- name: …`. */
  private readonly inline: boolean;

  constructor(changes: Changes, collection: Collection, patch: Patch) {
    const { tree } = changes.node;
    const { start } = collection.entries[0]!;
    this.changes = changes;
    this.collection = collection;
    this.patch = patch;
    this.text = tree.text;
    this.style = styleOf(tree, collection);
    this.indent = columnOf(tree.text, start);
    this.inline = !startsItsLine(tree.text, start);
  }

  run(): void {
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
    for (const i of removed) if (i > 0 || !replacesFirst) this.removeLines(i);
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
    } else {
      const isBehind = side === "after" && !(at === this.collection.entries.length - 1 && this.isOpen());
      const offset = isBehind ? this.lineAfter(at) : this.lineBefore(at);
      insertLines(this.patch, this.text, offset, (literals) => this.lines(inserts, literals));
    }
  }

  /**
   * Whether the last entry ends in a text that must not get another line below it. Items of a list have their order,
   * and stay behind.
   */
  private isOpen(): boolean {
    const { entries, kind } = this.collection;
    return kind === "map" && isBlank(this.text, entries.at(-1)!.end, this.text.length) && endsInOpenScalar(this.text);
  }

  private addInline(inserts: readonly InsertEdit[]): void {
    const { start } = this.collection.entries[0]!;
    const lineBreak = lineBreakAt(this.text, start);
    const lines = this.lines(inserts, true).join(lineBreak).slice(this.indent);
    this.patch.insert(start, lines + lineBreak + " ".repeat(this.indent));
  }

  /** Complete lines, one entry below the other. */
  private lines(inserts: readonly InsertEdit[], literals: boolean): string[] {
    const setting = { style: this.style, literals };
    return inserts.flatMap(({ name, value }) => {
      const [first, ...rest] =
        name === undefined ? blockItem(value, this.indent, setting) : blockPair(name, value, this.indent, setting);
      return [" ".repeat(this.indent) + first, ...rest];
    });
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
      const isComment = skipSpaces(text, above) - above === indent && text[above + indent] === "#";
      // A `#!` has to stay in the first line.
      if (above < limit || !isComment || (above === 0 && text.startsWith("#!"))) break;
      at = above;
    }
    return at;
  }

  private removeLines(i: number): void {
    const { text } = this;
    const { start, end } = this.collection.entries[i]!;
    const rest = skipSpaces(text, end);
    if (text[rest] === "#") this.patch.remove(start, rest);
    else this.patch.removeLines(lineStart(text, start), nextLine(text, end));
  }

  private replaceFirst(inserts: readonly InsertEdit[]): void {
    const { text } = this;
    const { start, end } = this.collection.entries[0]!;
    const literals = canEndInLiteral(text, end, this.indent);
    this.patch.replace(start, end, this.lines(inserts, literals).join(lineBreakAt(text, start)).slice(this.indent));
  }

  /** The first entry behind a dash goes: the next one takes its place, where no comment stands between. */
  private pullUp(survivor: number): void {
    const { text, patch } = this;
    const { entries } = this.collection;
    const [first] = entries;
    const { start, end } = first!;
    const bare = entries.slice(0, survivor).every((entry, i) => isBlank(text, entry.end, entries[i + 1]!.start));
    const rest = skipSpaces(text, end);
    if (bare) patch.remove(start, entries[survivor]!.start);
    else if (text[rest] === "#") patch.remove(start, rest);
    else patch.remove(spacesBefore(text, start), end);
  }

  /**
   * Nothing is left. What that looks like is what was there before us, if anybody knows, or the braces of an empty
   * container.
   */
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

/** The line below an entry and below the comments that, indented deeper than it, still belong to it. */
export function lineBelow(text: string, end: number, indent: number): number {
  let below = nextLine(text, end);
  let probe = below;
  while (probe < text.length) {
    const first = skipSpaces(text, probe);
    const deeper = text[first] === "#" && first - probe > indent;
    if (!deeper && text[first] !== "\n" && text[first] !== "\r") break;
    probe = nextLine(text, first);
    if (deeper) below = probe;
  }
  return below;
}

/**
 * New lines at the start of a line, or behind the last line of a file that ends without a line break, which it then
 * still does.
 */
export function insertLines(patch: Patch, text: string, offset: number, lines: (literals: boolean) => string[]): void {
  const lineBreak = lineBreakAt(text, offset > 0 ? offset - 1 : 0);
  const fresh = offset === 0 || text[offset - 1] === "\n" || (offset === 1 && text.charCodeAt(0) === 0xfeff);
  const added = lines(fresh && !blanksFollow(text, offset));
  patch.insert(offset, added.map((line) => (fresh ? line + lineBreak : lineBreak + line)).join(""));
}

/**
 * Whether the value of an entry in this column may end, at this offset, as a literal block: blanks or a comment behind
 * it, or comments that stand deeper on the next lines, would become part of it.
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
  const first = skipSpaces(text, at);
  return first > at && (first === text.length || text[first] === "\n" || text[first] === "\r");
}

/**
 * Whether a text ends within a literal or folded scalar that has no last line break. A line behind it would give it
 * one, and some readers take that for a part of its value.
 */
function endsInOpenScalar(text: string): boolean {
  if (text === "" || text.endsWith("\n")) return false;
  const lines = text.split("\n");
  const indentOf = (line: string) => skipSpaces(line, 0);
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
