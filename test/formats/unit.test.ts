import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanUnit, type UnitDialect } from "../../src/formats/unit/unit.ts";

const values = (text: string, dialect: UnitDialect) =>
  scanUnit(text, dialect).assignments.map(({ key, value }) => `${key}=${value}`);
const both = ["systemd", "quadlet"] as const;

describe("where systemd and Quadlet differ", () => {
  test.each([
    ["a continuation", "[S]\nK=1\\\n2\\\n3\n", ["K=1 2 3"], ["K=123"]],
    ["an indented continuation", "[S]\nK=1\\\n  2\n", ["K=1   2"], ["K=12"]],
    ["a blank line inside one", "[S]\nK=1\\\n\nL=2\n", ["K=1", "L=2"], ["K=1L=2"]],
    ["space after the backslash", "[S]\nK=1\\ \nL=2\n", ["K=1\\", "L=2"], ["K=1L=2"]],
    ["a comment inside one", "[S]\nK=1\\\n# no\n;no\n2\n", ["K=1 2"], ["K=12"]],
    ["two backslashes at the end", "[S]\nK=1\\\\\nL=2\n", ["K=1\\\\", "L=2"], ["K=1\\L=2"]],
    ["a lone carriage return", "[S]\nK=1\rL=2\n", ["K=1", "L=2"], ["K=1\rL=2"]],
    ["a NUL behind a line break", "[S]\nK=1\\\n\0L=2\n", ["K=1 L=2"], ["K=1\0L=2"]],
  ])("%s", (_, text, systemd, quadlet) => {
    expect(values(text, "systemd")).toEqual(systemd);
    expect(values(text, "quadlet")).toEqual(quadlet);
  });

  test("a byte order mark is nothing to systemd and an error to Quadlet", () => {
    const text = "\u{feff}[S]\nK=1\n";
    expect(scanUnit(text, "systemd").problems).toEqual([]);
    expect(scanUnit(text, "quadlet").problems[0]).toMatchObject({ line: 1, column: 1 });
  });
});

test("systemd skips one byte order mark, on whatever line, and sees no comment behind it", () => {
  expect(values("[S]\n\u{feff}K=1\n\u{feff}L=2\n", "systemd")).toEqual(["K=1", "\u{feff}L=2"]);
  expect(scanUnit("\u{feff}# no comment\n[S]\n", "systemd").problems).toMatchObject([{ line: 1, column: 1 }]);
});

test.each(['[a"b]', "[a'b]", "[a\\b]", "[a\u{1}b]", "[a\u{7f}b]"])(
  "systemd refuses a file with the section %j",
  (header) => {
    expect(scanUnit(`[S]\n${header}\n`, "systemd").problems).toMatchObject([
      { line: 2, message: expect.stringContaining("refuses the whole file") },
    ]);
  },
);

describe.each(both)("what both read alike (%s)", (dialect) => {
  test("CRLF, indentation, spaces around =, repeated sections", () => {
    const scanned = scanUnit("[S]\r\n  K = 1 \r\n[T]\r\n[S]\r\nL=a=b\r\n", dialect);
    expect(scanned.assignments).toEqual([
      { section: "S", key: "K", value: "1", line: 2, column: 3 },
      { section: "S", key: "L", value: "a=b", line: 5, column: 1 },
    ]);
    expect(scanned.sections.map(({ name, line }) => `${name}:${line}`)).toEqual(["S:1", "T:3", "S:4"]);
  });

  test("an assignment knows the line it begins on", () => {
    expect(scanUnit("\n# x\n[S]\n\nK=1 \\\n2\nL=3\n", dialect).assignments.map(({ line }) => line)).toEqual([5, 7]);
  });

  test("an empty assignment has an empty value", () => {
    expect(values("[S]\nK=\nL =  \n", dialect)).toEqual(["K=", "L="]);
  });

  test.each([
    ["[S]\nnothing\n", 2],
    ["K=1\n", 1],
    ["[S]\n=1\n", 2],
    ["[S\nK=1\n", 1],
  ])("%j is a problem in line %i", (text, line) => {
    expect(scanUnit(text, dialect).problems.map((problem) => problem.line)).toContain(line);
  });

  test("no text at all", () => {
    expect(scanUnit("", dialect)).toEqual({ sections: [], assignments: [], problems: [] });
  });

  test("property: any text is scanned, and every line it names exists", () => {
    const text = fc
      .array(fc.constantFrom("[S]", "K=1", "=", "\\", "#", "\n", "\r\n", " ", "x", "\u{85}"), { maxLength: 40 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (unit) => {
        const { assignments, problems, sections } = scanUnit(unit, dialect);
        const lines = unit.split(/\r\n|\n\r|\n|\r/).length;
        for (const { line } of [...assignments, ...problems, ...sections])
          expect(line >= 1 && line <= lines).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("one value of a hundred thousand lines", () => {
    const { assignments } = scanUnit(`[S]\nK=${"x \\\n".repeat(100_000)}end\n`, dialect);
    expect(assignments).toHaveLength(1);
  });
});
