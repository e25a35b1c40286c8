import {
  beginsLine,
  firstLine,
  indentAt,
  isCommentLine,
  lineEnd,
  lineStart,
  nextLine,
  skipBlanks,
  skipSpace,
} from "./lines.ts";
import { ranks, type Splices } from "./splices.ts";
import type { Flow, Slot } from "./tree.ts";

/** Texts that come between the brackets of an array or inline table, laid out like what stands there. */
export class FlowInsertion {
  readonly #text: string;
  readonly #flow: Flow;
  readonly #eol: string;

  constructor(text: string, flow: Flow, eol: string) {
    this.#text = text;
    this.#flow = flow;
    this.#eol = eol;
  }

  /** `position`: before the slot of that number, or behind the last. Neither neighbour goes in the same edit. */
  write(position: number, texts: readonly string[], splices: Splices): void {
    const { slots } = this.#flow;
    if (slots.length === 0) this.#intoEmpty(texts, splices);
    else if (position === 0) this.#atFront(slots[0]!, texts, splices);
    else if (slots[position - 1]!.comma !== -1)
      this.#behindComma(slots[position - 1]!, slots[position], texts, splices);
    else this.#behindLast(slots[position - 1]!, texts, splices);
  }

  #intoEmpty(texts: readonly string[], splices: Splices): void {
    const { start, end } = this.#flow;
    const inner = this.#text.slice(start + 1, end - 1);
    const close = end - 1;
    if (inner.includes("\n")) {
      const indent = `${indentAt(this.#text, close)}  `;
      const lines = texts.map((text, i) => `${indent}${text}${i < texts.length - 1 ? "," : ""}${this.#eol}`);
      splices.insert(lineStart(this.#text, close), lines.join(""), ranks.slot);
      return;
    }
    const padding = inner === "" && this.#text[start] === "{" ? " " : inner;
    splices.replace({ start: start + 1, end: close }, `${padding}${texts.join(", ")}${padding}`);
  }

  #atFront(first: Slot, texts: readonly string[], splices: Splices): void {
    if (!this.#text.slice(this.#flow.start, first.start).includes("\n")) {
      const gap = this.#gap();
      splices.insert(first.start, texts.map((text) => `${text},${gap}`).join(""), ranks.slot);
      return;
    }
    // Above the comment lines that belong to the first slot, but not above the line of the bracket.
    const top = nextLine(this.#text, this.#flow.start);
    let at = lineStart(this.#text, first.start);
    while (at > top && isCommentLine(this.#text, lineStart(this.#text, at - 1))) at = lineStart(this.#text, at - 1);
    this.#lines(Math.max(at, firstLine(this.#text)), indentAt(this.#text, first.start), texts, splices);
  }

  #behindComma(slot: Slot, next: Slot | undefined, texts: readonly string[], splices: Splices): void {
    const behind = slot.comma + 1;
    if (this.#text.slice(behind, next?.start ?? this.#flow.end - 1).includes("\n")) {
      this.#lines(nextLine(this.#text, behind), this.#indent(slot, next), texts, splices);
    } else splices.insert(behind, texts.map((text) => `${this.#gap()}${text},`).join(""), ranks.slot);
  }

  #behindLast(last: Slot, texts: readonly string[], splices: Splices): void {
    const { slots, start, end } = this.#flow;
    const before = slots.length > 1 ? slots.at(-2)!.end : start;
    const breaksBehind = this.#text.slice(last.end, end).includes("\n");
    if (!breaksBehind && !this.#text.slice(before, last.start).includes("\n")) {
      splices.insert(last.end, texts.map((text) => `,${this.#gap()}${text}`).join(""), ranks.slot);
      return;
    }
    const indent = this.#indent(last, undefined);
    const lines = texts.map((text) => `${this.#eol}${indent}${text}`);
    splices.insert(last.end, ",", ranks.slot);
    // A comment behind the last slot stays on its line.
    splices.insert(breaksBehind ? this.#endOfLineContent(last.end) : last.end, lines.join(","), ranks.slot);
  }

  #endOfLineContent(at: number): number {
    const end = lineEnd(this.#text, at);
    return skipBlanks(this.#text, at) >= end ? at : end;
  }

  #lines(at: number, indent: string, texts: readonly string[], splices: Splices): void {
    splices.insert(at, texts.map((text) => `${indent}${text},${this.#eol}`).join(""), ranks.slot);
  }

  /** The indentation of a slot that begins its line; a slot behind the bracket says nothing about it. */
  #indent(slot: Slot, next: Slot | undefined): string {
    for (const one of [slot, next]) {
      if (one !== undefined && beginsLine(this.#text, one.start)) return indentAt(this.#text, one.start);
    }
    return `${indentAt(this.#text, this.#flow.start)}  `;
  }

  /** What stands between a comma and the next slot here. */
  #gap(): string {
    const [first, second] = this.#flow.slots;
    if (first === undefined || second === undefined) return " ";
    const gap = this.#text.slice(first.comma + 1, second.start);
    return skipSpace(gap, 0) === gap.length && !gap.includes("\n") ? gap : " ";
  }
}
