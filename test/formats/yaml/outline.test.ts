import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Edit, Node } from "../../../src/formats/format.ts";
import { verifyEdit } from "../../../src/formats/verify/verify.ts";
import { editYaml } from "../../../src/formats/yaml/edit.ts";
import { readYamlText } from "../../../src/formats/yaml/node.ts";
import { readOutlined } from "../../../src/formats/yaml/outlined.ts";
import { yaml } from "../../../src/formats/yaml/yaml.ts";
import { corpora } from "../../fuzz/corpus.ts";
import { type Choice, editsOf } from "../json/arbitrary.ts";

/** The first entries show how a text is written: by those of `habits` all texts here are alike. */
const limits = { text: 0, inside: 30, sample: 3 };
const habits = 'word: text\ndeep:\n  step: "quoted"\n  list:\n    - 1\nflow: { a: [1] }\n';

function careful(text: string) {
  const read = readYamlText(text);
  if (read.kind === "malformed") throw new Error(`${read.message}\n${text}`);
  return read.root;
}

/** Everything that can be asked of a node and what is below it. */
function told(node: Node): unknown {
  const below = node.kind === "list" ? node.items() : node.names().map((name) => node.get(name)!);
  return {
    kind: node.kind,
    ranges: node.ranges,
    entryRanges: node.entryRanges,
    value: node.value(),
    names: node.names(),
    comments: node.comments(),
    locked: node.locked(),
    below: below.map(told),
  };
}

const bodies = fc.constantFrom(
  " 1 # one\n",
  "\n  x: 1\n  # inside\n  long:\n    y: text\n    z: [a, b]\n",
  "\n  - a\n  - b: 1\n    c: 2\n",
  "\n- a\n- b: 1\n",
  " |\n  text: no key\n  # no comment\n\n  more\n",
  ' "in\n  two lines"\n',
  " { a: 1,\n  b: 2 }\n",
  "\n\n    deep: 1\n\n    deeper:\n        x: 1\n",
  "\n",
);
const gaps = fc.constantFrom("", "\n", "# about the next\n", "\n# about\n\n", "  # deeper\n");
const heads = fc.constantFrom("", "# head\n", "---\n", "# head\n---\n# more\n", "\ufeff");
const texts = fc
  .tuple(heads, fc.array(fc.tuple(bodies, gaps), { minLength: 4, maxLength: 14 }), fc.boolean(), fc.boolean())
  .map(([head, sections, bare, crlf]) => {
    const whole = head + habits + sections.map(([body, gap], i) => `key${i}:${body}${gap}`).join("");
    const text = bare ? whole.trimEnd() : whole;
    return crlf ? text.replaceAll("\n", "\r\n") : text;
  });
const choices = fc.array(
  fc.record<Choice>({ where: fc.nat(1e6), what: fc.nat(9), value: fc.constantFrom("text", 7, "a: b") }),
  { minLength: 1, maxLength: 3 },
);

describe("a text read by its outline", () => {
  it("says what the same text says when it is read as a whole", () => {
    let outlined = 0;
    fc.assert(
      fc.property(texts, (text) => {
        const document = readOutlined(text, limits);
        if (document === undefined) return;
        outlined++;
        expect(told(document.root), text).toEqual(told(careful(text)));
      }),
      { numRuns: 150 },
    );
    expect(outlined).toBeGreaterThan(100);
  });

  it("is edited as it is as a whole", () => {
    fc.assert(
      fc.property(texts, choices, fc.constantFrom("insert", "any"), (text, chosen, kinds) => {
        const document = readOutlined(text, limits);
        if (document === undefined) return;
        const root = careful(text);
        const edits: Edit[] = editsOf(root, chosen, kinds as "any");
        expect(document.edit(edits), `${text}\n${JSON.stringify(edits)}`).toEqual(editYaml(root, edits));
      }),
      { numRuns: 300 },
    );
  });

  it("of any kind is taken apart as the careful reader reads it, or not at all", () => {
    const { texts: all } = corpora.find(({ format }) => format === yaml)!;
    let outlined = 0;
    for (const text of all) {
      const document = readOutlined(text, limits);
      if (document === undefined) continue;
      outlined++;
      expect(told(document.root), text).toEqual(told(careful(text)));
      const edits = editsOf(document.root, [{ where: 7, what: 3, value: "new" }], "insert");
      const result = document.edit(edits);
      if (result.kind === "edited") expect(verifyEdit(yaml, text, edits, result.text), text).toBeUndefined();
    }
    expect(outlined).toBeGreaterThan(3);
  });
});

it.each([
  ["an anchor", "a: &x 1\nb: 2\n"],
  ["an alias in a list", "a: 1\nb: [*x]\n"],
  ["a tag", "a: !secret x\nb: 2\n"],
  ["a closing bracket at the margin", "a: {\n}\nb: 2\n"],
  ["a key that is no plain word", "a: 1\n? b\n: 2\n"],
  ["a key that stands twice", "a: 1\na: 2\n"],
  ["a second document", "a: 1\n---\nb: 2\n"],
  ["a tab", "a: 1\n\tb: 2\n"],
  ["a key that is a number", "a: 1\n1: 2\n"],
  ["a text over lines at the margin", 'a: "x\nb: y"\n'],
  ["a line further out", "  a: 1\n b: 2\n"],
])("%s is read as a whole", (_, text) => {
  expect(readOutlined(text, limits)).toBeUndefined();
});
