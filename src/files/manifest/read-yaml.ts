import type * as v from "valibot";
import { safeParse } from "valibot";
import {
  didYouMean,
  InputError,
  issueMessage,
  lineAndColumn,
  receivedKind,
  type TextPosition,
} from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts";
import { Exact, field, isList, isMap, mapOf, type Value } from "../../core/value.ts";
import type { Node } from "../../formats/format.ts";
import { readYamlText } from "../../formats/yaml/node.ts";
import { readPlainly } from "../../formats/yaml/second-reader.ts";

/**
 * Data of a YAML file by its schema; what is wrong is said with file:line:column. `maps`: names that must not hold a
 * list, which the schema library takes for a map.
 */
export function readYaml<S extends v.GenericSchema>(
  text: string,
  file: string,
  schema: S,
  code: DiagnosticCode,
  maps: readonly string[] = [],
): v.InferOutput<S> {
  const plain = readPlainly(text);
  if (plain !== undefined && reservedName(plain) === undefined) {
    const result = safeParse(schema, plainData(plain));
    if (result.success && !maps.some((name) => isList(field(plain, name)))) return result.output;
  }
  return readCarefully(text, file, schema, code, maps);
}

/**
 * The same by the reader of YAML targets, which knows where everything stands and takes several times as long. Its
 * limits hold here as well: a manifest may come from a stranger.
 */
function readCarefully<S extends v.GenericSchema>(
  text: string,
  file: string,
  schema: S,
  code: DiagnosticCode,
  maps: readonly string[],
): v.InferOutput<S> {
  const refuse = (message: string, offset: number) =>
    new InputError({ code, message, file, ...lineAndColumn(text, offset) });
  const read = readYamlText(text);
  if (read.kind === "malformed") throw refuse(read.message, read.offset);
  const data = read.root.value();
  const reserved = reservedName(data);
  if (reserved)
    throw refuse(`the name ${reserved.at(-1)} can't be used here; choose another`, offsetOf(read.root, reserved));
  const result = safeParse(schema, withOctals(plainData(data), read.root, text));
  const lists = maps.filter((name) => isList(field(data, name)));
  if (result.success && lists.length === 0) return result.output;
  const found = firstOfEach((result.issues ?? []).map((issue) => deepest([issue]))).filter(
    ({ path }) => !lists.includes(String(path[0])),
  );
  const mistakes = [
    ...found.map(({ issue, path }) => ({
      message: describeIssue(issue, path, schema),
      offset: offsetOf(read.root, path),
    })),
    ...lists.map((name) => ({ message: `${name} must be a map`, offset: offsetOf(read.root, [name]) })),
  ].sort((a, b) => a.offset - b.offset);
  const [first, ...others] = mistakes.map(({ message, offset }) => ({
    code,
    message,
    file,
    ...lineAndColumn(text, offset),
  }));
  throw new InputError(first!, others);
}

/** Where a part of a YAML text stands, or the innermost around it that is there. */
export function positionInYaml(text: string, path: readonly (string | number)[]): TextPosition {
  const read = readYamlText(text);
  return lineAndColumn(text, read.kind === "malformed" ? read.offset : offsetOf(read.root, path));
}

/**
 * Where a name stands that every object has anyway: the schema library takes some for known, and drops others without a
 * word.
 */
function reservedName(value: Value): (string | number)[] | undefined {
  const steps = isList(value) ? value.map((item, i) => [i, item] as const) : isMap(value) ? Object.entries(value) : [];
  for (const [step, inner] of steps) {
    if (typeof step === "string" && (step in {} || step === "prototype")) return [step];
    const below = reservedName(inner);
    if (below) return [step, ...below];
  }
  return undefined;
}

/** Numbers that JavaScript can't hold as their author wrote them: in a manifest they can only be part of a text. */
function plainData(value: Value): Value {
  if (value instanceof Exact) return value.text;
  if (isList(value)) return value.map(plainData);
  return isMap(value) ? mapOf(Object.keys(value).map((name) => [name, plainData(value[name]!)])) : value;
}

/** Octal numbers as their author wrote them: `0o755` is a mode, and as a number it would be 493. */
function withOctals(data: Value, node: Node | undefined, text: string): Value {
  if (node === undefined || !/\b0o[0-7]/.test(text)) return data;
  if (isList(data)) return data.map((item, i) => withOctals(item, node.items()[i], text));
  if (isMap(data))
    return mapOf(Object.entries(data).map(([name, value]) => [name, withOctals(value, node.get(name), text)]));
  const { start, end } = node.ranges[0] ?? { start: 0, end: 0 };
  const written = text.slice(start, end).trim();
  return typeof data === "number" && /^0o[0-7]+$/.test(written) ? written : data;
}

interface Found {
  readonly issue: v.BaseIssue<unknown>;
  readonly path: readonly unknown[];
}

/**
 * Of a union that failed, the member that came furthest says what is wrong. Its own path begins where the union stands.
 */
function deepest(issues: readonly v.BaseIssue<unknown>[], above: readonly unknown[] = []): Found {
  const all = issues.map((issue): Found => {
    const path = [...above, ...(issue.path ?? []).map((item) => item.key)];
    return issue.issues && issue.issues.length > 0 ? deepest(issue.issues, path) : { issue, path };
  });
  return all.reduce((best, found) => (found.path.length > best.path.length ? found : best));
}

/** Of several things that are wrong with one value, the first is enough. */
function firstOfEach(found: readonly Found[]): Found[] {
  const paths = found.map(({ path }) => JSON.stringify(path));
  return found.filter((_, i) => paths.indexOf(paths[i]!) === i);
}

export function describeIssue(issue: v.BaseIssue<unknown>, path: readonly unknown[], schema: v.GenericSchema): string {
  const name =
    path.length === 0
      ? "the manifest"
      : path
          .map((step) => (typeof step === "number" ? `[${step}]` : String(step)))
          .join(".")
          .replaceAll(".[", "[");
  if (issue.type === "strict_object" && issue.expected === "never")
    return `unknown key ${name}${didYouMean(String(path.at(-1)), keysAt(schema, path.slice(0, -1)))}; remove it or correct its spelling`;
  if (issue.received === "undefined") return `${name} is missing`;
  if (issue.type === "strict_object" || issue.type === "object") return `${name} must be a map`;
  if (issue.type === "array") return `${name} must be a list`;
  if (issue.type === "picklist")
    return `${name} must be one of ${issue.expected?.replaceAll('"', "").replaceAll(/[()]/g, "").replaceAll(" | ", ", ")}`;
  if (issue.message.startsWith("Invalid"))
    return `${name} must be ${expectedKinds(issue.expected)}, not ${receivedKind(issue.received)}`;
  return `${name}: ${issueMessage(issue)}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  Object: "a map",
  Array: "a list",
};

/** The library's names of types, `(string | number)`, as a person would say them. */
function expectedKinds(expected: string | null): string {
  const names = (expected ?? "something else").replaceAll(/[()]/g, "").split(" | ");
  return names.map((name) => kinds[name] ?? name).join(" or ");
}

/** What a schema of the library is made of, as far as names are looked for in it. */
interface SchemaParts {
  readonly type: string;
  readonly entries?: Readonly<Record<string, SchemaParts>>;
  readonly item?: SchemaParts;
  readonly value?: SchemaParts;
  readonly wrapped?: SchemaParts;
  readonly options?: readonly SchemaParts[];
  readonly pipe?: readonly SchemaParts[];
}

/** The names that a map at this path may have. */
function keysAt(schema: SchemaParts, path: readonly unknown[]): string[] {
  const { entries, item, value, wrapped, options, pipe } = schema;
  const inside = [wrapped, ...(Array.isArray(options) ? options : []), pipe?.[0] === schema ? undefined : pipe?.[0]];
  const found = inside.flatMap((each) => (typeof each === "object" ? keysAt(each, path) : []));
  const [step, ...rest] = path;
  if (step === undefined) return [...found, ...Object.keys(entries ?? {})];
  const below = typeof step === "number" ? item : (entries?.[String(step)] ?? value);
  return below === undefined ? found : [...found, ...keysAt(below, rest)];
}

/** Where the innermost part of a path that exists stands; for a name, the name itself. */
function offsetOf(root: Node, path: readonly unknown[]): number {
  let node = root;
  for (const step of path) {
    const next = typeof step === "number" ? node.items()[step] : node.get(String(step));
    if (next === undefined) break;
    node = next;
  }
  return node.entryRanges[0]?.start ?? 0;
}
