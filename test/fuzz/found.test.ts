import { describe, expect, it } from "vitest";
import { Exact } from "../../src/core/value.ts";
import { removeBlock, writeBlock } from "../../src/formats/block/block.ts";
import { json } from "../../src/formats/json/json.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { compareData } from "../../src/formats/verify/compare.ts";
import { editVerified } from "../../src/formats/verify/verify.ts";
import { yaml } from "../../src/formats/yaml/yaml.ts";
import { readServices } from "../../src/toolset/discover/read-objects.ts";

/** What fuzzing found, each as small as it gets. */
describe("texts that readers of YAML take for different values are refused, where they begin to differ", () => {
  it.each([
    ["a lone carriage return", "s: c\n }\r", 7],
    ["a byte order mark further down", "\n\ufeffmodel: opus\n", 0],
    ["two byte order marks", "\ufeff\ufeffmodel: opus\n", 0],
    ["a byte order mark behind blanks", "  \ufeffmodel: opus\n", 0],
    ["a document marker behind blanks", " ---\n", 1],
    ["such a marker and a text", "# c\n --- a\n", 5],
    ["an empty line behind an escaped line end", 'quoted: "one\n  two\\\n\n  three"\n', 18],
    ["the same behind an escaped backslash", 'quoted: "two\\\\\\\n\n  three"\n', 12],
  ])("%s", (_, text, offset) => {
    expect(yaml.read(text)).toMatchObject({
      kind: "malformed",
      offset,
      message: expect.stringContaining("different readers"),
    });
  });

  it.each([
    ["a backslash that is text", 'quoted: "two\\\\\n\n  three"\n', { quoted: "two\\\nthree" }],
    ["a backslash outside double quotes", "path: C:\\\n\nnext: 'D:\\\n\n  x'\n", { path: "C:\\", next: "D:\\\nx" }],
    ["dashes that begin a text elsewhere", "a: ---\nb:\n ---\n", { a: "---", b: "---" }],
    ["a comment at the margin in a flow map", "a: { b: 1\n# c\n  }\n", { a: { b: 1 } }],
    ["the same, with CRLF", "a: {\r\n  b: {}\r\n# c\r\n  }\r\n", { a: { b: {} } }],
    ["a name that is too large a number", "a: {1e999: 1}\n", { a: { "1e999": 1 } }],
    ["a byte order mark at the start, and in a text", '\ufeffa: "x\ufeffy"\r\n', { a: "x\ufeffy" }],
  ])("but not %s", (_, text, value) => {
    const read = yaml.read(text);
    expect(read.kind === "read" ? { ...(read.document.root.value() as object) } : read).toEqual(value);
    expect(compareData(value, yaml.readIndependently(text))).toBeUndefined();
  });
});

it("blanks without a line end in a text that keeps its line ends can be read, and not be edited", () => {
  const text = "a: 1\nkept: |+\n\n  ";
  const read = yaml.read(text);
  if (read.kind === "malformed") throw new Error(read.message);
  const edited = editVerified(yaml, read.document, [{ kind: "set", at: ["a"], value: 2 }]);
  expect(edited).toMatchObject({ kind: "refused", message: expect.stringContaining("different readers") });
});

describe("numbers and times of any length", () => {
  const zeros = "0".repeat(100_000);

  it("are read in the time it takes to look at them", () => {
    for (const [format, text] of [
      [json, `{"a":1.${zeros}1}`],
      [toml, `a = 1.${zeros}1\n`],
      [toml, `a = 1.${"0_".repeat(50_000)}1\n`],
      [yaml, `a: 1.${zeros}1\n`],
    ] as const) {
      const read = format.read(text);
      expect(read.kind === "read" && read.document.root.get("a")?.value()).toBeInstanceOf(Exact);
    }
  });

  it("are compared in that time, too", () => {
    const time = `12:00:00.${zeros}1`;
    const data = toml.readIndependently(`a = 12:00:00.0\nb = 07:32\n`);
    expect(compareData({ a: new Exact("datetime", time), b: 1 }, data)).toBe("a");
    expect(
      compareData({ a: new Exact("datetime", `12:00:00.${zeros}`), b: new Exact("datetime", "07:32") }, data),
    ).toBeUndefined();
  });
});

it("a carriage return at the end of a text is the user's, and stays when a block has come and gone", () => {
  const text = "mine\r";
  const written = writeBlock(text, "zylos", "managed\n", { fileName: "notes.md", traceOf: () => undefined });
  if (written.kind === "refused") throw new Error(written.message);
  expect(removeBlock(written.text, "zylos", written.trace)).toMatchObject({ text });
});

it("a list of Services with nothing in one of its places is refused in words", () => {
  for (const item of ["", " a", " [a]"])
    expect(() => readServices(`kind: List\nitems:\n-${item}\n`, "services")).toThrow(
      /services: expected Kubernetes objects/,
    );
});
