import { addTo, getOrMake } from "../../core/lists.ts";
import { Exact } from "../../core/value.ts";
import { containerFinder, type Edit, type InsertEdit, type Path } from "../format.ts";

/**
 * Where meant and made data first differ, in words; undefined where they don't. The order of names does not count.
 * `meant` may hold `Exact`s (from edits) beside what a reader returned: Dates, bigints, NaN, Maps.
 */
export function compareData(meant: unknown, made: unknown): string | undefined {
  // A document without content may come out of a reader as nothing or as an empty map.
  if (isNothing(meant) || isNothing(made)) {
    const content = isNothing(meant) ? made : meant;
    if (meant === emptied && Array.isArray(made) && made.length === 0) return undefined;
    return isNothing(content) || (isContainer(content) && !Array.isArray(content) && isEmpty(content))
      ? undefined
      : "the top";
  }
  const path = difference(meant, made);
  return path === undefined ? undefined : describePath(path.reverse());
}

function isNothing(data: unknown): boolean {
  return data === null || data === undefined || data === emptied;
}

/** The path to the first difference, innermost step first (built only when there is one), or undefined. */
function difference(meant: unknown, made: unknown): (string | number)[] | undefined {
  if (meant === made) return undefined;
  if (Array.isArray(meant)) return Array.isArray(made) ? differenceOfLists(meant, made) : [];
  if (isContainer(meant)) return isContainer(made) && !Array.isArray(made) ? differenceOfMaps(meant, made) : [];
  return sameScalar(meant, made) ? undefined : [];
}

function differenceOfLists(meant: unknown[], made: unknown[]): (string | number)[] | undefined {
  const length = Math.min(meant.length, made.length);
  for (let i = 0; i < length; i++) {
    const path = difference(meant[i], made[i]);
    if (path !== undefined) return withStep(path, i);
  }
  return meant.length === made.length ? undefined : [length];
}

function differenceOfMaps(meant: object, made: object): (string | number)[] | undefined {
  if (meant instanceof Map || made instanceof Map) return differenceOfMaps(plainOf(meant), plainOf(made));
  let surplus = 0;
  for (const name in meant) {
    surplus--;
    const other = (made as Record<string, unknown>)[name];
    // Looking before asking who owns it: nearly always it is there, and this runs over every entry of the document.
    if ((other === undefined || name === "__proto__") && !Object.hasOwn(made, name)) return [name];
    const path = difference((meant as Record<string, unknown>)[name], other);
    if (path !== undefined) return withStep(path, name);
  }
  for (const _ in made) surplus++;
  return surplus === 0 ? undefined : [Object.keys(made).find((name) => !Object.hasOwn(meant, name)) ?? ""];
}

/** A `Map` as an object without a prototype, so that there is one way to compare. */
function plainOf(map: object): object {
  if (!(map instanceof Map)) return map;
  const plain: Record<string, unknown> = Object.create(null);
  for (const [name, value] of map) plain[String(name)] = value;
  return plain;
}

function withStep(path: (string | number)[], step: string | number): (string | number)[] {
  path.push(step);
  return path;
}

function isContainer(data: unknown): data is object {
  return typeof data === "object" && data !== null && !(data instanceof Date) && !(data instanceof Exact);
}

function isEmpty(map: object): boolean {
  return map instanceof Map ? map.size === 0 : Object.keys(map).length === 0;
}

function sameScalar(meant: unknown, made: unknown): boolean {
  if (meant === emptied) return made === null || made === undefined || (isContainer(made) && isEmpty(made));
  if (meant instanceof Exact) return sameAsExact(meant, made);
  if (meant instanceof Date)
    return made instanceof Date && (Object.is(meant.getTime(), made.getTime()) || sameMoment(meant, made));
  if (typeof meant === "number" && typeof made === "bigint") return Number.isInteger(meant) && BigInt(meant) === made;
  if (typeof meant === "bigint" && typeof made === "number") return sameScalar(made, meant);
  return Object.is(meant, made);
}

/** Dates of local times have no moment; TOML readers still spell them. */
function sameMoment(a: Date, b: Date): boolean {
  return spellingOf(a) !== undefined && spellingOf(a) === spellingOf(b);
}

function spellingOf(date: Date): string | undefined {
  try {
    return date.toISOString();
  } catch {
    return undefined;
  }
}

function sameAsExact({ kind, text }: Exact, made: unknown): boolean {
  if (made === text) return true;
  if (kind === "datetime") return made instanceof Date && sameDatetime(text, made);
  const plain = text.replaceAll("_", "").toLowerCase();
  if (typeof made === "bigint")
    return /^[+-]?(\d+|0x[0-9a-f]+|0o[0-7]+|0b[01]+)$/.test(plain) && BigInt(plain.replace(/^\+/, "")) === made;
  return typeof made === "number" && Object.is(numberOf(plain), made);
}

function sameDatetime(text: string, made: Date): boolean {
  const canonical = (spelling: string) =>
    spelling
      .toUpperCase()
      .replace(" ", "T")
      .replace(/(?<=^|T)\d\d:\d\d(?![:\d])/, "$&:00")
      .replace(/\.\d+/, shortFraction);
  const spelling = spellingOf(made);
  return (
    (spelling !== undefined && canonical(spelling) === canonical(text)) ||
    Date.parse(text.replace(" ", "T")) === made.getTime()
  );
}

/** `.500` as `.5`, `.000` as nothing. */
function shortFraction(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === "0") end--;
  return end === 1 ? "" : fraction.slice(0, end);
}

function numberOf(text: string): number {
  const special = /^([+-]?)\.?(inf|nan)$/.exec(text);
  if (special === null) return Number(text);
  if (special[2] === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A container that `clear` emptied: its format may spell that `{}`, `[]` or nothing at all. */
export const emptied: unique symbol = Symbol("emptied");

type Applied =
  | { readonly kind: "data"; readonly data: unknown }
  | { readonly kind: "impossible"; readonly message: string };

/**
 * Makes the edits on plain data as a reader returned it, in place. Positions in lists are those of the document as
 * read, so every list is rebuilt once, after all its edits are known.
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
  for (const [i, edit] of edits.entries()) if (edit.kind === "insert") ensureContainer(places[i]!, edit);
  for (const [i, edit] of edits.entries()) applyOne(edit, places[i]!, lists);
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
  const isItem = edit.name === undefined;
  const isNothing = value === null || value === undefined || (isItem && edit.into.length === 0 && isEmptyMap(value));
  if (isNothing) writeStep(slot.holder, slot.step, isItem ? [] : {});
}

/** What readers make of an empty file, which may become a list as well. */
function isEmptyMap(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0;
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value!).length === 0;
}

function applyOne(edit: Edit, slot: Slot, lists: Map<unknown[], ListChanges>): void {
  const { holder, step } = slot;
  const changesOf = (list: unknown[]) =>
    getOrMake(lists, list, (): ListChanges => ({ removed: new Set(), before: new Map(), after: new Map(), atEnd: [] }));
  if (edit.kind === "set") writeStep(holder, step, edit.value);
  else if (edit.kind === "clear") writeStep(holder, step, emptied);
  else if (edit.kind === "remove") {
    if (holder instanceof Map) holder.delete(step);
    else if (Array.isArray(holder)) changesOf(holder).removed.add(step as number);
    else delete (holder as Record<string, unknown>)[step];
  } else {
    const { name, place, value } = edit;
    const container = readSlot(slot);
    if (name !== undefined) writeStep(container, name, value);
    else if (Array.isArray(container)) {
      const { atEnd, after, before } = changesOf(container);
      if (place === "end") atEnd.push(value);
      else if ("after" in place) addTo(after, place.after as number, value);
      else addTo(before, place.before as number, value);
    }
  }
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
