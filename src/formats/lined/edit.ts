import { addTo } from "../../core/lists.ts";
import { Fault } from "../fault.ts";
import type { EditResult, InsertPlace, Trace } from "../format.ts";
import { entryAt, type LineEntry, type LineSource, type Section } from "./read.ts";

/** New lines that come together. */
interface Addition {
  readonly lines: readonly string[];
  /** At one place: those behind the line above first. A section comes behind names, which would become a part of it. */
  readonly rank: "behind" | "section behind" | "before" | "section before";
  /** Of the edit that adds a section: what its blank line is remembered for. */
  readonly edit?: number | undefined;
}

const order: readonly Addition["rank"][] = ["behind", "section behind", "before", "section before"];

/** What becomes of the lines; those not mentioned stay as they are. */
export class LineChanges<Entry extends LineEntry> {
  readonly source: LineSource<Entry>;
  /** By line: its new text, without the line break; undefined where the line goes. */
  readonly #rewritten = new Map<number, string | undefined>();
  /** By the line they go in front of; the number of lines for the end. */
  readonly #added = new Map<number, Addition[]>();
  readonly #traces = new Map<number, Trace>();

  constructor(source: LineSource<Entry>) {
    this.source = source;
  }

  add(at: number, addition: Addition): void {
    if (this.#sharesLine(at - 1))
      throw new Fault("more stands in the line of a section's name; give it a line of its own");
    addTo(this.#added, at, addition);
  }

  /** Puts another value where one stands; what stands around it stays. */
  setValue(line: number, value: string): void {
    const { text, lines } = this.source;
    const { valueRange } = entryAt(this.source, line);
    const { start, end } = lines[line]!;
    this.#rewritten.set(line, text.slice(start, valueRange.start) + value + text.slice(valueRange.end, end));
  }

  removeLine(line: number): void {
    this.#rewritten.set(line, undefined);
  }

  /** A comment behind the value is not ours to take: it stays, on a line of its own. */
  removeEntry(line: number): void {
    const { text, lines } = this.source;
    const { range, commentStart } = entryAt(this.source, line);
    const { start, end } = lines[line]!;
    if (commentStart === undefined) this.removeLine(line);
    else this.#rewritten.set(line, text.slice(start, range.start) + text.slice(commentStart, end));
  }

  isRemoved(line: number): boolean {
    return this.#rewritten.has(line) && this.#rewritten.get(line) === undefined;
  }

  /** Where a new entry goes that is to stand beside another one of its section; undefined where there is no such. */
  beside({ entries }: Section, place: InsertPlace): { at: number; rank: "behind" | "before" } | undefined {
    if (place === "end") return undefined;
    const name = String("after" in place ? place.after : place.before);
    const line = entries.get(this.source.folding.entry(name))?.at(-1);
    if (line === undefined) return undefined;
    if ("after" in place || this.#sharesLine(line - 1)) return { at: line + 1, rank: "behind" };
    return { at: this.aboveComments(line), rank: "before" };
  }

  /** Whether the next one stands in the same line. */
  #sharesLine(line: number): boolean {
    const { text, lines } = this.source;
    const { end, next } = lines[line] ?? { end: 0, next: 1 };
    return end === next && next < text.length;
  }

  /** Above the comments right above a line, which are about it; but a `#!` stays in the first line. */
  aboveComments(line: number): number {
    const { lines, text } = this.source;
    let above = line;
    while (above > 0 && lines[above - 1]!.content.kind === "comment") above--;
    return above === 0 && line > 0 && text.startsWith("#!") ? 1 : above;
  }

  /** Behind the last line with something on it; 0 where there is none. */
  textEnd(): number {
    return this.source.lines.findLastIndex(({ content }) => content.kind !== "blank") + 1;
  }

  /** Kept lines have their own breaks, new ones the file's. The text ends in a break if it did before. */
  write(): EditResult {
    const { text, lines, eol } = this.source;
    const parts: { readonly text: string; readonly eol: string }[] = [];
    for (let at = 0; at <= lines.length; at++) {
      const added = this.#added.get(at) ?? [];
      for (const addition of added.sort((a, b) => order.indexOf(a.rank) - order.indexOf(b.rank)))
        for (const line of this.#setOff(addition, parts.length === 0)) parts.push({ text: line, eol });
      const line = lines[at];
      if (line === undefined) break;
      const content = this.#rewritten.has(at) ? this.#rewritten.get(at) : text.slice(line.start, line.end);
      const own = this.#sharesLine(at) && !this.isRemoved(at + 1) ? "" : text.slice(line.end, line.next) || eol;
      if (content !== undefined) parts.push({ text: content, eol: own });
    }
    // A value may go on in an empty line, and end the text with a break of its own.
    const last = lines.at(-1);
    const endsInBreak = last === undefined || last.end < last.next;
    const body = parts
      .map((part, i) => (i === parts.length - 1 && !endsInBreak ? part.text : part.text + part.eol))
      .join("");
    const edited = (text.startsWith("\ufeff") ? "\ufeff" : "") + body;
    return { kind: "edited", text: edited, traces: this.#traces, inners: new Map() };
  }

  /** A section with a blank line between it and its neighbour. */
  #setOff({ lines, rank, edit }: Addition, isFirst: boolean): readonly string[] {
    if (rank === "behind" || rank === "before" || (rank === "section behind" && isFirst)) return lines;
    const isAbove = rank === "section behind";
    if (edit !== undefined) this.#traces.set(edit, { blank: isAbove ? "above" : "below" });
    return isAbove ? ["", ...lines] : [...lines, ""];
  }
}
