import { describe, expect, it } from "vitest";
import { equalValues, type Value } from "../../src/core/value.ts";
import type { Document, Edit, Format } from "../../src/formats/format.ts";
import { editVerified } from "../../src/formats/verify/verify.ts";
import { expected } from "../formats/expected.ts";
import { type Choice, editsOf } from "../formats/json/arbitrary.ts";
import { fuzz, timeLimit } from "./budget.ts";
import { corpora } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import type { Random } from "./random.ts";

const scalars: readonly Value[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "text",
  "# no",
  "a: b",
  "q\"'`\\",
  "é😀",
  "two\nlines\n",
  "- x",
  "${A}",
  "null",
];

function anyValue(random: Random, depth: number): Value {
  const kind = depth === 0 ? 0 : random.below(4);
  if (kind === 1) return Array.from({ length: random.below(3) }, () => anyValue(random, depth - 1));
  if (kind === 2)
    return Object.fromEntries(
      ["a", "constructor", "d.e"].slice(random.below(3)).map((name) => [name, anyValue(random, depth - 1)]),
    );
  return random.of(scalars);
}

function anyEdits(document: Document, flat: boolean, random: Random): Edit[] {
  const choices = Array.from(
    { length: 1 + random.below(4) },
    (): Choice => ({ where: random.below(1e6), what: random.below(10), value: anyValue(random, flat ? 0 : 2) }),
  );
  const edits = editsOf(document.root, choices, random.below(2) === 0 ? "insert" : "any");
  // Names with blanks are no names in a dotenv file.
  return flat
    ? edits.map((edit) => (edit.kind === "insert" ? { ...edit, name: edit.name?.replace(" ", "_") } : edit))
    : edits;
}

function reread(format: Format, text: string): Value {
  const result = format.read(text);
  if (result.kind === "malformed")
    throw new Error(`accepted, and then not read: ${result.message}\n${JSON.stringify(text)}`);
  return result.document.root.value();
}

describe.each(corpora.filter(({ strict }) => !strict))(
  "$format.name, edits of damaged documents",
  ({ format, texts }) => {
    it("are refused, or hold what was meant for both readers", { timeout: timeLimit }, () => {
      const seen = { edited: 0, refused: 0 };
      fuzz(400, (random) => {
        const text = mutated(random.of(texts), texts, random);
        const result = format.read(text);
        if (result.kind === "malformed") return;
        const edits = anyEdits(result.document, format.name === "dotenv" || format.name === "ini", random);
        const edited = editVerified(format, result.document, edits);
        seen[edited.kind]++;
        if (edited.kind === "refused") return;
        const meant = expected(result.document.root.value(), edits);
        if (!equalValues(reread(format, edited.text), meant))
          throw new Error(`${JSON.stringify(edits)}\nmade ${JSON.stringify(edited.text)}\nof ${JSON.stringify(text)}`);
      });
      expect(seen.edited).toBeGreaterThan(20);
    });
  },
);
