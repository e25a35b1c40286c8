import { isList, isMap, type Value } from "../../core/value.ts";
import type { Place } from "../../engine/place.ts";
import { profileFor } from "../../identity/profiles/index.ts";
import type { Profile } from "../../identity/profiles/profile.ts";
import { variablesIn } from "../../readings/template.ts";
import type { Finding } from "../../report/finding.ts";
import type { OwnedPlace } from "../places/owned-places.ts";

export type ExpansionProblem = Pick<Finding, "code" | "severity" | "message" | "fix">;

/**
 * What stands in an entry as if somebody expanded it, where nobody does: the runtime starts the program with just these
 * letters.
 */
export function expansionFindings({ owner, place, planned, state }: OwnedPlace): Finding[] {
  const profile = profileFor(place.path, state.context);
  return planned.decisions.flatMap(({ key, type, actual }) => {
    if (actual === undefined) return [];
    const problems = [
      ...(profile === undefined ? [] : tildes(type, actual.value, profile)),
      ...(isStructured(place) ? variables(type, actual.value, profile) : []),
    ];
    return problems.map((problem) => ({ ...problem, owner, file: place.path, key }));
  });
}

/** Texts that begin with `~/`, in what a runtime starts without a shell. */
export function tildes(type: string, value: Value, { startsDirectly, title }: Profile): ExpansionProblem[] {
  if (!startsDirectly.includes(type)) return [];
  return [...new Set(textsIn(value).filter((text) => /^~(?:$|\/)/.test(text)))].map((text) => ({
    code: "tilde-not-expanded",
    severity: "warning",
    message: `it holds ${text}, and ${title} starts it without a shell, so nothing expands the tilde`,
    fix: "write ${HOME} in place of ~ in the template, or use a variable of the manifest",
  }));
}

/** In a shell's own files and in prose a variable is meant as one. */
function isStructured({ readingData }: Place): boolean {
  return readingData.strategy === "entries" && structured.has(readingData.format);
}

export const structured: ReadonlySet<string> = new Set(["json", "jsonc", "yaml", "toml"]);

/** Where no profile knows what the program expands, it may be meant so. */
function variables(type: string, value: Value, profile: Profile | undefined): ExpansionProblem[] {
  const names = new Set(
    textsIn(value)
      .flatMap(variablesIn)
      .map(({ name }) => name),
  );
  const startsDirectly = profile?.startsDirectly.includes(type) ? profile : undefined;
  return [...names]
    .filter((name) => !expands(name, type, value, profile))
    .map((name) => ({
      code: "variable-not-expanded",
      severity: startsDirectly ? "warning" : "info",
      message: startsDirectly
        ? `it holds \${${name}}, which ${startsDirectly.title} does not expand here`
        : `it holds \${${name}}, written as it stands because no variable of the manifest has this name`,
      fix: `declare ${name} under vars of the manifest, or write the value itself`,
    }));
}

/** Whether something expands `${NAME}` in an entry: a shell that a command line is given to, or the runtime. */
export function expands(name: string, type: string, value: Value, profile: Profile | undefined): boolean {
  if (profile?.expandsVariables.includes(type)) return true;
  if (profile?.startsDirectly.includes(type) || !isMap(value)) return false;
  const { command, ...others } = value;
  const mentions = (each: Value | undefined) =>
    each !== undefined && textsIn(each).some((text) => variablesIn(text).some((found) => found.name === name));
  return mentions(command) && !mentions(others);
}

function textsIn(value: Value): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isMap(value) ? Object.values(value).flatMap(textsIn) : [];
}
