import { containerFinder, type Edit, type InsertEdit, type InsertPlace, type Path } from "../format.ts";

/**
 * Stands for a container whose entries were all taken out by `clear`: its format may spell that `{}`, `[]` or nothing
 * at all.
 */
export const emptied: unique symbol = Symbol("emptied");

type Applied =
  | { readonly kind: "data"; readonly data: unknown }
  | { readonly kind: "impossible"; readonly message: string };

/**
 * Makes the edits on plain data as a reader returned it (objects, arrays, Maps), changing it in place: the caller has
 * just parsed it. Positions in lists are those of the document as read, so every list is rebuilt once, after all its
 * edits are known.
 */
export function applyToData(data: unknown, edits: readonly Edit[]): Applied {
  const top: Slot = { holder: [data], step: 0 };
  const lists = new Map<unknown[], ListChanges>();
  const places: Slot[] = [];
  // All paths are looked up before anything changes: they are paths of the document as it was read.
  const slotAt = slotFinder(top);
  for (const edit of edits) {
    const slot = slotAt(edit.kind === "insert" ? edit.into : edit.at);
    if (slot === undefined)
      return {
        kind: "impossible",
        message: `there is nothing at ${describePath(edit.kind === "insert" ? edit.into : edit.at)}`,
      };
    places.push(slot);
  }
  edits.forEach((edit, i) => {
    if (edit.kind === "insert") ensureContainer(places[i]!, edit);
  });
  edits.forEach((edit, i) => {
    applyOne(edit, places[i]!, lists);
  });
  for (const [list, changes] of lists) rebuild(list, changes);
  return { kind: "data", data: (top.holder as unknown[])[0] };
}

/** Where a value hangs: a container and the step into it. */
interface Slot {
  readonly holder: unknown;
  readonly step: string | number;
}

interface ListChanges {
  readonly removed: Set<number>;
  readonly before: Map<number, unknown[]>;
  readonly after: Map<number, unknown[]>;
  readonly atEnd: unknown[];
}

/** Where paths lead; undefined where there is nothing. */
function slotFinder(top: Slot): (path: Path) => Slot | undefined {
  const follow = (holder: unknown, step: string | number) =>
    hasStep(holder, step) ? readSlot({ holder, step }) : undefined;
  const holderOf = containerFinder((path) => path.reduce(follow, readSlot(top)));
  return (path) => {
    const step = path.at(-1);
    if (step === undefined) return top;
    const holder = holderOf(path);
    return hasStep(holder, step) ? { holder, step } : undefined;
  };
}

function hasStep(holder: unknown, step: string | number): boolean {
  if (Array.isArray(holder)) return typeof step === "number" && step >= 0 && step < holder.length;
  if (holder instanceof Map) return holder.has(step);
  return typeof holder === "object" && holder !== null && typeof step === "string" && Object.hasOwn(holder, step);
}

function readSlot({ holder, step }: Slot): unknown {
  if (holder instanceof Map) return holder.get(step);
  return (holder as Record<string | number, unknown>)[step];
}

function writeStep(holder: unknown, step: string | number, value: unknown): void {
  if (holder instanceof Map) holder.set(step, value);
  // Not an assignment where that means something else: `__proto__` is a name like any other.
  else if (step !== "__proto__") (holder as Record<string | number, unknown>)[step] = value;
  else Object.defineProperty(holder, step, { value, enumerable: true, configurable: true, writable: true });
}

/** An insertion may find nothing where its format sees an empty container (`key:` in YAML, an empty file). */
function ensureContainer(slot: Slot, edit: InsertEdit): void {
  const value = readSlot(slot);
  if (value === null || value === undefined) writeStep(slot.holder, slot.step, edit.name === undefined ? [] : {});
}

function applyOne(edit: Edit, slot: Slot, lists: Map<unknown[], ListChanges>): void {
  if (edit.kind === "set") writeStep(slot.holder, slot.step, edit.value);
  else if (edit.kind === "clear") writeStep(slot.holder, slot.step, emptied);
  else if (edit.kind === "remove") removeStep(slot, lists);
  else {
    const container = readSlot(slot);
    if (edit.name !== undefined) writeStep(container, edit.name, edit.value);
    else if (Array.isArray(container)) noteInsertion(changesOf(lists, container), edit.place, edit.value);
  }
}

function removeStep({ holder, step }: Slot, lists: Map<unknown[], ListChanges>): void {
  if (holder instanceof Map) holder.delete(step);
  else if (Array.isArray(holder)) changesOf(lists, holder).removed.add(step as number);
  else delete (holder as Record<string, unknown>)[step];
}

function changesOf(lists: Map<unknown[], ListChanges>, list: unknown[]): ListChanges {
  let changes = lists.get(list);
  if (changes === undefined) {
    changes = { removed: new Set(), before: new Map(), after: new Map(), atEnd: [] };
    lists.set(list, changes);
  }
  return changes;
}

function noteInsertion(changes: ListChanges, place: InsertPlace, value: unknown): void {
  if (place === "end") changes.atEnd.push(value);
  else if ("after" in place) append(changes.after, place.after as number, value);
  else append(changes.before, place.before as number, value);
}

function append(groups: Map<number, unknown[]>, position: number, value: unknown): void {
  const group = groups.get(position);
  if (group === undefined) groups.set(position, [value]);
  else group.push(value);
}

function rebuild(list: unknown[], { removed, before, after, atEnd }: ListChanges): void {
  const items = list.splice(0);
  items.forEach((item, i) => {
    for (const added of before.get(i) ?? []) list.push(added);
    if (!removed.has(i)) list.push(item);
    for (const added of after.get(i) ?? []) list.push(added);
  });
  for (const item of atEnd) list.push(item);
}

export function describePath(path: Path): string {
  if (path.length === 0) return "the top";
  return path.map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${step}`)).join("");
}
