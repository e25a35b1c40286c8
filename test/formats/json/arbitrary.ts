import fc from "fast-check";
import type { Value } from "../../../src/core/value.ts";
import type { Edit, InsertEdit, Node, Path } from "../../../src/formats/format.ts";

/**
 * Random documents as people write them: any blanks, comments, trailing commas and repeated names, with Windows line
 * ends or not.
 */
export interface TextOptions {
  readonly comments: boolean;
  readonly trailingCommas: boolean;
  readonly repeatedNames: boolean;
}

const names = ["a", "b", "c", "", "x.y", "__proto__", "constructor", "é😀", 'q"uote', "line\n"];
const scalars = [
  "0",
  "-1.5e3",
  "12345678901234567890",
  "true",
  "false",
  "null",
  '""',
  '"text"',
  '"// no"',
  '"/* no */"',
  '",}"',
  '"\\u0041\\"\\\\"',
  "1.0",
];

export function jsonText(options: TextOptions): fc.Arbitrary<string> {
  const comment = fc.constantFrom("// c\n", "/* c */", "/* c\n c */", "/**/", "// , ] }\n");
  const blank = fc.constantFrom("", "", " ", "\n", "\n  ", "\n\n\t", "  \n ");
  const gap = options.comments
    ? fc
        .array(fc.oneof({ weight: 3, arbitrary: blank }, { weight: 1, arbitrary: comment }), { maxLength: 3 })
        .map((parts) => parts.join(""))
    : blank;
  const name = fc.constantFrom(...names);
  const { root } = fc.letrec<{ root: string; list: string; map: string }>((tie) => ({
    root: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.constantFrom(...scalars), tie("list"), tie("map")),
    list: fc
      .tuple(fc.array(tie("root"), { maxLength: 4 }), fc.array(gap, { minLength: 10, maxLength: 10 }), fc.boolean())
      .map(([items, gaps, comma]) => written("[", "]", items, gaps, comma && options.trailingCommas)),
    map: fc
      .tuple(
        (options.repeatedNames ? fc.array : fc.uniqueArray)(name, { maxLength: 5 }),
        fc.array(tie("root"), { minLength: 5, maxLength: 5 }),
        fc.array(gap, { minLength: 20, maxLength: 20 }),
        fc.boolean(),
      )
      .map(([keys, values, gaps, comma]) => {
        const entries = keys.map((key, i) => `${JSON.stringify(key)}${gaps[i + 10]}:${gaps[i + 15]}${values[i]}`);
        return written("{", "}", entries, gaps, comma && options.trailingCommas);
      }),
  }));
  return fc
    .tuple(fc.constantFrom("", "\ufeff"), gap, root, gap, fc.boolean())
    .map(([bom, before, value, after, windows]) => {
      const text = before + value + after;
      return bom + (windows ? text.replaceAll("\n", "\r\n") : text);
    });
}

function written(
  open: string,
  close: string,
  parts: readonly string[],
  gaps: readonly string[],
  comma: boolean,
): string {
  const inside = parts.map(
    (part, i) => `${gaps[i]}${part}${i < parts.length - 1 || comma ? `${i % 2 ? "" : gaps[i + 5]},` : ""}`,
  );
  return `${open}${inside.join("")}${gaps[9]}${close}`;
}

export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Value>(null, true, 0, -1.5, "", "text", "é😀", '"\\\n', 1e21),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "", "constructor", "d.e"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** An edit chosen by numbers, so that it fits any document: which entry, what to do with it, and with which value. */
export interface Choice {
  readonly where: number;
  readonly what: number;
  readonly value: Value;
}
export const anyChoice: fc.Arbitrary<Choice> = fc.record({ where: fc.nat(), what: fc.nat(9), value: anyValue });

interface Spot {
  readonly path: Path;
  readonly node: Node;
}

function* spots(node: Node, path: Path = []): Generator<Spot> {
  yield { path, node };
  if (node.kind === "map") for (const name of node.names()) yield* spots(node.get(name)!, [...path, name]);
  for (const [i, item] of node.items().entries()) yield* spots(item, [...path, i]);
}

/**
 * The edits that choices mean in a document, leaving out those that would lie inside another or add a name that is
 * there.
 */
export function editsOf(root: Node, choices: readonly Choice[], only: "insert" | "any"): Edit[] {
  const all = [...spots(root)];
  const containers = all.filter(({ node }) => node.kind !== "scalar");
  const edits: Edit[] = [];
  const blocked: Path[] = [];
  const touched: Path[] = [];
  const startsWith = (path: Path, prefix: Path) => prefix.every((step, i) => path[i] === step);
  for (const [n, { where, what, value }] of choices.entries()) {
    if (only === "insert" || what < 5) {
      if (containers.length === 0) continue;
      const { path, node } = containers[where % containers.length]!;
      if (blocked.some((prefix) => startsWith(path, prefix))) continue;
      touched.push(path);
      edits.push(insertion(path, node, n, what, value));
    } else {
      const { path } = all[where % all.length]!;
      if (
        path.length === 0 ||
        blocked.some((prefix) => startsWith(path, prefix)) ||
        touched.some((other) => startsWith(other, path))
      )
        continue;
      blocked.push(path);
      touched.push(path.slice(0, -1));
      edits.push(what < 8 ? { kind: "remove", at: path } : { kind: "set", at: path, value });
    }
  }
  return edits;
}

function insertion(into: Path, node: Node, n: number, what: number, value: Value): InsertEdit {
  const steps: readonly (string | number)[] = node.kind === "map" ? node.names() : node.items().map((_, i) => i);
  const step = steps[n % Math.max(1, steps.length)];
  const place =
    step === undefined || what % 3 === 0 ? ("end" as const) : what % 3 === 1 ? { after: step } : { before: step };
  return { kind: "insert", into, name: node.kind === "map" ? `new ${n}` : undefined, value, place };
}
