import { InputError } from "../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value } from "../core/value.ts";

/** What an owner ships for a place. `name` is for messages: a path, or `template of <target>`. Data where a program gave it as data. */
export type Template =
  | { readonly kind: "text"; readonly name: string; readonly text: string }
  | { readonly kind: "data"; readonly name: string; readonly value: Value };

export type Variables = ReadonlyMap<string, string>;

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
