import type { Trace } from "../format.ts";
import {
  beginsLine,
  firstLine,
  indentAt,
  isLineEnd,
  lineEnd,
  lineStart,
  nextLine,
  restIsBlank,
  skipBlanks,
  skipBlanksBack,
  skipSpace,
  skipSpaceBack,
} from "../lines.ts";
import type { Splices } from "../splice.ts";
import { ranks } from "./line-changes.ts";
import { isCommentLine } from "./pieces.ts";
import type { Flow, TomlSlot } from "./tree.ts";

/** What happens between the brackets of one array or inline table. Gathered first: commas depend on all of it. */
export class FlowEdit {
  readonly #flow: Flow;
  readonly #text: string;
  readonly #eol: string;
  readonly #splices: Splices;
  readonly #removed = new Map<TomlSlot, Trace | undefined>();
  /** By position: the texts that come before the slot of that position, or behind the last. */
  readonly #inserted = new Map<number, string[]>();
  /** Of those, how many want to stand directly behind the slot before: they come first. */
  readonly #behind = new Map<number, number>();

  constructor(flow: Flow, text: string, eol: string, splices: Splices) {
    this.#flow = flow;
    this.#text = text;
    this.#eol = eol;
    this.#splices = splices;
  }

  remove(slot: TomlSlot, trace: Trace | undefined): void {
    this.#removed.set(slot, trace);
  }

  /** `behind`: right behind the slot before the position, ahead of those that come before the next one. */
  insert(position: number, text: string, side: "behind" | "before"): void {
    const texts = this.#inserted.get(position) ?? [];
    this.#inserted.set(position, texts);
    const behind = this.#behind.get(position) ?? 0;
    if (side === "before") texts.push(text);
    else {
      texts.splice(behind, 0, text);
      this.#behind.set(position, behind + 1);
    }
  }

  write(): void {
    this.#reuseRemovedSlots();
    if (this.#removed.size > 0) this.#writeRemovals();
    for (const [position, texts] of this.#inserted) this.#writeInsertion(position, texts);
  }

  /** What comes where something goes takes its place, comma and all. Then both neighbours of each insertion stay. */
  #reuseRemovedSlots(): void {
    const { slots } = this.#flow;
    for (let position = 0; position <= slots.length; position++) {
      for (const i of [position - 1, position]) {
        const slot = slots[i];
        const [first, ...rest] = this.#inserted.get(position) ?? [];
        if (slot === undefined || first === undefined || !this.#removed.delete(slot)) continue;
        this.#splices.replace(slot, first);
        this.#inserted.delete(position);
        const behind = [...rest, ...(this.#inserted.get(i + 1) ?? [])];
        if (behind.length > 0) this.#inserted.set(i + 1, behind);
      }
    }
  }

  #writeRemovals(): void {
    const [text, splices] = [this.#text, this.#splices];
    const { start, end, slots } = this.#flow;
    if (this.#removed.size === slots.length && !commentBetween(text, this.#flow)) {
      const inner = this.#innerBefore() ?? (text.slice(start, end).includes("\n") ? undefined : "");
      if (inner !== undefined) {
        splices.replace({ start: start + 1, end: end - 1 }, inner);
        return;
      }
    }
    const firstKept = slots.find((slot) => !this.#removed.has(slot));
    for (const slot of this.#removed.keys()) {
      if (slot.comma === -1) this.#removeLast(slot);
      else removeWithComma(text, slot, { flow: this.#flow, opens: slot.start < (firstKept?.start ?? end), splices });
    }
  }

  /** What stood between the brackets before our first insertion, if that was ours. */
  #innerBefore(): string | undefined {
    for (const trace of this.#removed.values()) if (typeof trace?.inner === "string") return trace.inner;
    return undefined;
  }

  /** The last slot, without a comma of its own: the comma of the last slot that stays goes. */
  #removeLast(slot: TomlSlot): void {
    const [text, splices] = [this.#text, this.#splices];
    const { slots } = this.#flow;
    let kept = slots.length - 1;
    while (kept >= 0 && this.#removed.has(slots[kept]!)) kept--;
    const comma = slots[kept]?.comma ?? -1;
    const ownLine = beginsLine(text, slot.start) && restIsBlank(text, slot.end);
    const staysPut = ownLine || text[skipBlanks(text, slot.end)] === "#";
    if (comma !== -1) {
      const next = skipSpace(text, comma + 1);
      splices.delete(comma, next === slots[kept + 1]!.start && !staysPut ? next : comma + 1);
    }
    if (ownLine) splices.delete(lineStart(text, slot.start), nextLine(text, slot.end));
    else if (staysPut) splices.delete(slot.start, skipBlanks(text, slot.end));
    else splices.delete(kept === -1 ? skipBlanksBack(text, slot.start) : skipSpaceBack(text, slot.start), slot.end);
  }

  /** `position`: before the slot of that number, or behind the last. Neither neighbour goes in the same edit. */
  #writeInsertion(position: number, texts: readonly string[]): void {
    const { slots } = this.#flow;
    if (slots.length === 0) this.#intoEmpty(texts);
    else if (position === 0) this.#atFront(slots[0]!, texts);
    else if (slots[position - 1]!.comma !== -1) this.#behindComma(slots[position - 1]!, slots[position], texts);
    else this.#behindLast(slots[position - 1]!, texts);
  }

  #intoEmpty(texts: readonly string[]): void {
    const { start, end } = this.#flow;
    const inner = this.#text.slice(start + 1, end - 1);
    const close = end - 1;
    if (inner.includes("\n")) {
      const indent = `${indentAt(this.#text, close)}  `;
      const lines = texts.map((text, i) => `${indent}${text}${i < texts.length - 1 ? "," : ""}${this.#eol}`);
      this.#splices.insert(lineStart(this.#text, close), lines.join(""), ranks.slot);
      return;
    }
    const padding = inner === "" && this.#text[start] === "{" ? " " : inner;
    this.#splices.replace({ start: start + 1, end: close }, `${padding}${texts.join(", ")}${padding}`);
  }

  #atFront(first: TomlSlot, texts: readonly string[]): void {
    if (!this.#text.slice(this.#flow.start, first.start).includes("\n")) {
      const gap = this.#gap();
      this.#splices.insert(first.start, texts.map((text) => `${text},${gap}`).join(""), ranks.slot);
      return;
    }
    // Above the comment lines that belong to the first slot, but not above the line of the bracket.
    const top = nextLine(this.#text, this.#flow.start);
    let at = lineStart(this.#text, first.start);
    while (at > top && isCommentLine(this.#text, lineStart(this.#text, at - 1))) at = lineStart(this.#text, at - 1);
    this.#lines(Math.max(at, firstLine(this.#text)), indentAt(this.#text, first.start), texts);
  }

  #behindComma(slot: TomlSlot, next: TomlSlot | undefined, texts: readonly string[]): void {
    const behind = slot.comma + 1;
    if (this.#text.slice(behind, next?.start ?? this.#flow.end - 1).includes("\n")) {
      this.#lines(nextLine(this.#text, behind), this.#indent(slot, next), texts);
    } else this.#splices.insert(behind, texts.map((text) => `${this.#gap()}${text},`).join(""), ranks.slot);
  }

  #behindLast(last: TomlSlot, texts: readonly string[]): void {
    const { slots, start, end } = this.#flow;
    const before = slots.length > 1 ? slots.at(-2)!.end : start;
    const breaksBehind = this.#text.slice(last.end, end).includes("\n");
    if (!breaksBehind && !this.#text.slice(before, last.start).includes("\n")) {
      this.#splices.insert(last.end, texts.map((text) => `,${this.#gap()}${text}`).join(""), ranks.slot);
      return;
    }
    const indent = this.#indent(last, undefined);
    const lines = texts.map((text) => `${this.#eol}${indent}${text}`);
    this.#splices.insert(last.end, ",", ranks.slot);
    // A comment behind the last slot stays on its line.
    this.#splices.insert(breaksBehind ? this.#endOfLineContent(last.end) : last.end, lines.join(","), ranks.slot);
  }

  #endOfLineContent(at: number): number {
    const end = lineEnd(this.#text, at);
    return skipBlanks(this.#text, at) >= end ? at : end;
  }

  #lines(at: number, indent: string, texts: readonly string[]): void {
    this.#splices.insert(at, texts.map((text) => `${indent}${text},${this.#eol}`).join(""), ranks.slot);
  }

  /** The indentation of a slot that begins its line; a slot behind the bracket says nothing about it. */
  #indent(slot: TomlSlot, next: TomlSlot | undefined): string {
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

function commentBetween(text: string, flow: Flow): boolean {
  let at = flow.start + 1;
  for (const slot of flow.slots) {
    if (text.slice(at, slot.start).includes("#")) return true;
    at = slot.end;
  }
  return text.slice(at, flow.end).includes("#");
}

/**
 * Removes the blanks that an insertion brings: behind another slot those before it, in front those behind its comma.
 * `opens`: no slot before this one stays.
 */
function removeWithComma(
  text: string,
  slot: TomlSlot,
  { flow, opens, splices }: { readonly flow: Flow; readonly opens: boolean; readonly splices: Splices },
): void {
  const behind = slot.comma + 1;
  const blanksBefore = skipBlanksBack(text, slot.start);
  const ownLine = beginsLine(text, slot.start);
  const next = skipBlanks(text, behind);
  const isLastOfLine = isLineEnd(text, next) || text[next] === "#" || next === flow.end - 1;
  if (ownLine && restIsBlank(text, behind)) splices.delete(blanksBefore, nextLine(text, behind));
  else if (ownLine || (opens && !isLastOfLine)) splices.delete(slot.start, next);
  else splices.delete(blanksBefore === flow.start + 1 ? slot.start : blanksBefore, behind);
}
