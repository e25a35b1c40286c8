import { InputError } from "../../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value } from "../../core/value.ts";
import { type Machine, xdgFolder } from "../machine.ts";
import type { Pack, Template } from "./pack.ts";

export type Variables = ReadonlyMap<string, string>;

/** `--set` wins over the environment, which wins over the manifest's default. A default may use variables declared before it. */
export function variablesOf(pack: Pack, machine: Machine): Variables {
  const variables = new Map<string, string>([
    ["XDG_CONFIG_HOME", xdgFolder("CONFIG", machine)],
    ["XDG_DATA_HOME", xdgFolder("DATA", machine)],
    ["XDG_STATE_HOME", xdgFolder("STATE", machine)],
  ]);
  for (const [name, fallback] of Object.entries(pack.vars)) {
    variables.set(name, ownText(pack.given, name) ?? fromEnvironment(name, machine) ?? substitute(fallback, variables));
  }
  for (const name of Object.keys(pack.given)) {
    if (!variables.has(name))
      throw new InputError({ code: "unknown-variable", message: `--set ${name}: the manifest declares no such variable under vars` });
    variables.set(name, pack.given[name]!);
  }
  return variables;
}

/** `HOME` is the home we work in: who says `--home` does not mean the other one. */
function fromEnvironment(name: string, { env, home }: Machine): string | undefined {
  const set = ownText(env, name);
  return set !== undefined && name === "HOME" ? home : set;
}

/** Never what every object has: a variable may be called `toString`. */
function ownText(texts: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}

/** Replaces `${NAME}` of known names; every other dollar is text. */
export function substitute(text: string, variables: Variables): string {
  return text.includes("${")
    ? text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => variables.get(name) ?? whole)
    : text;
}

/** All texts of a value, names included. */
export function substituteValue(value: Value, variables: Variables): Value {
  return mentionsVariable(value) ? withVariables(value, variables) : value;
}

/** Few templates do; the others need no copy. */
function mentionsVariable(value: Value): boolean {
  if (typeof value === "string") return value.includes("${");
  if (isList(value)) return value.some(mentionsVariable);
  return isMap(value) && Object.keys(value).some((name) => name.includes("${") || mentionsVariable(value[name]!));
}

function withVariables(value: Value, variables: Variables): Value {
  if (typeof value === "string") return substitute(value, variables);
  if (isList(value)) return value.map((item) => withVariables(item, variables));
  if (!isMap(value)) return value;
  return mapOf(Object.keys(value).map((name) => [substitute(name, variables), withVariables(value[name]!, variables)]));
}

/** A template that is plain text. */
export function templateText(template: Template, variables: Variables): string {
  if (template.kind === "text") return substitute(template.text, variables);
  throw new InputError({
    code: "malformed-template",
    message: "this file is plain text, so its template must be a text",
    file: template.name,
  });
}

/** A target, where nothing may be left undefined: a file called `${X}` is never what was meant. */
export function substituteTarget(target: string, variables: Variables): string {
  const path = substitute(target, variables);
  const left = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/.exec(path);
  if (!left) return path;
  throw new InputError({
    code: "undefined-variable",
    message: `target ${target}: \${${left[1]}} is not defined; declare it under vars, or pass --set ${left[1]}=VALUE`,
  });
}
