import type * as v from "valibot";
import { safeParse } from "valibot";
import { isPair, isMap as isYamlMap, LineCounter, parseDocument } from "yaml";
import { InputError } from "../core/diagnostic.ts";

/** Data of a YAML file by its schema; what is wrong is said with file:line:column. */
export function readYaml<S extends v.GenericSchema>(text: string, file: string, schema: S, code: string): v.InferOutput<S> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const refuse = (message: string, offset: number) => {
    const { line, col } = lines.linePos(offset);
    return new InputError({ code, message, file, line: Math.max(line, 1), column: Math.max(col, 1) });
  };
  const [error] = document.errors;
  if (error) throw refuse(oneLine(error.message), error.pos[0]);
  const result = safeParse(schema, document.toJS({ maxAliasCount: 100 }) ?? {});
  if (result.success) return result.output;
  const issue = deepest(result.issues);
  const path = (issue.path ?? []).map((item) => item.key);
  throw refuse(describeIssue(issue, path), offsetOf(document, path));
}

/** Of a union that failed, the member that came furthest says what is wrong. */
function deepest(issues: readonly v.BaseIssue<unknown>[]): v.BaseIssue<unknown> {
  const all = issues.flatMap((issue) => (issue.issues && issue.issues.length > 0 ? [deepest(issue.issues)] : [issue]));
  return all.reduce((best, issue) => ((issue.path?.length ?? 0) > (best.path?.length ?? 0) ? issue : best));
}

export function describeIssue(issue: v.BaseIssue<unknown>, path: readonly unknown[]): string {
  const name =
    path.length === 0
      ? "the manifest"
      : path
          .map((step) => (typeof step === "number" ? `[${step}]` : String(step)))
          .join(".")
          .replaceAll(".[", "[");
  if (issue.type === "strict_object" && issue.expected === "never") return `unknown key ${name}; remove it or correct its spelling`;
  if (issue.received === "undefined") return `${name} is missing`;
  if (issue.type === "strict_object" || issue.type === "object") return `${name} must be a map`;
  if (issue.type === "array") return `${name} must be a list`;
  if (issue.type === "picklist")
    return `${name} must be one of ${issue.expected?.replaceAll('"', "").replaceAll(/[()]/g, "").replaceAll(" | ", ", ")}`;
  if (issue.message.startsWith("Invalid")) return `${name} must be ${issue.expected ?? "something else"}, not ${issue.received}`;
  return `${name}: ${issue.message}`;
}

/** Where the innermost part of a path that exists stands; for a name, the name itself. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: readonly unknown[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const name = path[length - 1];
    const pair = isYamlMap(parent) ? parent.items.find((item) => isPair(item) && String(item.key) === String(name)) : undefined;
    const node = (pair?.key ?? document.getIn(path.slice(0, length), true)) as { range?: [number, number, number] } | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

function oneLine(message: string): string {
  return message.split("\n")[0]!.replace(/ at line \d+, column \d+:?$/, "");
}
