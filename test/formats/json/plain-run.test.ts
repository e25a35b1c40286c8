import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { json } from "../../../src/formats/json/json.ts";
import { most, worthCompiling } from "../../../src/formats/json/read.ts";
import { jsonText } from "./arbitrary.ts";

/** The same text, long enough to be read by patterns: blanks behind it say nothing. */
const long = (text: string) => text + " ".repeat(worthCompiling);

/** What reading finds, down to every offset; a fault at the end of the text is one wherever that is. */
function found(text: string, length: number) {
  const result = json.read(text);
  if (result.kind === "malformed") return { message: result.message, offset: Math.min(result.offset, length) };
  const ranges: unknown[] = [];
  const visit = (node: typeof result.document.root): void => {
    ranges.push(node.ranges, node.entryRanges, node.comments());
    for (const name of node.names()) visit(node.get(name)!);
    for (const item of node.items()) visit(item);
  };
  visit(result.document.root);
  return { ranges, value: result.document.root.value() };
}

function expectSame(text: string): void {
  // Where nothing but blanks follow, the end of what was cut off is found behind them.
  expect([text, found(long(text), text.trimEnd().length)]).toEqual([text, found(text, text.trimEnd().length)]);
}

const nested = (depth: number, inner: string) => "[".repeat(depth) + inner + "]".repeat(depth);

describe("a long JSON text, read by patterns", () => {
  it("is read as a short one is read step by step", () => {
    const all = { comments: true, trailingCommas: true, repeatedNames: true };
    fc.assert(fc.property(jsonText(all), expectSame), { numRuns: 150 });
  });

  it("is refused at the same place and with the same words", () => {
    const spoilt = fc.tuple(
      jsonText({ comments: false, trailingCommas: true, repeatedNames: false }),
      fc.nat(),
      fc.constantFrom(
        "",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"',
        "\\",
        "/",
        "1",
        "-",
        ".",
        "e",
        "\n",
        "x",
        "\u0001",
        "\u00a0",
      ),
    );
    fc.assert(
      fc.property(spoilt, ([whole, where, char]) => {
        const at = where % (whole.length + 1);
        expectSame(whole.slice(0, at) + char + whole.slice(at + (where % 2)));
      }),
      { numRuns: 250 },
    );
  });

  it.each([
    ['{"a": 01}'],
    ['{"a": 1.}'],
    ['{"a": .5}'],
    ['{"a": +1}'],
    ['{"a": 1e}'],
    ['{"a": -}'],
    ['{"a": truex}'],
    ['{"a": nul}'],
    ['{"a": "\t"}'],
    ['{"a": "\\x"}'],
    ['{"a": "\\u12"}'],
    ['{"a": 1 "b": 2}'],
    ['{"a": 1,, "b": 2}'],
    ['{, "a": 1}'],
    ["[, 1]"],
    ["[1 2]"],
    ["[1}"],
    ['{"a": [1}'],
    ['{"a"}'],
    ['{"a": }'],
    ['{"a": 1'],
    ['["a'],
    ["[1], [2]"],
    ['{"a": 1,}'],
    ["[[1,],]"],
    ['{"a": {"b": [{"c": [{"d": 1}]}]}, "e": 2}'],
    ['{"a": 1, /* c */ "b": 2, // d\n "c": [1, // e\n 2]}'],
    [nested(999, "1")],
    [nested(1000, "")],
    [nested(1001, "")],
    [`[1, ${nested(996, '{"a": []}')}, 2]`],
    [`[1, ${nested(998, '{"a": []}')}, 2]`],
  ])("agrees about %s", (text) => expectSame(text));

  it("takes more entries, and more escapes, than a pattern takes at once", () => {
    for (const count of [9, 10, 11, 20, 21, 29, 30, 31, 200]) {
      const list = `[${Array.from({ length: count }, (_, i) => i).join(", ")}]`;
      const map = `{${Array.from({ length: count }, (_, i) => `"n${i}": ${list}`).join(",\n")}}`;
      expectSame(list);
      expectSame(`{"a": ${list}, "b": {"c": ${map}}, "d": "${"\\n".repeat(count)}"}`);
    }
  });

  it("has room for as much as a pattern can take", () => {
    const list = (count: number, item: string) => `[${Array(count).fill(item).join(",")}]`;
    const text = `"${"\\n".repeat(most.escapes)}"`;
    const entry = list(most.inside, list(most.inside, list(most.inside, text)));
    const full = list(most.entries + 1, entry);
    for (const whole of [full, `{"a": ${full}, "b": ${entry}}`, full.replaceAll(/\[(?=")/g, "[[0],")])
      expect(json.read(long(whole)).kind).toBe("read");
  });
});
