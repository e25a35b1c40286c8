import { InputError } from "../core/diagnostic.ts";
import { isList, isMap, mapOf, type Value } from "../core/value.ts";

/**
 * What an owner ships for a place. `name` is for messages: a path, or `template of <target>`. `mode`: permissions that
 * the manifest or the template's execute bits ask for.
 */
export type Template =
  | (InDocument & {
      readonly kind: "text";
      readonly name: string;
      readonly text: string;
      readonly mode?: number | undefined;
    })
  | { readonly kind: "bytes"; readonly name: string; readonly bytes: Uint8Array; readonly mode?: number | undefined }
  | { readonly kind: "link"; readonly name: string; readonly target: string }
  | (InDocument & {
      readonly kind: "data";
      readonly name: string;
      readonly value: Value;
      /** Texts that stand in a map of the value only where every variable in them has a value. */
      readonly optional?: readonly string[] | undefined;
    });

/** Of a template for one of several documents of a file: the label of the document. */
interface InDocument {
  readonly in?: string | undefined;
}

export type Variables = ReadonlyMap<string, string>;

/** Replaces `${NAME}` of known names; `$${NAME}` is `${NAME}`, whatever the name. Every other dollar is text. */
export function substitute(text: string, variables: Variables): string {
  if (!text.includes("${")) return text;
  return text.replace(variableIn, (whole, second: string, name: string) =>
    second === "" ? (variables.get(name) ?? whole) : whole.slice(1),
  );
}

/** The same of a file's text. */
export function substituteText(text: string, variables: Variables): string {
  return substitute(text, keepsHome(text) ? new Map([...variables, ["HOME", "${HOME}"]]) : variables);
}

/** A script knows the home of whoever runs it: its `${HOME}` stays as it is, and comes out the same everywhere. */
export function keepsHome(text: string): boolean {
  return text.startsWith("#!");
}

const variableIn = /\$(\$?)\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names of variables in a text, without those that are escaped, and where each begins. */
export function variablesIn(text: string): { readonly name: string; readonly offset: number }[] {
  if (!text.includes("${")) return [];
  return [...text.matchAll(variableIn)].flatMap(({ 1: second, 2: name, index }) =>
    second === "" ? [{ name: name!, offset: index }] : [],
  );
}

/** All texts of a value, names included. */
export function substituteValue(value: Value, variables: Variables): Value {
  return mentionsVariable(value) ? withVariables(value, variables) : value;
}

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

/** A template for something that is read as text. */
export type TextTemplate = Extract<Template, { readonly kind: "text" | "data" }>;

export function textTemplate(template: Template): TextTemplate {
  if (template.kind === "text" || template.kind === "data") return template;
  const message = "this file is read as text, so its template must be a text; use strategy whole for anything else";
  throw new InputError({ code: "malformed-template", message, file: template.name });
}

/** A template that is plain text. */
export function templateText(template: Template, variables: Variables): string {
  if (template.kind === "text") return substituteText(template.text, variables);
  throw new InputError({
    code: "malformed-template",
    message: "this file is plain text, so its template must be a text",
    file: template.name,
  });
}
