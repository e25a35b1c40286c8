import { pushAll } from "../../core/lists.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { InsertEdit } from "../format.ts";
import { beginsLine, isBlank, lineEnd, lineStart, nextLine, skipBlanks, skipBlanksBack } from "../lines.ts";
import { CollectionEdit, groupsOf } from "./changes.ts";
import { flowPair, flowValue } from "./render.ts";
import { isNullSpelling } from "./scalar.ts";

/** Adds and removes entries of a map or list in brackets. */
export class FlowEdit extends CollectionEdit {
  /** Entries whose comma must stay, because something follows that was added behind it. */
  private readonly neededCommas = new Set<number>();

  override run(): void {
    const { removed, inner } = this.changes;
    const { entries } = this.collection;
    const groups = groupsOf(this.changes, entries.length);
    const parts = this.parts(groups.flatMap(({ inserts }) => inserts));
    if (entries.length === 0 && inner === undefined) this.fill(parts);
    else if (removed.size < entries.length) this.addAndRemove();
    else if (parts.length === 0) this.empty();
    else this.replaceAll(parts);
  }

  private addAndRemove(): void {
    for (const [survivor, { before, after }] of this.bySurvivor()) {
      if (before.length > 0) this.addBefore(survivor, this.parts(before));
      if (after.length > 0) this.addAfter(survivor, this.parts(after));
    }
    for (const [first, last] of runs(this.changes.removed)) this.removeRun(first, last);
  }

  private parts(inserts: readonly InsertEdit[]): string[] {
    return inserts.map(({ name, value }) =>
      name === undefined ? flowValue(value, this.style, true) : flowPair(name, value, this.style),
    );
  }

  /** New entries by the last entry before them that stays, else by the first one that does. */
  private bySurvivor(): Map<number, { before: InsertEdit[]; after: InsertEdit[] }> {
    const { removed } = this.changes;
    const all = new Map<number, { before: InsertEdit[]; after: InsertEdit[] }>();
    let first = 0;
    while (removed.has(first)) first++;
    let last: number | undefined;
    let seen = 0;
    for (const { at, side, inserts } of groupsOf(this.changes, this.collection.entries.length)) {
      const until = side === "after" ? at : at - 1;
      for (; seen <= until; seen++) if (!removed.has(seen)) last = seen;
      const survivor = last ?? first;
      const sides = all.get(survivor) ?? { before: [], after: [] };
      pushAll(sides[last === undefined ? "before" : "after"], inserts);
      all.set(survivor, sides);
    }
    return all;
  }

  /** The first entries of an empty container. What stood inside, blanks or comments, is kept behind them. */
  private fill(parts: readonly string[]): void {
    const { text, patch, style } = this;
    const { open, close, kind } = this.collection;
    const padding = kind === "map" ? style.mapPadding : style.listPadding;
    const content = padding + parts.join(", ");
    if (isBlank(text, open + 1, close) && !text.slice(open, close).includes("\n"))
      patch.replace(open + 1, close, content + padding);
    else patch.insert(open + 1, content);
  }

  private empty(): void {
    const { text, patch } = this;
    const { open, close, entries } = this.collection;
    const inner = this.changes.inner ?? "";
    const hasComments = this.gaps().some(([start, end]) => text.slice(start, end).includes("#"));
    if (!hasComments && isNullSpelling(inner)) patch.replace(open, close + 1, inner);
    else if (!hasComments || inner.includes("#")) patch.replace(open + 1, close, isInner(inner) ? inner : "");
    else for (const i of entries.keys()) this.removeEntry(i);
  }

  /** What stands between the brackets and is no entry. */
  private gaps(): [number, number][] {
    const { open, close, entries } = this.collection;
    const starts = [open + 1, ...entries.map(({ end }) => end)];
    return starts.map((start, i) => [start, entries[i]?.start ?? close]);
  }

  private replaceAll(parts: readonly string[]): void {
    const { entries, commas } = this.collection;
    const { start, end } = entries[0]!;
    this.patch.replace(start, end, parts.join(", "));
    if (entries.length > 1 && commas[0] !== undefined) this.patch.remove(commas[0], commas[0] + 1);
    for (let i = 1; i < entries.length; i++) this.removeEntry(i);
  }

  private addBefore(i: number, parts: readonly string[]): void {
    const { start } = this.collection.entries[i]!;
    const separator = this.standsAlone(i)
      ? `,${lineBreakAt(this.text, start)}${this.indentOf(start)}`
      : this.separator();
    this.patch.insert(start, parts.map((part) => part + separator).join(""));
  }

  private addAfter(i: number, parts: readonly string[]): void {
    const { text, patch } = this;
    const { start, end } = this.collection.entries[i]!;
    if (!this.standsAlone(i)) {
      patch.insert(end, parts.map((part) => this.separator() + part).join(""));
      return;
    }
    const nextRow = lineBreakAt(text, end) + this.indentOf(start);
    const comment = this.behind(i);
    if (text[comment] === "#") this.addBehindComment(i, parts, { comment, nextRow });
    else patch.insert(end, parts.map((part) => `,${nextRow}${part}`).join(""));
  }

  /** The comment at the end of the line stays with its entry. */
  private addBehindComment(
    i: number,
    parts: readonly string[],
    { comment, nextRow }: { comment: number; nextRow: string },
  ): void {
    const { text, patch } = this;
    const { end } = this.collection.entries[i]!;
    const comma = this.collection.commas[i];
    if (comma === undefined) {
      patch.insert(end, ",");
      patch.insert(lineEnd(text, comment), parts.map((part) => nextRow + part).join(","));
    } else if (comma < comment) {
      this.neededCommas.add(i);
      patch.insert(lineEnd(text, comment), parts.map((part) => `${nextRow}${part},`).join(""));
    } else {
      patch.insert(end, parts.map((part) => `, ${part}`).join(""));
    }
  }

  /** Behind an entry, its comma if only blanks stand before that, and the blanks that follow. */
  private behind(i: number): number {
    const { end } = this.collection.entries[i]!;
    const comma = this.collection.commas[i];
    return skipBlanks(this.text, comma === undefined || !isBlank(this.text, end, comma) ? end : comma + 1);
  }

  /** Whether an entry has its line, or lines, for itself. */
  private standsAlone(i: number): boolean {
    const behind = this.text[this.behind(i)];
    return (
      beginsLine(this.text, this.collection.entries[i]!.start) && (behind === "\n" || behind === "\r" || behind === "#")
    );
  }

  private indentOf(start: number): string {
    return this.text.slice(lineStart(this.text, start), start);
  }

  /** `, ` unless entries are written without the blank. */
  private separator(): string {
    const [first, second] = this.collection.entries;
    return first !== undefined && second !== undefined && this.text.slice(first.end, second.start) === "," ? "," : ", ";
  }

  /** Takes out neighbours together with the separators that only they needed. */
  private removeRun(first: number, last: number): void {
    const { text, patch } = this;
    const { entries } = this.collection;
    const start = entries[first - 1]?.end ?? entries[first]!.start;
    const end = first > 0 ? entries[last]!.end : entries[last + 1]!.start;
    if (!/[\n#]/.test(this.between(first - 1, last, start, end)) && !text.slice(start, end).includes("\n"))
      patch.remove(start, end);
    else this.removeRows(first, last);
  }

  private removeRows(first: number, last: number): void {
    const { entries, commas } = this.collection;
    for (let i = first; i <= last; i++) this.removeEntry(i);
    const comma = commas[first - 1];
    if (
      last === entries.length - 1 &&
      commas[last] === undefined &&
      comma !== undefined &&
      !this.neededCommas.has(first - 1)
    )
      this.patch.remove(comma, comma + 1);
  }

  /** The text of a stretch without its entries. */
  private between(before: number, last: number, start: number, end: number): string {
    let text = "";
    let at = start;
    for (let i = Math.max(0, before + 1); i <= last; i++) {
      text += this.text.slice(at, this.collection.entries[i]!.start);
      at = this.collection.entries[i]!.end;
    }
    return text + this.text.slice(at, Math.max(at, end));
  }

  private removeEntry(i: number): void {
    const { text, patch } = this;
    const { start, end } = this.collection.entries[i]!;
    const comma = this.collection.commas[i];
    const together = comma !== undefined && isBlank(text, end, comma);
    if (comma !== undefined && !together) patch.remove(comma, comma + 1);
    const stop = together ? comma + 1 : end;
    const rest = skipBlanks(text, stop);
    const lineEnds = rest === text.length || text[rest] === "\n" || text[rest] === "\r";
    if (beginsLine(text, start) && lineEnds) patch.removeLines(lineStart(text, start), nextLine(text, stop));
    else if (lineEnds) patch.remove(skipBlanksBack(text, start), stop);
    // Without a blank before it a comment would not be one.
    else patch.remove(start, text[rest] === "#" && !isBlank(text, start - 1, start) ? rest - 1 : rest);
  }
}

/** Whether a text is only blanks and comments, the last of them closed by a line break. */
function isInner(inner: string): boolean {
  const lines = inner.split("\n").map((line) => line.trim());
  return lines.every((line) => line === "" || line.startsWith("#")) && lines.at(-1) === "";
}

function* runs(positions: ReadonlySet<number>): Generator<[number, number]> {
  let run: [number, number] | undefined;
  for (const position of [...positions].sort((a, b) => a - b)) {
    if (run !== undefined && position === run[1] + 1) {
      run[1] = position;
    } else {
      if (run !== undefined) yield run;
      run = [position, position];
    }
  }
  if (run !== undefined) yield run;
}
