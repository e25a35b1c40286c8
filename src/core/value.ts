/**
 * What an entry holds. Plain JSON data, plus `Exact` for the scalars a JavaScript value can't hold without changing
 * them. Maps are objects without a prototype trap: always read them through `Object.hasOwn`/`Object.keys` (a key may be
 * `__proto__`).
 */
export type Value = null | boolean | number | string | Exact | readonly Value[] | ValueMap;
export interface ValueMap {
  readonly [name: string]: Value;
}

/**
 * A scalar kept as it was written: a number that a double can't hold (`12345678901234567890`, `1e999`), a TOML date,
 * `nan`, `inf`. Two of them are equal when kind and text are.
 */
export class Exact {
  readonly kind: "number" | "datetime" | "float";
  readonly text: string;
  constructor(kind: "number" | "datetime" | "float", text: string) {
    this.kind = kind;
    this.text = text;
  }

  /** JSON has no such scalar: for those who look for it before they write, this says that there is one. */
  toJSON(): unknown {
    return { $exact: this.kind, text: this.text };
  }
}

export function isMap(value: Value | undefined): value is ValueMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Exact);
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/**
 * A map from pairs; later pairs win, and `__proto__` is a name like any other: pairs are defined, not assigned. An
 * object like any other, since the engine keeps those without a prototype as hash tables, several times as large and as
 * slow.
 */
export function mapOf(pairs: Iterable<readonly [string, Value]>): ValueMap {
  return Object.fromEntries(pairs);
}

/** The field of a map, or undefined: never something inherited. */
export function field(value: Value | undefined, name: string): Value | undefined {
  return isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Equal up to the order of map keys. Numbers by value, `Exact` by kind and text. */
export function equalValues(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === null || b === null) return false;
  if (a instanceof Exact || b instanceof Exact)
    return a instanceof Exact && b instanceof Exact && a.kind === b.kind && a.text === b.text;
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, i) => equalValues(item, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && equalValues(a[name], b[name]))
  );
}

/**
 * One text for one value: keys sorted by code unit, `Exact` numbers as written, other `Exact`s tagged. Hashes are taken
 * of this.
 */
export function canonicalText(value: Value): string {
  if (value instanceof Exact)
    return value.kind === "number" ? value.text : `{"$${value.kind}":${JSON.stringify(value.text)}}`;
  if (isList(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (isMap(value)) {
    const fields = Object.keys(value)
      .sort()
      .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name]!)}`);
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(value);
}

/** The value of a JSON number as written: a double where it says the same, else `Exact`. */
export function numberFromText(text: string): number | Exact {
  const number = Number(text);
  if (Number.isSafeInteger(number) && !/[.eE]/.test(text)) return number;
  return Number.isFinite(number) && sameDecimal(text, String(number)) ? number : new Exact("number", text);
}

/** Whether two decimal spellings name one number: `1.50` and `1.5`, `1e3` and `1000`. */
function sameDecimal(a: string, b: string): boolean {
  const [x, y] = [scientific(a), scientific(b)];
  return x.digits === y.digits && x.exponent === y.exponent && (x.negative === y.negative || x.digits === "");
}

function scientific(text: string): { negative: boolean; digits: string; exponent: number } {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return { negative: false, digits: text, exponent: 0 };
  const [, sign = "", whole = "", fraction = "", power = "0"] = match;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = withoutZerosAtEnd(all);
  return {
    negative: sign === "-",
    digits,
    exponent: digits === "" ? 0 : Number(power) - fraction.length + (all.length - digits.length),
  };
}

/** By hand: the pattern `0+$` begins anew at each zero, and takes minutes for a number of 100,000 digits. */
function withoutZerosAtEnd(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether a JSON text has more values than this, by its brackets and commas and without building any of them: `{},` ten
 * million times is a short text, and takes all the memory there is. Comments count as text, so they may add to it. A
 * text so short that it can't have as many is not looked at.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  // A value and what parts it from the next take two characters.
  if (text.length / 2 <= limit) return false;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at);
    else if (isOpening(sign) || sign === 0x2c) values++;
    if (values > limit) return true;
  }
  return false;
}

/** `{` and `[`. */
function isOpening(sign: number): boolean {
  return sign === 0x7b || sign === 0x5b;
}

/** Where the closing quote of a JSON text stands that begins at `start`, or the end of all. */
export function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}

/** The fields that are not undefined. */
export function defined<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as typeof fields;
}

/** Whether an object has no field, without a list of their names: there may be very many. */
export function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
