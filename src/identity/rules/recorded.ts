import { field, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import type { PathContext } from "../paths/path-context.ts";
import { fieldInSource, groupFieldKeys, ruleOfType } from "./groups.ts";
import type { IdentitySource, Keys } from "./identify.ts";
import { keyText, parseDottedPath, parseKey, settingKey, settingType } from "./keys.ts";
import { normaliserNamed } from "./normalisers.ts";
import { alternativePrefix, keysOfSource } from "./parts.ts";
import type { CompiledRules, NormaliserName, Part } from "./rule.ts";

/**
 * Key, match and pair of a recorded entry, derived again from what the record kept: a home that moved or a link that
 * was re-pointed since then changes nothing. Undefined where today's rules have no such type, or make its keys of
 * something the record lacks.
 */
export function keysFrom(
  type: string,
  source: IdentitySource,
  rules: CompiledRules,
  ctx: PathContext,
): Keys | undefined {
  if (type === settingType) return settingKeys(source.path ?? "");
  const rule = ruleOfType(type, rules);
  if (rule !== undefined && Object.hasOwn(source, fieldInSource)) return groupFieldKeys(rule, source, ctx);
  return rule && keysOfSource(rule, source, ctx);
}

/**
 * A record's source with what its value says of parts that may be missing: they were no parts of the key in every
 * release of stet.
 */
export function completeSource(
  type: string,
  source: IdentitySource,
  value: Value,
  rules: CompiledRules,
): IdentitySource {
  const fields = rules.byType.get(type)?.mayBeMissing ?? [];
  const added = fields.filter((name) => !Object.hasOwn(source, name) && typeof field(value, name) === "string");
  return added.length === 0
    ? source
    : { ...source, ...Object.fromEntries(added.map((name) => [name, field(value, name) as string])) };
}

export type KeysFromText =
  | { readonly kind: "keys"; readonly type: string; readonly key: Keys["key"]; readonly match: string }
  | { readonly kind: "malformed"; readonly message: string };

/** A key as a person writes it (in `moved`, on the command line), with any spelling of its paths. */
export function keysFromText(text: string, rules: CompiledRules, ctx: PathContext): KeysFromText {
  const parsed = parseKey(text);
  if (parsed.kind === "malformed") return parsed;
  const { type, parts } = parsed;
  if (type === settingType) {
    // A colon needs no escaping in a setting's only part, and people forget it.
    const keys = settingKeys(parts.join(":"));
    return keys
      ? { kind: "keys", type, ...keys }
      : { kind: "malformed", message: `${JSON.stringify(text)} is not the path of a setting` };
  }
  const rule = rules.byType.get(type);
  // The parts of a group's key are no paths as a rule, and nobody types them.
  if (rule === undefined && ruleOfType(type, rules))
    return { kind: "keys", type, key: keyText(type, parts), match: keyText(type, parts) };
  if (rule === undefined)
    return { kind: "malformed", message: `${JSON.stringify(text)}: no rule makes entries of type ${type}` };
  const [least, most] = [rule.key.filter(({ optional }) => !optional).length, rule.key.length];
  if (parts.length < least || parts.length > most) {
    const written = "write a colon inside a part as \\:";
    const many = least === most ? most : `${least} to ${most}`;
    return {
      kind: "malformed",
      message: `${JSON.stringify(text)}: a key of type ${type} has ${many} parts, but this one has ${parts.length}; ${written}`,
    };
  }
  const form = (name: "portable" | "canonical") =>
    keyText(
      type,
      parts.map((part, i) => partFromText(part, rule.key[i]!, ctx, name)),
    );
  return { kind: "keys", type, key: form("portable"), match: form("canonical") };
}

function partFromText(text: string, { alternatives }: Part, ctx: PathContext, form: "portable" | "canonical"): string {
  for (const [index, alternative] of alternatives.entries()) {
    const prefix = alternativePrefix(alternative, index);
    // Several fields in one part can't be told apart in a text; they have no paths in them.
    if (prefix !== "" && text.startsWith(prefix)) {
      if (alternative.fields.length > 1) return text;
      return prefix + normaliserNamed(alternative.normaliser)[form](text.slice(prefix.length), ctx);
    }
  }
  return normaliserNamed(alternatives[0]?.normaliser)[form](text, ctx);
}

/** A dotted path without quotes, as most are: it is written as it is read. */
const isPlainPath = /^[^."]+(?:\.[^."]+)*$/;

function settingKeys(path: string): Keys | undefined {
  const parsed = isPlainPath.test(path) ? undefined : parseDottedPath(path);
  if (parsed?.kind === "malformed") return undefined;
  const key = parsed === undefined ? keyText(settingType, [path]) : settingKey(parsed.segments.map(({ text }) => text));
  return { key, match: key, pair: undefined };
}

/**
 * A value for comparing: paths and commands that a rule names as such are resolved, with the home as `~`; all else is
 * as it is.
 */
export function normaliseValue(type: string, value: Value, rules: CompiledRules, ctx: PathContext): Value {
  return changeValue(type, value, rules, (name, text) => normaliserNamed(name).comparable(text, ctx));
}

/**
 * A value for hashing: like the one for comparing, but links stay as they were written, so that it is the same
 * tomorrow.
 */
export function portableValue(type: string, value: Value, rules: CompiledRules, ctx: PathContext): Value {
  return changeValue(type, value, rules, (name, text) => normaliserNamed(name).recorded(text, ctx));
}

type Change = (name: NormaliserName, text: string) => string;

function changeValue(type: string, value: Value, rules: CompiledRules, change: Change): Value {
  const changed = rules.byType.get(type)?.normalised;
  if (changed === undefined || changed.size === 0) return value;
  if (!isMap(value)) {
    const name = changed.get("value");
    return name !== undefined && typeof value === "string" ? change(name, value) : value;
  }
  const texts = new Map<string, string | undefined>();
  for (const [name, normaliser] of changed) {
    const written = field(value, name);
    if (typeof written !== "string") continue;
    const text = change(normaliser, written);
    // What says the same as nothing is nothing: a matcher for everything.
    const isNothing = text === normaliserNamed(normaliser).missing;
    if (isNothing || text !== written) texts.set(name, isNothing ? undefined : text);
  }
  // Nearly always so: one value less for each side of each entry.
  return texts.size === 0 ? value : withTexts(value, texts);
}

function withTexts(value: ValueMap, texts: ReadonlyMap<string, string | undefined>): Value {
  return mapOf(
    Object.keys(value).flatMap((name) => {
      const changed = texts.has(name) ? texts.get(name) : value[name];
      return changed === undefined ? [] : [[name, changed] as const];
    }),
  );
}
