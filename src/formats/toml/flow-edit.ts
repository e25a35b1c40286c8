import type { Trace } from "../format.ts";
import { FlowInsertion } from "./flow-insertion.ts";
import {
  beginsLine,
  isLineEnd,
  lineStart,
  nextLine,
  restIsBlank,
  skipBlanks,
  skipBlanksBack,
  skipSpace,
  skipSpaceBack,
} from "./lines.ts";
import type { Splices } from "./splices.ts";
import type { Flow, Slot } from "./tree.ts";

/** What happens between the brackets of one array or inline table. Gathered first: commas depend on all of it. */
export class FlowEdit {
  readonly flow: Flow;
  readonly #removed = new Map<Slot, Trace | undefined>();
  /** By position: the texts that come before the slot of that position, or behind the last. */
  readonly #inserted = new Map<number, string[]>();
  /** Of those, how many want to stand directly behind the slot before: they come first. */
  readonly #behind = new Map<number, number>();

  constructor(flow: Flow) {
    this.flow = flow;
  }

  remove(slot: Slot, trace: Trace | undefined): void {
    this.#removed.set(slot, trace);
  }

  /**
   * `behind`: right behind the slot before the position, also where others were already told to come before the next
   * one.
   */
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

  write(text: string, eol: string, splices: Splices): void {
    this.#reuseRemovedSlots(splices);
    if (this.#removed.size > 0) this.#writeRemovals(text, splices);
    for (const [position, texts] of this.#inserted)
      new FlowInsertion(text, this.flow, eol).write(position, texts, splices);
  }

  /**
   * Something that comes where something goes takes its place, comma and all. Afterwards both neighbours of an
   * insertion stay.
   */
  #reuseRemovedSlots(splices: Splices): void {
    const { slots } = this.flow;
    for (let position = 0; position <= slots.length; position++) {
      for (const i of [position - 1, position]) {
        const slot = slots[i];
        const [first, ...rest] = this.#inserted.get(position) ?? [];
        if (slot === undefined || first === undefined || !this.#removed.delete(slot)) continue;
        splices.replace(slot, first);
        this.#inserted.delete(position);
        const behind = [...rest, ...(this.#inserted.get(i + 1) ?? [])];
        if (behind.length > 0) this.#inserted.set(i + 1, behind);
      }
    }
  }

  #writeRemovals(text: string, splices: Splices): void {
    const { start, end, slots } = this.flow;
    if (this.#removed.size === slots.length && !commentBetween(text, this.flow)) {
      const inner = this.#innerBefore() ?? (text.slice(start, end).includes("\n") ? undefined : "");
      if (inner !== undefined) {
        splices.replace({ start: start + 1, end: end - 1 }, inner);
        return;
      }
    }
    const firstKept = slots.find((slot) => !this.#removed.has(slot));
    for (const slot of this.#removed.keys()) {
      if (slot.comma === -1) this.#removeLast(text, slot, splices);
      else removeWithComma(text, slot, { flow: this.flow, opens: slot.start < (firstKept?.start ?? end), splices });
    }
  }

  /** What stood between the brackets before our first insertion, if that was ours. */
  #innerBefore(): string | undefined {
    for (const trace of this.#removed.values()) if (typeof trace?.inner === "string") return trace.inner;
    return undefined;
  }

  /** The last slot, without a comma of its own: the comma of the last slot that stays goes. */
  #removeLast(text: string, slot: Slot, splices: Splices): void {
    const { slots } = this.flow;
    let kept = slots.length - 1;
    while (kept >= 0 && this.#removed.has(slots[kept]!)) kept--;
    const comma = slots[kept]?.comma ?? -1;
    const ownLine = ownsLine(text, slot.start, slot.end);
    const staysPut = ownLine || commentFollows(text, slot.end);
    if (comma !== -1) {
      const next = skipSpace(text, comma + 1);
      splices.delete(comma, next === slots[kept + 1]!.start && !staysPut ? next : comma + 1);
    }
    if (ownLine) splices.delete(lineStart(text, slot.start), nextLine(text, slot.end));
    else if (staysPut) splices.delete(slot.start, skipBlanks(text, slot.end));
    else splices.delete(kept === -1 ? skipBlanksBack(text, slot.start) : skipSpaceBack(text, slot.start), slot.end);
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

function ownsLine(text: string, start: number, end: number): boolean {
  return beginsLine(text, start) && restIsBlank(text, end);
}

function commentFollows(text: string, at: number): boolean {
  return text[skipBlanks(text, at)] === "#";
}

/**
 * What is inserted behind another slot brings the blanks before it, what is inserted in front those behind its comma:
 * the same go. `opens`: no slot before this one stays.
 */
function removeWithComma(
  text: string,
  slot: Slot,
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
