import { orFault } from "../fault.ts";
import { isBlank } from "../lines.ts";
import { type Splice, splice } from "../splice.ts";
import { type Addition, addBehind, addFirst, entryText } from "./insert.ts";
import type { JsonNode } from "./node.ts";
import { cutComma, cutRuns } from "./remove.ts";
import { renderEntry } from "./render.ts";
import { Scan } from "./scan.ts";
import { entryIndent, lineIndent, styleAt } from "./style.ts";
import { hasBreak, indentBefore } from "./tokens.ts";

/**
 * What is to happen to one container's entries. Slot 0 is before the first member, slot i + 1 behind member i. Every
 * entry owns the comma *behind* it: it goes and comes with the entry. The last entry has one only where the author's
 * last entry had one.
 */
export class ContainerChange {
  readonly container: JsonNode;
  readonly removed = new Set<number>();
  readonly additions = new Map<number, Addition[]>();

  constructor(container: JsonNode) {
    this.container = container;
  }

  add(slot: number, addition: Addition): void {
    const group = this.additions.get(slot);
    if (group === undefined) this.additions.set(slot, [addition]);
    else group.push(addition);
  }

  splices(): Splice[] {
    const { container, removed, additions } = this;
    const members = container.members();
    for (const group of additions.values()) group.sort((a, b) => a.order - b.order);
    if (members.length === 0) return fillEmpty(container, additions.get(0) ?? []);
    if (removed.size === members.length && additions.size === 0) return emptyOut(container, removed);
    const replaced = this.replacements();
    const last = this.lastEntry();
    const endsInComma = members.at(-1)!.comma !== -1;
    const context = { container, endsInComma, lastSlot: last.slot };
    return [
      ...cutRuns(container, removed),
      ...[...replaced].map(([i, addition]) => ({
        start: members[i]!.start,
        end: members[i]!.end,
        text: entryText(container, i, addition),
      })),
      ...[...additions].flatMap(([slot, group]) =>
        slot === 0 ? addFirst(context, group) : addBehind(context, slot - 1, group),
      ),
      ...(last.member !== undefined && !endsInComma ? cutComma(container, last.member, removed) : []),
    ];
  }

  /** An entry that comes where one goes takes its place: the blanks, comma and comments around it are right already. */
  private replacements(): Map<number, Addition> {
    const replaced = new Map<number, Addition>();
    if (this.removed.has(0) && this.additions.has(0)) {
      this.additions.set(1, [...this.additions.get(0)!, ...(this.additions.get(1) ?? [])]);
      this.additions.delete(0);
    }
    for (const [slot, [first, ...others]] of [...this.additions]) {
      if (!this.removed.has(slot - 1) || first === undefined) continue;
      replaced.set(slot - 1, first);
      this.removed.delete(slot - 1);
      if (others.length > 0) this.additions.set(slot, others);
      else this.additions.delete(slot);
    }
    return replaced;
  }

  /** What will stand last: a member, or the group in a slot. */
  private lastEntry(): { member: number | undefined; slot: number | undefined } {
    let position = this.container.members().length - 1;
    while (this.removed.has(position)) position--;
    let slot = -1;
    for (const used of this.additions.keys()) slot = Math.max(slot, used);
    return slot > position ? { member: undefined, slot } : { member: position, slot: undefined };
  }
}

/** Everything goes: braces without anything in between, or with the comments that stood beside the entries. */
function emptyOut(container: JsonNode, removed: ReadonlySet<number>): Splice[] {
  const cuts = cutRuns(container, removed);
  const [start, end] = [container.start + 1, container.end - 1];
  const inside = cuts.map((cut) => ({ ...cut, start: cut.start - start, end: cut.end - start }));
  const left = splice(container.scan.text.slice(start, end), inside);
  return left.kind === "spliced" && isBlank(left.text, 0, left.text.length) ? [{ start, end, text: "" }] : cuts;
}

/** What `clear` is given back for a text that held no braces at all. No container's inside can look like this. */
const noBraces = { newlineBehind: "no braces, newline behind", newlineBefore: "no braces, newline before" } as const;

/** What stands between the ends of an empty container, to be given back to `clear`. */
export function innerOf(container: JsonNode): string {
  const { text } = container.scan;
  if (!container.isAbsent) return text.slice(container.start + 1, container.end - 1);
  return endsInLine(text) ? noBraces.newlineBehind : noBraces.newlineBefore;
}

/** A text that is empty or ends in a line end: what we append to it is a line. */
function endsInLine(text: string): boolean {
  return /^\ufeff?$|[\r\n]$/.test(text.slice(-1));
}

/** The first entries of a container without any. */
export function fillEmpty(container: JsonNode, group: readonly Addition[]): Splice[] {
  if (group.length === 0) return [];
  const { text, eol } = container.scan;
  if (!container.isAbsent) return fillBraces(container, group);
  const map = `{${linesOf(container, group, "  ")}${eol}}`;
  return [{ start: text.length, end: text.length, text: endsInLine(text) ? map + eol : eol + map }];
}

function linesOf(container: JsonNode, group: readonly Addition[], indent: string): string {
  const style = styleAt(container);
  return group
    .map(
      (one) => `${style.eol}${indent}${renderEntry(one.name, one.value, { kind: "lines", indent }, style, undefined)}`,
    )
    .join(",");
}

/** On lines where the container itself stands on a line of its own, within its line otherwise; comments stay above. */
function fillBraces(container: JsonNode, group: readonly Addition[]): Splice[] {
  const { scan, start, end } = container;
  const from = scan.lastCommentEnd(start, end) ?? start + 1;
  const isFirstOfLine = indentBefore(scan.text, container.entryRanges[0]!.start) !== undefined;
  if (isFirstOfLine || hasBreak(scan.text, start, end)) {
    const keepsEnd = from > start + 1 && hasBreak(scan.text, from, end);
    const close = keepsEnd ? scan.text.slice(from, end - 1) : scan.eol + lineIndent(container);
    return [{ start: from, end: end - 1, text: linesOf(container, group, entryIndent(container, [])) + close }];
  }
  const style = styleAt(container);
  const entries = group
    .map((one) => renderEntry(one.name, one.value, { kind: "within" }, style, undefined))
    .join(`,${style.gap}`);
  if (from > start + 1) return [{ start: from, end: from, text: ` ${entries}` }];
  const pad = container.kind === "map" ? style.pad() : "";
  return [{ start: from, end: end - 1, text: pad + entries + pad }];
}

/** Puts `inner` back between the ends of a container, or takes away the braces of a text that had none. */
export function clearContainer(container: JsonNode, inner: string): Splice | undefined {
  const { start, end, scan } = container;
  const braces = inner === noBraces.newlineBehind || inner === noBraces.newlineBefore;
  if (!braces) return isInner(inner) ? { start: start + 1, end: end - 1, text: inner } : undefined;
  if (container.parent !== undefined || container.isAbsent) return undefined;
  const { text, eol } = scan;
  if (inner === noBraces.newlineBehind)
    return { start, end: text.startsWith(eol, end) ? end + eol.length : end, text: "" };
  return { start: text.endsWith(eol, start) ? start - eol.length : start, end, text: "" };
}

/** Nothing but blanks and comments: anything else would make entries out of what was asked to be emptied. */
function isInner(inner: string): boolean {
  const scan = orFault("malformed", () => new Scan(inner));
  return scan instanceof Scan && scan.root === undefined;
}
