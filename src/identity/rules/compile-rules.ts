import { readQuoted, settingType } from "./keys.ts";
import {
  type Alternative,
  type CompiledRule,
  type CompileResult,
  type NormaliserName,
  normaliserNames,
  type Part,
  type PartText,
  type Rule,
  type RuleStep,
} from "./rule.ts";

/** Checks rules and takes their texts apart, once. */
export function compileRules(rules: readonly Rule[]): CompileResult {
  const compiled: CompiledRule[] = [];
  const byType = new Map<string, CompiledRule>();
  for (const [index, rule] of rules.entries()) {
    const result = compileRule(rule);
    if (typeof result === "string") return malformed(index, rule, result);
    const other = byType.get(rule.type);
    if (other !== undefined && !sameKeys(other, result)) {
      return malformed(
        index,
        rule,
        `another rule of type ${rule.type} builds its keys from other parts; give one of them its own type`,
      );
    }
    if (other === undefined) byType.set(rule.type, result);
    compiled.push(result);
  }
  const taken = rules.findIndex(({ type }) => byType.has(type.replace(/-group$/, "")) && type.endsWith("-group"));
  if (taken !== -1)
    return malformed(taken, rules[taken]!, "types that end in -group are the fields of groups; choose another name");
  return { kind: "compiled", rules: { rules: compiled, byType } };
}

function malformed(index: number, rule: Rule, why: string): CompileResult {
  return { kind: "malformed", index, message: `rule ${JSON.stringify(rule)}: ${why}` };
}

/** A string says what is wrong. */
function compileRule(rule: Rule): CompiledRule | string {
  if (!/^[A-Za-z][\w-]*$/.test(rule.type)) return `a type is one word, not ${JSON.stringify(rule.type)}`;
  if (rule.type === settingType) return `the type ${settingType} is for what no rule covers; choose another name`;
  const at = parseRulePath(rule.at);
  if (typeof at === "string") return `at ${JSON.stringify(rule.at)}: ${at}`;
  if (rule.key.length === 0) return "a key needs at least one part";
  const key = compileParts(rule.key, at);
  if (typeof key === "string") return key;
  const pair = rule.pair === undefined ? undefined : compileParts(rule.pair, at);
  if (typeof pair === "string") return pair;
  const readings = readingsOf([...key, ...(pair ?? [])]);
  const mayBeMissing = key
    .filter(({ optional }) => optional)
    .flatMap(({ alternatives }) => alternatives.flatMap(({ fields }) => fields));
  const normalised = normalisedFields(readings, at);
  const { type, position = "beside", single = false } = rule;
  const isNamedList = at.findIndex((step) => step.kind !== "name") === at.length - 1 && at.at(-1)?.kind === "items";
  if (single && (!isNamedList || at.length === 1)) return "single only works for a list below a name: name[]";
  return { type, at, key, pair, position, single, readings, normalised, mayBeMissing };
}

function normalisedFields(allReadings: CompiledRule["readings"], at: readonly RuleStep[]): CompiledRule["normalised"] {
  const fields = new Map<string, NormaliserName>();
  for (const [name, readings] of allReadings) {
    const reading = [...readings].find((each) => each !== undefined && each !== "package");
    if (reading !== undefined && !at.some((step) => step.kind === "capture" && step.name === name))
      fields.set(name, reading);
  }
  return fields;
}

function readingsOf(parts: readonly Part[]): CompiledRule["readings"] {
  const readings = new Map<string, Set<NormaliserName | undefined>>();
  for (const { fields, normaliser } of parts.flatMap(({ alternatives }) => alternatives)) {
    for (const field of fields) readings.set(field, (readings.get(field) ?? new Set()).add(normaliser));
  }
  return readings;
}

function compileParts(texts: readonly PartText[], at: readonly RuleStep[]): readonly Part[] | string {
  const parts: Part[] = [];
  for (const text of texts) {
    const optional = typeof text === "string" && text.endsWith("?");
    if (!optional && parts.at(-1)?.optional)
      return `part ${JSON.stringify(text)}: a part that may be missing must come last`;
    const alternatives: Alternative[] = [];
    for (const each of typeof text === "string" ? [optional ? text.slice(0, -1) : text] : text) {
      const alternative = compileAlternative(each, at);
      if (typeof alternative === "string") return `part ${JSON.stringify(each)}: ${alternative}`;
      alternatives.push(alternative);
    }
    if (alternatives.length === 0) return "a list of alternatives is empty";
    parts.push({ alternatives, optional });
  }
  return parts;
}

function compileAlternative(text: string, at: readonly RuleStep[]): Alternative | string {
  const [names = "", normaliser, ...more] = text.split("|");
  if (more.length > 0) return "only one normaliser may follow";
  if (normaliser !== undefined && !isNormaliser(normaliser))
    return `there is no normaliser ${normaliser}; known are ${normaliserNames.join(", ")}`;
  const fields: string[] = [];
  for (const name of names.split("+")) {
    const capture = /^\{(.*)\}$/.exec(name)?.[1];
    if (capture !== undefined && !at.some((step) => step.kind === "capture" && step.name === capture))
      return `the path captures no {${capture}}`;
    if (name === "" || (capture === undefined && /[{}?]/.test(name)))
      return "a part is the name of a field, a {capture} of the path, or value";
    fields.push(capture ?? name);
  }
  return { fields, normaliser };
}

function isNormaliser(name: string): name is NormaliserName {
  return (normaliserNames as readonly string[]).includes(name);
}

function sameKeys(a: CompiledRule, b: CompiledRule): boolean {
  return JSON.stringify([a.key, a.pair]) === JSON.stringify([b.key, b.pair]);
}

/** Reads the `at` of a rule, such as `hooks.{event}[].hooks[]`. A string says what is wrong with it. */
export function parseRulePath(text: string): readonly RuleStep[] | string {
  const steps: RuleStep[] = [];
  let start = 0;
  // The root itself may be a list.
  for (; text.startsWith("[]", start); start += 2) steps.push({ kind: "items" });
  if (start > 0 && start === text.length) return steps;
  if (start > 0 && text.charAt(start) !== ".")
    return `a dot or [] is expected before ${JSON.stringify(text.slice(start))}`;
  for (let at = start > 0 ? start + 1 : 0; ; at++) {
    const read = readStep(text, at);
    if (typeof read === "string") return read;
    const { step } = read;
    if (step.kind === "capture" && steps.some((other) => other.kind === "capture" && other.name === step.name)) {
      return `{${step.name}} is captured twice`;
    }
    steps.push(step);
    at = read.end;
    for (; text.startsWith("[]", at); at += 2) steps.push({ kind: "items" });
    if (at === text.length) return steps;
    if (text.charAt(at) !== ".") return `a dot or [] is expected before ${JSON.stringify(text.slice(at))}`;
  }
}

function readStep(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  if (text.charAt(at) === '"') {
    const read = readQuoted(text, at);
    return typeof read === "string" ? read : { step: { kind: "name", name: read.segment.text }, end: read.end };
  }
  return text.charAt(at) === "{" ? readCapture(text, at) : readName(text, at);
}

function readCapture(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  const close = text.indexOf("}", at);
  if (close === -1) return "a { is not closed";
  const name = text.slice(at + 1, close);
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `a capture is named by a word, not ${JSON.stringify(name)}`;
  if (name === "value") return "a capture can't be named value, which means the item itself";
  return { step: { kind: "capture", name }, end: close + 1 };
}

function readName(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  const rest = text.slice(at);
  const end = at + (rest.search(/[.[\]{}"]/) === -1 ? rest.length : rest.search(/[.[\]{}"]/));
  if (end === at) return 'a name is missing; an odd name is written in quotes, an empty one as ""';
  return { step: { kind: "name", name: text.slice(at, end) }, end };
}
