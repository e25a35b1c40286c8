import { field, isMap, type Value, type ValueMap } from "../core/value.ts";

/** A text in an entry that one side added, and what the other side made of that text in the entries beside it. */
export interface Outdated {
  /** From the added entry. */
  readonly path: readonly string[];
  readonly written: string;
  readonly replacement: string;
}

/** By field and text: the one text that stands in its place wherever an entry had it; undefined where there is none. */
type Replacements = ReadonlyMap<string, string | undefined>;

/** The texts that one side replaced wherever entries had them in one field, such as a version that packages share. */
export function replacementsIn(base: ValueMap, changed: ValueMap): Replacements {
  const found = new Map<string, string | undefined>();
  for (const name of Object.keys(base)) {
    const now = field(changed, name);
    if (now === undefined) continue;
    for (const { path, text } of textsIn(base[name]!)) {
      const [key, other] = [keyOf(path, text), valueAt(now, path)];
      const isReplaced = typeof other === "string" && other !== text && (!found.has(key) || found.get(key) === other);
      found.set(key, isReplaced ? other : undefined);
    }
  }
  return found;
}

/** What of an added entry the other side has left behind. */
export function outdatedIn(added: Value, replacements: Replacements): Outdated[] {
  return textsIn(added).flatMap(({ path, text }) => {
    const replacement = replacements.get(keyOf(path, text));
    return replacement === undefined ? [] : [{ path, written: text, replacement }];
  });
}

/** The entry with what the other side made of its outdated texts. */
export function broughtUpToDate(added: Value, outdated: readonly Outdated[]): Value {
  return outdated.reduce((value, { path, replacement }) => withText(value, path, replacement), added);
}

function keyOf(path: readonly string[], text: string): string {
  return JSON.stringify([path, text]);
}

function valueAt(value: Value, path: readonly string[]): Value | undefined {
  return path.reduce((inner: Value | undefined, name) => (isMap(inner) ? field(inner, name) : undefined), value);
}

function textsIn(value: Value, path: readonly string[] = []): { path: readonly string[]; text: string }[] {
  if (typeof value === "string") return value === "" ? [] : [{ path, text: value }];
  return isMap(value) ? Object.keys(value).flatMap((name) => textsIn(value[name]!, [...path, name])) : [];
}

function withText(value: Value, [name, ...rest]: readonly string[], text: string): Value {
  return name === undefined || !isMap(value) ? text : { ...value, [name]: withText(value[name]!, rest, text) };
}
