import { Exact } from "../../core/value.ts";
import { describePath, emptied } from "./apply.ts";

/**
 * Where meant and made data part, in words, or undefined where they don't. The order of names does not count.
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
