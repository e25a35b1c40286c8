import { Exact, type Value } from "../../core/value.ts";
import type { Node } from "../../formats/format.ts";
import type { PathContext } from "../paths/path-context.ts";
import type { IdentitySource, Keys } from "./identify.ts";
import { keyText } from "./keys.ts";
import { type Normaliser, normaliserNamed } from "./normalisers.ts";
import type { Alternative, CompiledRule, NormaliserName, Part } from "./rule.ts";

/**
 * How the field of an entry reads; undefined where there is none. One that is there and no text is not the same as
 * none.
 */
export type FieldText = (
  field: string,
  normaliser: NormaliserName | undefined,
) => string | undefined | typeof unreadable;
export const unreadable = Symbol("unreadable");

export type SourceResult =
  | { readonly kind: "source"; readonly source: IdentitySource }
  | { readonly kind: "missing"; readonly field: string };

/** The texts that key and pair are made of. What only the pair would need may be missing: then there is no pair. */
export function sourceOf(rule: CompiledRule, textOf: FieldText, ctx: PathContext): SourceResult {
  const source = new Map<string, string>();
  for (const part of rule.key) {
    const { alternatives, optional } = part;
    const chosen = alternatives.find((alternative) => collect(alternative, rule, textOf, ctx, source));
    if (chosen !== undefined || optional) continue;
    return { kind: "missing", field: alternatives.map(({ fields }) => fields.join("+")).join(" or ") };
  }
  for (const { alternatives } of rule.pair ?? [])
    alternatives.find((alternative) => collect(alternative, rule, textOf, ctx, source));
  return { kind: "source", source: Object.fromEntries(source) };
}

/** Adds the fields of an alternative to the source, if all of them are there. */
function collect(
  alternative: Alternative,
  rule: CompiledRule,
  textOf: FieldText,
  ctx: PathContext,
  source: Map<string, string>,
): boolean {
  const { fields, normaliser } = alternative;
  const texts: string[] = [];
  for (const field of fields) {
    const text = textOf(field, normaliser) ?? normaliserNamed(normaliser).missing;
    if (typeof text !== "string") return false;
    texts.push(text);
  }
  for (let i = 0; i < fields.length; i++)
    if (!source.has(fields[i]!)) source.set(fields[i]!, recordedText(texts[i]!, fields[i]!, rule, ctx));
  return true;
}

function recordedText(text: string, field: string, rule: CompiledRule, ctx: PathContext): string {
  return recordedForm(rule, field)?.(text, ctx) ?? text;
}

/**
 * How a record keeps a field. One that key and pair read in different ways is kept as it is: only then can both be
 * derived again.
 */
function recordedForm(rule: CompiledRule, field: string): Normaliser["recorded"] | undefined {
  let forms = recordedForms.get(rule);
  if (forms === undefined) {
    forms = new Map([...rule.readings.keys()].map((name) => [name, findRecordedForm(rule, name)]));
    recordedForms.set(rule, forms);
  }
  return forms.get(field);
}

const recordedForms = new WeakMap<CompiledRule, ReadonlyMap<string, Normaliser["recorded"] | undefined>>();

function findRecordedForm(rule: CompiledRule, field: string): Normaliser["recorded"] | undefined {
  let form: Normaliser["recorded"] | undefined;
  for (const name of rule.readings.get(field) ?? []) {
    const { recorded } = normaliserNamed(name);
    if (form !== undefined && form !== recorded) return undefined;
    form = recorded;
  }
  return form;
}

/**
 * Key, match and pair of a source; undefined where it lacks a part of the key (the rules may have changed since it was
 * recorded).
 */
export function keysOfSource(rule: CompiledRule, source: IdentitySource, ctx: PathContext): Keys | undefined {
  const known = knownKeys(rule, ctx);
  const text = sourceText(source);
  let keys = known.get(text);
  if (keys === undefined && !known.has(text)) {
    keys = makeKeys(rule, source, ctx);
    known.set(text, keys);
  }
  return keys;
}

/** The template, the file and the record of an entry ask for the same keys: they are made once, and kept once. */
const keysByContext = new WeakMap<PathContext, WeakMap<CompiledRule, Map<string, Keys | undefined>>>();

function knownKeys(rule: CompiledRule, ctx: PathContext): Map<string, Keys | undefined> {
  const byRule = keysByContext.get(ctx) ?? new WeakMap<CompiledRule, Map<string, Keys | undefined>>();
  const known = byRule.get(rule) ?? new Map<string, Keys | undefined>();
  if (known.size === 0) keysByContext.set(ctx, byRule.set(rule, known));
  return known;
}

/** Another text for another source: the lengths say where one ends and the next begins. */
function sourceText(source: IdentitySource): string {
  let text = "";
  for (const name in source) text += `${name.length} ${source[name]!.length} ${name}${source[name]}`;
  return text;
}

function makeKeys(rule: CompiledRule, source: IdentitySource, ctx: PathContext): Keys | undefined {
  const shown = partTexts(rule.key, source, portableForm(rule, ctx));
  const compared = partTexts(rule.key, source, canonicalForm(ctx));
  const paired = rule.pair && partTexts(rule.pair, source, canonicalForm(ctx));
  if (shown === undefined || compared === undefined) return undefined;
  return {
    key: keyText(rule.type, shown),
    match: keyText(rule.type, compared),
    pair: paired && keyText(rule.type, paired),
  };
}

/** The parts of a key that a source has, for showing and for comparing. */
export function keyTexts(
  rule: CompiledRule,
  source: IdentitySource,
  ctx: PathContext,
): { shown: readonly string[]; compared: readonly string[] } {
  const parts = rule.key.map((part) => ({ ...part, optional: true }));
  return {
    shown: partTexts(parts, source, portableForm(rule, ctx)) ?? [],
    compared: partTexts(parts, source, canonicalForm(ctx)) ?? [],
  };
}

function portableForm(rule: CompiledRule, ctx: PathContext): PartForm {
  return ({ portable }, field, text) => (recordedForm(rule, field) === portable ? text : portable(text, ctx));
}

function canonicalForm(ctx: PathContext): PartForm {
  return (normaliser, _field, text) => normaliser.canonical(text, ctx);
}

type PartForm = (normaliser: Normaliser, field: string, text: string) => string;

function partTexts(parts: readonly Part[], source: IdentitySource, form: PartForm): readonly string[] | undefined {
  const texts: string[] = [];
  for (const { alternatives, optional } of parts) {
    const chosen = alternatives.findIndex(({ fields }) => fields.every((field) => Object.hasOwn(source, field)));
    const alternative = alternatives[chosen];
    if (alternative === undefined && optional) continue;
    if (alternative === undefined) return undefined;
    const normaliser = normaliserNamed(alternative.normaliser);
    const values = alternative.fields.map((field) => form(normaliser, field, source[field] ?? ""));
    texts.push(alternativePrefix(alternative, chosen) + joinFields(values));
  }
  return texts;
}

/** A command and an address that read the same are two things: all but the first alternative say what they are. */
export function alternativePrefix({ fields }: Alternative, index: number): string {
  return index === 0 ? "" : `${fields.join("+")}=`;
}

function joinFields(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? "") : values.map((value) => value.replace(/[+\\]/g, "\\$&")).join("+");
}

/**
 * The text of a field: of a scalar what it says, of a package with options its name. Null says nothing, like a field
 * that is not there.
 */
export function textOfNode(
  node: Node | undefined,
  normaliser: NormaliserName | undefined,
): string | undefined | typeof unreadable {
  if (node === undefined) return undefined;
  if (node.kind === "scalar") return scalarText(node.value());
  return (node.kind === "list" && normaliser === "package" && textOfNode(node.items()[0], undefined)) || unreadable;
}

function scalarText(value: Value): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof Exact) return value.text;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
