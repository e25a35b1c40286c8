import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BlockEdit, readBlock, removeBlock, writeBlock } from "../../src/formats/block/block.ts";

const alone = (fileName: string) => ({ fileName, traceOf: () => undefined });
const rc = alone(".bashrc");
const block = (owner: string, body: string) => `# BEGIN ${owner} MANAGED\n${body}# END ${owner} MANAGED\n`;

function edited(edit: BlockEdit): Extract<BlockEdit, { kind: "edited" }> {
  if (edit.kind === "refused") throw new Error(`refused at ${edit.offset}: ${edit.message}`);
  return edit;
}

describe("reading a block", () => {
  it("finds nothing where nothing is", () => {
    expect(readBlock("", "zylos")).toEqual({ kind: "absent" });
    expect(readBlock("alias x=y\n", "zylos")).toEqual({ kind: "absent" });
  });

  it("tells what is inside and where", () => {
    const text = `before\n${block("ZYLOS", "a\nb\n")}after\n`;
    const found = readBlock(text, "zylos");
    if (found.kind !== "found") throw new Error(found.kind);
    expect(found.body).toBe("a\nb\n");
    expect(text.slice(found.inner.start, found.inner.end)).toBe("a\nb\n");
    expect(text.slice(found.outer.start, found.outer.end)).toBe(block("ZYLOS", "a\nb\n"));
  });

  it.each([
    ["//", "// BEGIN ZYLOS MANAGED", "// END ZYLOS MANAGED"],
    ["--", "-- BEGIN ZYLOS MANAGED", "-- END ZYLOS MANAGED"],
    ["; without a space", ";BEGIN ZYLOS MANAGED", ";END ZYLOS MANAGED"],
    ["%", "% BEGIN ZYLOS MANAGED", "%% END ZYLOS MANAGED"],
    ["<!--", "<!-- BEGIN ZYLOS MANAGED -->", "<!-- END ZYLOS MANAGED -->"],
    ["<!-- without spaces", "<!--BEGIN ZYLOS MANAGED-->", "<!--END ZYLOS MANAGED-->"],
    ["/*", "/* BEGIN ZYLOS MANAGED */", "/* END ZYLOS MANAGED */"],
    ['"', '" BEGIN ZYLOS MANAGED', '" END ZYLOS MANAGED'],
    ["REM", "REM BEGIN ZYLOS MANAGED", "REM END ZYLOS MANAGED"],
    ["indentation", "\t  # BEGIN ZYLOS MANAGED", "    # END ZYLOS MANAGED"],
    ["text behind", "### BEGIN ZYLOS MANAGED BLOCK -- keep out ###", "### END ZYLOS MANAGED: thanks"],
    ["a BOM", "\ufeff# BEGIN ZYLOS MANAGED", "# END ZYLOS MANAGED"],
  ])("knows markers with %s", (_, begin, end) => {
    expect(readBlock(`${begin}\nbody\n${end}`, "zylos")).toMatchObject({ kind: "found", body: "body\n" });
    expect(readBlock(`${begin}\r\nbody\r\n${end}\r\n`, "zylos")).toMatchObject({ kind: "found", body: "body\n" });
  });

  it.each([
    ["a longer name", "# BEGIN ZYLOS2 MANAGED\n# END ZYLOS2 MANAGED\n"],
    ["a shorter name", "# BEGIN ZYLO MANAGED\n# END ZYLO MANAGED\n"],
    ["small letters", "# BEGIN zylos MANAGED\n# END zylos MANAGED\n"],
    ["no comment sign", "BEGIN ZYLOS MANAGED\nEND ZYLOS MANAGED\n"],
    ["words before", "# see BEGIN ZYLOS MANAGED\n# see END ZYLOS MANAGED\n"],
    ["a longer last word", "# BEGIN ZYLOS MANAGEDLY\n# END ZYLOS MANAGEDLY\n"],
  ])("is not taken in by %s", (_, text) => {
    expect(readBlock(text, "zylos")).toEqual({ kind: "absent" });
  });

  it("spells an owner's name in capitals and leaves its other signs", () => {
    expect(readBlock(block("MY-TOOL.2", "x\n"), "my-tool.2")).toMatchObject({ kind: "found" });
    expect(readBlock(block("MY-TOOL.2", "x\n"), "my-toolx2")).toEqual({ kind: "absent" });
  });

  const [begin, end] = ["# BEGIN ZYLOS MANAGED\n", "# END ZYLOS MANAGED\n"];
  const [otherBegin, otherEnd] = ["# BEGIN OTHER MANAGED\n", "# END OTHER MANAGED\n"];
  it.each([
    ["a BEGIN without END", `x\n${begin}a\n`, 2, /has no END; put the END line back/],
    ["an END without BEGIN", `x\n${end}`, 2, /no BEGIN before it; delete it/],
    ["swapped markers", `${end}a\n${begin}`, 0, /BEGIN in line 3 should come before it/],
    ["a second block", begin + end + begin + end, begin.length + end.length, /begins a second block/],
    ["a nested block", begin + begin + end + end, begin.length, /line 1 already has BEGIN/],
    ["two ENDs", begin + end + end, begin.length + end.length, /is there twice/],
    [
      "a stranger's block inside",
      begin + otherBegin + otherEnd + end,
      begin.length,
      /ZYLOS and OTHER run into each other/,
    ],
    ["a stranger's block around", otherBegin + begin + end + otherEnd, 0, /ZYLOS and OTHER run into each other/],
    ["interleaved blocks", begin + otherBegin + end + otherEnd, begin.length, /ZYLOS and OTHER run into each other/],
    [
      "interleaved blocks, ours second",
      otherBegin + begin + otherEnd + end,
      otherBegin.length + begin.length,
      /run into each other/,
    ],
  ])("refuses %s", (_, text, offset, message) => {
    expect(readBlock(text, "zylos")).toEqual({ kind: "malformed", offset, message: expect.stringMatching(message) });
    const refused = { kind: "refused", offset, message: expect.stringMatching(message) };
    expect(writeBlock(text, "zylos", "new\n", rc)).toEqual(refused);
    expect(removeBlock(text, "zylos", undefined)).toEqual(refused);
  });

  it("does not mind a stranger's broken markers elsewhere", () => {
    expect(readBlock(otherBegin + begin + end, "zylos")).toMatchObject({ kind: "found" });
    expect(readBlock(begin + end + otherEnd, "zylos")).toMatchObject({ kind: "found" });
    expect(readBlock(otherBegin + otherEnd + begin + end + otherBegin + otherEnd, "zylos")).toMatchObject({
      kind: "found",
    });
  });
});

describe("writing a block", () => {
  it.each([
    ["an empty file", "", block("ZYLOS", "a\n")],
    ["a file", "x\n", `x\n\n${block("ZYLOS", "a\n")}`],
    ["a file that ends in a blank line", "x\n\n", `x\n\n${block("ZYLOS", "a\n")}`],
    ["a file without a final line break", "x", `x\n\n${block("ZYLOS", "a\n")}`],
    ["a file with CRLF", "x\r\n", `x\r\n\r\n${block("ZYLOS", "a\n").replaceAll("\n", "\r\n")}`],
    ["a file that is only a BOM", "\ufeff", `\ufeff${block("ZYLOS", "a\n")}`],
  ])("adds it to %s, and gives every byte back", (_, text, expected) => {
    const { text: written, trace } = edited(writeBlock(text, "zylos", "a\n", rc));
    expect(written).toBe(expected);
    expect(edited(removeBlock(written, "zylos", trace)).text).toBe(text);
  });

  it.each([
    [".bashrc", "# BEGIN ZYLOS MANAGED"],
    ["/home/u/.zshrc", "# BEGIN ZYLOS MANAGED"],
    ["script.py", "# BEGIN ZYLOS MANAGED"],
    ["Makefile", "# BEGIN ZYLOS MANAGED"],
    ["CLAUDE.md", "<!-- BEGIN ZYLOS MANAGED -->"],
    ["settings.jsonc", "// BEGIN ZYLOS MANAGED"],
    ["x.TS", "// BEGIN ZYLOS MANAGED"],
    ["style.css", "/* BEGIN ZYLOS MANAGED */"],
    ["schema.sql", "-- BEGIN ZYLOS MANAGED"],
    ["C:\\conf\\app.ini", "; BEGIN ZYLOS MANAGED"],
    [".vimrc", '" BEGIN ZYLOS MANAGED'],
    ["init.vim", '" BEGIN ZYLOS MANAGED'],
    ["paper.tex", "% BEGIN ZYLOS MANAGED"],
    ["run.bat", "REM BEGIN ZYLOS MANAGED"],
  ])("marks it in %s by %s", (fileName, begin) => {
    const written = edited(writeBlock("", "zylos", "a", alone(fileName))).text;
    expect(written).toBe(`${begin}\na\n${begin.replace("BEGIN", "END")}\n`);
    expect(readBlock(written, "zylos")).toMatchObject({ kind: "found", body: "a\n" });
  });

  it("knows markup without an extension by how it begins", () => {
    expect(edited(writeBlock('<?xml version="1.0"?>\n', "zylos", "", alone("config"))).text).toContain(
      "<!-- BEGIN ZYLOS MANAGED -->",
    );
  });

  it("replaces the body where the block stands, and only that", () => {
    const text = "x\n  ## BEGIN ZYLOS MANAGED (do not edit)\nold\n  ## END ZYLOS MANAGED\ny";
    expect(edited(writeBlock(text, "zylos", "new\nlines", rc)).text).toBe(text.replace("old\n", "new\nlines\n"));
    expect(edited(writeBlock(text, "zylos", "", rc)).text).toBe(text.replace("old\n", ""));
  });

  it("writes the file's line breaks, and leaves a body that is already there", () => {
    const text = "x\r\n# BEGIN ZYLOS MANAGED\r\nold\n# END ZYLOS MANAGED\r\n";
    expect(edited(writeBlock(text, "zylos", "a\nb\n", rc)).text).toBe(text.replace("old\n", "a\r\nb\r\n"));
    expect(edited(writeBlock(text, "zylos", "old\n", rc)).text).toBe(text);
  });

  it.each([
    ["a body with a marker in it", "x.sh", "a\n# END ZYLOS MANAGED\n", /line 2 .* is itself a marker/],
    ["a file without comments", "settings.json", "a\n", /no comments/],
  ])("refuses %s", (_, fileName, body, message) => {
    expect(writeBlock("", "zylos", body, alone(fileName))).toEqual({
      kind: "refused",
      offset: 0,
      message: expect.stringMatching(message),
    });
  });
});

describe("removing a block", () => {
  const original = "one\ntwo";
  const { text: installed, trace } = edited(writeBlock(original, "zylos", "a\n", rc));

  it.each([
    ["the user changed a line before it", installed.replace("one", "uno"), "uno\ntwo"],
    ["the user went on behind it", `${installed}three\n`, "one\ntwo\nthree\n"],
    ["the user took the blank line out", installed.replace("\n\n", "\n"), "one\ntwo"],
    ["the user moved it to the top", `${block("ZYLOS", "a\n")}one\ntwo\n`, "one\ntwo\n"],
    ["the user moved it between two lines", `one\n${block("ZYLOS", "a\n")}two\n`, "one\ntwo\n"],
    ["the user removed it", original, original],
    ["an editor changed the line breaks", installed.replaceAll("\n", "\r\n"), "one\r\ntwo"],
    ["the blank line got a blank", installed.replace("\n\n", "\n \n"), "one\ntwo\n "],
  ])("works when %s", (_, text, expected) => {
    expect(edited(removeBlock(text, "zylos", trace)).text).toBe(expected);
  });

  it("leaves another owner's block alone", () => {
    const first = edited(writeBlock("x\n", "zylos", "a\n", rc));
    const second = edited(writeBlock(first.text, "zylos2", "b\n", alone("x.sql")));
    expect(readBlock(second.text, "zylos")).toMatchObject({ kind: "found", body: "a\n" });
    const without = edited(removeBlock(second.text, "zylos", first.trace));
    expect(without.text).toBe("x\n\n-- BEGIN ZYLOS2 MANAGED\nb\n-- END ZYLOS2 MANAGED\n");
    expect(edited(removeBlock(without.text, "zylos2", second.trace)).text).toBe("x\n");
  });
});

describe("blocks, whatever the text", () => {
  const line = fc.constantFrom(
    "",
    " ",
    "alias x=y",
    "# comment",
    "# BEGIN OTHER MANAGED",
    "# END OTHER MANAGED",
    "\t# BEGIN THIRD MANAGED",
    "é",
  );
  const lines = fc.array(line, { maxLength: 8 });
  const eol = fc.constantFrom("\n", "\r\n");
  const anyText = fc
    .tuple(lines, eol, fc.boolean(), fc.boolean())
    .map(([all, br, final, bom]) => (bom ? "\ufeff" : "") + all.join(br) + (final && all.length > 0 ? br : ""));
  const anyBody = fc
    .array(fc.constantFrom("", "export A=1", "  indented", "# note"), { maxLength: 4 })
    .map((all) => all.map((l) => `${l}\n`).join(""));

  it("gives every byte back, also after the block changed", () => {
    const property = fc.property(anyText, anyBody, anyBody, (text, body, next) => {
      const first = edited(writeBlock(text, "zylos", body, rc));
      expect(first.text.startsWith(text)).toBe(true);
      expect(readBlock(first.text, "zylos")).toMatchObject({ kind: "found", body });
      const second = edited(writeBlock(first.text, "zylos", next, rc));
      expect(readBlock(second.text, "zylos")).toMatchObject({ kind: "found", body: next });
      expect(edited(removeBlock(second.text, "zylos", first.trace)).text).toBe(text);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("writing twice changes nothing", () => {
    const property = fc.property(anyText, anyBody, (text, body) => {
      const { text: once } = edited(writeBlock(text, "zylos", body, rc));
      expect(edited(writeBlock(once, "zylos", body, rc)).text).toBe(once);
    });
    fc.assert(property, { numRuns: 200 });
  });

  it("touches nothing outside when the body changes, wherever the block stands", () => {
    const property = fc.property(lines, anyBody, anyBody, lines, (above, body, next, below) => {
      const text = [...above, "# BEGIN ZYLOS MANAGED", `${body}# END ZYLOS MANAGED`, ...below].join("\n");
      const found = readBlock(text, "zylos");
      const written = writeBlock(text, "zylos", next, rc);
      if (found.kind !== "found") {
        expect(written.kind).toBe("refused");
        return;
      }
      expect(edited(written).text).toBe(text.slice(0, found.inner.start) + next + text.slice(found.inner.end));
    });
    fc.assert(property, { numRuns: 300 });
  });
});
