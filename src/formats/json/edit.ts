import { addTo, getOrMake } from "../../core/lists.ts";
import { isList, isMap, type Value } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import {
  type ClearEdit,
  containerFinder,
  type Edit,
  type EditResult,
  type InsertEdit,
  type Path,
  type RemoveEdit,
  type SetEdit,
} from "../format.ts";
import { isBlank } from "../lines.ts";
import { type Splice, splice } from "../splice.ts";
import { type Addition, addBehind, addFirst, entryText } from "./insert.ts";
import { Scan } from "./read.ts";
import { cutComma, cutRuns } from "./remove.ts";
import { type JsonPlace, renderEntry, renderJsonValue, renderScalar } from "./render.ts";
import { entryIndent, hasBreak, hasLines, indentBefore, lineIndent, styleAt } from "./style.ts";
import type { JsonNode } from "./tree.ts";

/** All edits as splices, made in one pass. No trace is needed: an insertion's place tells what it brought. */
export function editJson(root: JsonNode, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => {
    const editing = new Editing(root);
    edits.forEach((edit, i) => {
      editing.take(edit, i);
    });
    const result = splice(root.scan.text, editing.splices());
    if (result.kind === "overlap") throw new Fault("two of the changes asked for touch the same place", result.offset);
    return { kind: "edited", text: result.text, traces: new Map(), inners: editing.inners };
  });
}

class Editing {
  readonly inners = new Map<number, string>();
  private readonly root: JsonNode;
  private readonly changes = new Map<JsonNode, ContainerChange>();
  private readonly direct: Splice[] = [];
  private readonly cleared: JsonNode[] = [];
  /** Names that are added, to find those that would then stand twice. */
  private readonly added: { readonly into: JsonNode; readonly name: string }[] = [];

  private readonly containerOf = containerFinder((path) => path.reduce(childAt, this.root));

  constructor(root: JsonNode) {
    this.root = root;
  }

  take(edit: Edit, index: number): void {
    if (edit.kind === "set") this.set(edit);
    else if (edit.kind === "remove") this.remove(edit);
    else if (edit.kind === "clear") this.clear(edit);
    else this.insert(edit, index);
  }

  splices(): Splice[] {
    this.refuseNamesStandingTwice();
    const both = this.cleared.find((node) => this.changes.has(node));
    if (both !== undefined) throw new Fault("this container can't be emptied and changed at once", both.start);
    return [...this.direct, ...[...this.changes.values()].flatMap((change) => change.splices())];
  }

  private set({ at, value, text }: SetEdit): void {
    const node = this.find(at);
    if (node.isAbsent) throw new Fault("the text holds no value to replace", 0);
    this.direct.push({
      start: node.start,
      end: node.end,
      text: text ?? (isMap(value) || isList(value) ? containerText(node, value) : renderScalar(value)),
    });
  }

  private remove({ at }: RemoveEdit): void {
    const node = this.find(at);
    const { parent } = node;
    if (parent === undefined) throw new Fault("the whole document can't be removed as an entry", node.start);
    const step = at.at(-1)!;
    // The earlier entry would then count, and we were not asked to take it out too.
    if (typeof step === "string" && parent.isRepeated(step)) {
      throw new Fault(
        `this map has “${step}” twice; delete by hand the one that does not count, then try again`,
        node.entryRanges[0]!.start,
      );
    }
    const { removed } = this.changeOf(parent);
    if (removed.has(node.position)) throw new Fault("this entry is removed twice", node.start);
    removed.add(node.position);
  }

  private clear({ at, inner }: ClearEdit): void {
    const node = this.find(at);
    const cleared = node.kind === "scalar" ? undefined : clearContainer(node, inner);
    if (cleared === undefined) throw new Fault("this can't be emptied: it is not the container it was", node.start);
    this.cleared.push(node);
    this.direct.push(cleared);
  }

  private insert({ into, name, value, place }: InsertEdit, index: number): void {
    const container = this.find(into);
    const needed = name === undefined ? "list" : "map";
    if (container.kind !== needed && !container.isAbsent)
      throw new Fault(
        `an entry can't be added: there is a ${container.kind} where a ${needed} is needed`,
        container.start,
      );
    const members = container.members();
    if (name !== undefined) this.added.push({ into: container, name });
    if (members.length === 0) this.inners.set(index, innerOf(container));
    const order = place === "end" ? 2 : "before" in place ? 1 : 0;
    addTo(this.changeOf(container).additions, slotOf(container, place), { name, value, order });
  }

  private refuseNamesStandingTwice(): void {
    const names = new Map<JsonNode, Set<string>>();
    for (const { into, name } of this.added) {
      const seen = names.get(into) ?? new Set();
      names.set(into, seen);
      const position = into.positionOf(name);
      const stays = position !== undefined && !this.changes.get(into)?.removed.has(position);
      if (stays || seen.has(name)) throw new Fault(`“${name}” can't be added: its map would have it twice`, into.start);
      seen.add(name);
    }
  }

  private changeOf(container: JsonNode): ContainerChange {
    return getOrMake(this.changes, container, () => new ContainerChange(container));
  }

  private find(path: Path): JsonNode {
    return path.length === 0 ? this.root : childAt(this.containerOf(path), path.at(-1)!);
  }
}

function childAt(node: JsonNode, step: string | number): JsonNode {
  const position = node.positionOf(step);
  if (position === undefined)
    throw new Fault(`there is no ${typeof step === "number" ? `position ${step}` : `“${step}”`} here`, node.start);
  return node.child(position);
}

/** The text of a map or list that replaces a value, in the layout of that value or its neighbour. */
function containerText(node: JsonNode, value: Value): string {
  const ownLines = hasLines(node) || indentBefore(node.scan.text, node.entryRanges[0]!.start) !== undefined;
  const place: JsonPlace = ownLines ? { kind: "lines", indent: lineIndent(node) } : { kind: "within" };
  return renderJsonValue(
    value,
    place,
    styleAt(node.parent ?? node),
    node.members().length > 0 ? node : siblingOf(node),
  );
}

/** A neighbour whose layout a new value can copy. */
function siblingOf(node: JsonNode): JsonNode | undefined {
  const { parent, position } = node;
  if (parent === undefined) return undefined;
  const beside = position > 0 ? position - 1 : position + 1;
  return beside < parent.members().length ? parent.child(beside) : undefined;
}

function slotOf(container: JsonNode, place: InsertEdit["place"]): number {
  if (place === "end") return container.members().length;
  const step = "after" in place ? place.after : place.before;
  const position = container.positionOf(step);
  if (position === undefined)
    throw new Fault(
      `there is no ${typeof step === "number" ? `position ${step}` : `“${step}”`} to stand beside`,
      container.start,
    );
  return "after" in place ? position + 1 : position;
}

/**
 * What is to happen to one container's entries. Slot 0 is before the first member, slot i + 1 behind member i. Every
 * entry owns the comma *behind* it: it goes and comes with the entry. The last entry has one only where the author's
 * last entry had one.
 */
class ContainerChange {
  readonly container: JsonNode;
  readonly removed = new Set<number>();
  readonly additions = new Map<number, Addition[]>();

  constructor(container: JsonNode) {
    this.container = container;
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

/** All entries go. Comments beside them stay between the braces. */
function emptyOut(container: JsonNode, removed: ReadonlySet<number>): Splice[] {
  const cuts = cutRuns(container, removed);
  const [start, end] = [container.start + 1, container.end - 1];
  const inside = cuts.map((cut) => ({ ...cut, start: cut.start - start, end: cut.end - start }));
  const left = splice(container.scan.text.slice(start, end), inside);
  return left.kind === "spliced" && isBlank(left.text, 0, left.text.length) ? [{ start, end, text: "" }] : cuts;
}

/** What `clear` gets for a text that held no braces at all. No container's inside looks like this. */
const noBraces = { newlineBehind: "no braces, newline behind", newlineBefore: "no braces, newline before" } as const;

/** What stands between the ends of an empty container, to be given back to `clear`. */
function innerOf(container: JsonNode): string {
  const { text } = container.scan;
  if (!container.isAbsent) return text.slice(container.start + 1, container.end - 1);
  return endsInLine(text) ? noBraces.newlineBehind : noBraces.newlineBefore;
}

function endsInLine(text: string): boolean {
  return /^\ufeff?$|[\r\n]$/.test(text.slice(-1));
}

/** The first entries of a container without any. */
function fillEmpty(container: JsonNode, group: readonly Addition[]): Splice[] {
  if (group.length === 0) return [];
  const { text, eol } = container.scan;
  if (!container.isAbsent) return fillBraces(container, group);
  const [open, close] = group[0]!.name === undefined ? "[]" : "{}";
  const root = `${open}${linesOf(container, group, "  ")}${eol}${close}`;
  return [{ start: text.length, end: text.length, text: endsInLine(text) ? root + eol : eol + root }];
}

function linesOf(container: JsonNode, group: readonly Addition[], indent: string): string {
  const style = styleAt(container);
  return group
    .map(
      (one) => `${style.eol}${indent}${renderEntry(one.name, one.value, { kind: "lines", indent }, style, undefined)}`,
    )
    .join(",");
}

/** On new lines if the container begins a line or spans several, else within its line. Comments stay above. */
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
function clearContainer(container: JsonNode, inner: string): Splice | undefined {
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
