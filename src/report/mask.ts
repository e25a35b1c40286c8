import type { PlanDocument } from "../core/plan-document.ts";
import { isList, isMap, mapOf, type Value } from "../core/value.ts";

/** What stands in a report instead of a secret. Artefacts are never masked. */
export const maskText = "***";

const secretName =
  /token|secret|passw(or)?d|passphrase|api[-_]?key|apikey|authorization|credential|private[-_]?key|access[-_]?key|bearer|cookie/i;

export function looksSecret(name: string): boolean {
  return secretName.test(name);
}

/** A value with everything under a secret-looking name masked; all of it where its own name looks so. */
export function maskValue(value: Value, name = ""): Value {
  if (isMap(value)) return mapOf(Object.keys(value).map((each) => [each, maskValue(value[each]!, looksSecret(name) ? name : each)]));
  if (isList(value)) return value.map((item) => maskValue(item, name));
  return looksSecret(name) && value !== null && typeof value !== "boolean" ? maskText : value;
}

/**
 * The lines of a diff, or of any text, with what stands behind a secret-looking name masked: `"api_key": "…"`, `API_KEY=…`,
 * `token: …`, `--password …`. Lines are short work; the longest name looked for bounds every step.
 */
export function maskLines(text: string): string {
  if (!secretName.test(text)) return text;
  return text
    .split("\n")
    .map((line) => (secretName.test(line) ? maskLine(line) : line))
    .join("\n");
}

const assignment =
  /(["']?[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|api[-_]?key|apikey|authorization|credential|private[-_]?key|access[-_]?key|bearer|cookie)[\w.-]*["']?\s*[:=]\s*|--[\w-]*(?:token|secret|password|api-key)[\w-]*[ =])("(?:[^"\\]|\\.)*"|'[^']*'|[^\s,}\]]+)/gi;

function maskLine(line: string): string {
  return line.replace(assignment, (whole, name: string, value: string) => {
    if (/^(true|false|null|\{|\[)$/.test(value)) return whole;
    const quote = value.startsWith('"') || value.startsWith("'") ? value.charAt(0) : "";
    return `${name}${quote}${maskText}${quote}`;
  });
}

/** A plan as reports may show it. */
export function maskPlan(document: PlanDocument): PlanDocument {
  const masked = (value: Value | undefined, key: string) => (value === undefined ? undefined : maskValue(value, secretPart(key)));
  return {
    ...document,
    entries: document.entries.map((entry) => ({
      ...entry,
      ...definedOf({
        base: masked(entry.base, entry.key),
        actual: masked(entry.actual, entry.key),
        desired: masked(entry.desired, entry.key),
        result: masked(entry.result, entry.key),
      }),
    })),
    files: document.files.map((file) => ({ path: file.path, action: file.action, diff: maskLines(file.diff) })),
  };
}

/** The name in a key that the value stands under: the last segment of a setting's path. Other keys say nothing of their value. */
function secretPart(key: string): string {
  return key.startsWith("setting:") ? (key.slice("setting:".length).match(/[^.]+$/)?.[0] ?? "") : "";
}

function definedOf<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
