import type { Diagnostic } from "../../core/diagnostic.ts";
import type { PlanDocument, PlanEntry } from "../../core/plan-document.ts";
import { isList, isMap, mapOf, type Value, type ValueMap } from "../../core/value.ts";
import { maskArguments } from "./commands.ts";
import { maskLines } from "./lines.ts";
import { looksSecret } from "./shapes.ts";
import { maskInText, maskText } from "./text.ts";

export { looksSecret, maskLines, maskText };

/** A value with what looks secret masked: all of it under a secret name, and secrets inside texts. */
export function maskValue(value: Value, name = ""): Value {
  if (isMap(value)) return mapOf(Object.keys(value).map((each) => [each, maskField(value, each, name)]));
  if (isList(value)) return maskList(value, undefined, name);
  if (value === null || typeof value === "boolean") return value;
  if (looksSecret(name, value)) return value === "" || isReference(value) ? value : maskText;
  return typeof value === "string" ? (value.includes("\n") ? maskLines(value) : maskInText(value)) : value;
}

/** Arguments are read by the program that stands beside them: `{ command: curl, args: [-u, …] }`. */
function maskField(map: ValueMap, each: string, name: string): Value {
  const value = map[each]!;
  const under = nameFor(each, name, map);
  const command = each === "args" && Object.hasOwn(map, "command") ? map.command : undefined;
  return isList(value) ? maskList(value, command, under) : maskValue(value, under);
}

function maskList(items: readonly Value[], command: Value | undefined, name: string): Value {
  const shown = maskArguments(items, command, maskText);
  return items.map((item, i) => shown.get(i) ?? maskValue(item, isOption(items[i - 1]) ? String(items[i - 1]) : name));
}

/**
 * What decides about a field: a secret name further up, its own, or the one beside it (`{ name: Authorization, value: …
 * }`).
 */
function nameFor(field: string, above: string, map: Value): string {
  if (looksSecret(above)) return above;
  if (field !== "value" || !isMap(map)) return field;
  const beside = ["name", "key", "header"].map((each) => (Object.hasOwn(map, each) ? map[each] : undefined));
  return String(beside.find((each) => typeof each === "string" && looksSecret(each)) ?? field);
}

/** An option whose value is the next item: `["--token", "…"]`. */
function isOption(item: Value | undefined): boolean {
  return typeof item === "string" && /^--?[\w-]+$/.test(item) && looksSecret(item);
}

/** `${GITHUB_TOKEN}` says where a secret is, not what it is. */
function isReference(value: Value): boolean {
  return typeof value === "string" && /^\$(?:[A-Za-z_]\w*|\{[^}]*\})$/.test(value);
}

/** A plan as reports may show it. */
export function maskPlan(document: PlanDocument): PlanDocument {
  const secrets = document.entries
    .filter((entry) => entry.secret)
    .flatMap((entry) => sides.flatMap((side) => textsIn(entry[side])));
  return {
    ...document,
    entries: document.entries.map(maskEntry),
    files: document.files.map((file) => ({
      path: file.path,
      action: file.action,
      get diff() {
        return maskLines(withoutTexts(file.diff, secrets));
      },
    })),
    diagnostics: document.diagnostics.map(maskDiagnostic),
  };
}

/**
 * One entry of a plan as reports may show it. Values are masked when somebody looks, and once: most are not shown at
 * all.
 */
export function maskEntry(entry: PlanEntry): PlanEntry {
  const masked = { ...entry };
  const whenAsked = (name: keyof PlanEntry, mask: () => Value) => {
    let shown: Value | undefined;
    const get = () => (shown ??= mask());
    Object.defineProperty(masked, name, { enumerable: true, get });
  };
  whenAsked("key", () => maskKey(entry.key));
  for (const side of sides) {
    const value = entry[side];
    if (value !== undefined) whenAsked(side, () => (entry.secret ? maskText : maskValue(value, secretPart(entry.key))));
  }
  return masked;
}

const sides = ["base", "actual", "desired", "result"] as const;

/** The texts that a value holds, line by line, as a diff shows them. */
function textsIn(value: Value | undefined): string[] {
  if (typeof value === "string") return [value, JSON.stringify(value).slice(1, -1)].flatMap((text) => text.split("\n"));
  if (isList(value)) return value.flatMap(textsIn);
  return isMap(value) ? Object.keys(value).flatMap((name) => textsIn(value[name])) : [];
}

function withoutTexts(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret.trim() !== "").sort((a, b) => b.length - a.length);
  return known.reduce((shown, secret) => shown.replaceAll(secret, maskText), text);
}

/**
 * Part by part, as the parts really read: a colon between two of them is no assignment, and one inside may stand in a
 * URL.
 */
export function maskKey(key: string): string {
  return key
    .split(/(?<!\\):/)
    .map((part) => {
      const plain = part.replaceAll(/\\([:\\])/g, "$1");
      const masked = maskInText(plain);
      return masked === plain ? part : masked.replaceAll(/[:\\]/g, "\\$&");
    })
    .join(":");
}

export function maskDiagnostic(diagnostic: Diagnostic): Diagnostic {
  const { key, message } = diagnostic;
  if (key === undefined || key === "") return { ...diagnostic, message: maskInText(message) };
  return { ...diagnostic, key: maskKey(key), message: message.split(key).map(maskInText).join(maskKey(key)) };
}

/**
 * The name in a key that the value stands under: the first segment of a setting's path that looks secret. Other keys
 * say nothing.
 */
export function secretPart(key: string): string {
  if (!key.startsWith("setting:")) return "";
  const segments = key.slice("setting:".length).split(".");
  return segments.find((segment) => looksSecret(segment)) ?? segments.at(-1)!;
}
