import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "dotenv";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dotenv } from "../../src/formats/dotenv/dotenv.ts";
import type { Document, Edit } from "../../src/formats/format.ts";
import { editVerified } from "../../src/formats/verify/verify.ts";

/** Everything that means something to some reader of these files, in any order. */
const piece = fc.constantFrom(
  ..."AB=:# '\"`\\$xn\t.-",
  "\n",
  "\n",
  "\n",
  "\r\n",
  "export ",
  "A=",
  "B=",
  'A="',
  "\nA='",
  "\nB=x",
  "\\n",
  '\\"',
  " # ",
  "\u00a0",
  "é",
);
const anyText = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
const anyValue = fc
  .array(
    fc.constantFrom(..."aZ09_ /:.,@%+=-#$~!*?&|;<>(){}[]^\t\n'\"`", "\\n", "\\a", "é", "$HOME", "$" + "{X}", "$(id)"),
    {
      maxLength: 10,
    },
  )
  .map((pieces) => pieces.join(""));

function readIfClear(text: string): Document | undefined {
  const result = dotenv.read(text);
  return result.kind === "read" ? result.document : undefined;
}

const insert = (name: string, value: string): Edit => ({ kind: "insert", into: [], name, value, place: "end" });

describe("dotenv, whatever the text", () => {
  it("reads what the dotenv package reads, or refuses", () => {
    let clear = 0;
    const property = fc.property(anyText, (text) => {
      const document = readIfClear(text);
      if (document === undefined) return;
      clear++;
      const value = { ...(document.root.value() as Record<string, string>) };
      expect(value).toEqual(parse(text));
      expect(value).toEqual(parse(text, { fast: true }));
    });
    fc.assert(property, { numRuns: 4000 });
    expect(clear).toBeGreaterThan(400);
  });

  it("gives every byte back", () => {
    const property = fc.property(anyText, anyValue, anyValue, (text, first, second) => {
      const before = readIfClear(text);
      const added = before && editVerified(dotenv, before, [insert("FIRST", first), insert("SECOND", second)]);
      if (added?.kind !== "edited") return;
      const after = readIfClear(added.text);
      expect(after?.root.get("FIRST")?.value()).toBe(first);
      expect(after?.root.get("SECOND")?.value()).toBe(second);
      const removed = after?.edit([
        { kind: "remove", at: ["FIRST"] },
        { kind: "remove", at: ["SECOND"] },
      ]);
      expect(removed?.kind === "edited" && removed.text).toBe(text);
    });
    fc.assert(property, { numRuns: 1500 });
  });

  it("changes one value and nothing else", () => {
    const property = fc.property(anyText, anyValue, (text, value) => {
      const before = readIfClear(text);
      const node = before?.root.get("A");
      if (before === undefined || node === undefined || node.locked() !== undefined) return;
      const result = editVerified(dotenv, before, [{ kind: "set", at: ["A"], value }]);
      if (result.kind === "refused") {
        expect(result.message).toMatch(/^can't write A/);
        return;
      }
      const [range] = node.ranges;
      expect(result.text.startsWith(text.slice(0, range?.start))).toBe(true);
      expect(result.text.endsWith(text.slice(range?.end))).toBe(true);
      expect(readIfClear(result.text)?.root.value()).toEqual({ ...(before.root.value() as object), A: value });
    });
    fc.assert(property, { numRuns: 1500 });
  });

  it("reads and edits a long file", () => {
    const text = Array.from({ length: 40_000 }, (_, at) => `NAME_${at}="value ${at}" # note\n\n`).join("");
    const document = readIfClear(text)!;
    const result = editVerified(
      dotenv,
      document,
      Array.from({ length: 5000 }, (_, at) => insert(`NEW_${at}`, "x y")),
    );
    expect(result.kind).toBe("edited");
  });
});

describe("dotenv and shells", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "stet-dotenv-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ["sh", []],
    ["bash", ["--norc"]],
  ])("what is written is what %s reads", (shell, options) => {
    const values = fc.sample(anyValue, { numRuns: 600, seed: 42 });
    const written: string[] = [];
    let text = "HOME=/nowhere\n";
    for (const value of values) {
      const result = readIfClear(text)!.edit([insert(`V${written.length}`, value)]);
      if (result.kind === "refused") continue;
      text = result.text;
      written.push(value);
    }
    expect(written.length).toBeGreaterThan(200);
    writeFileSync(join(folder, "env"), text);
    const print = `. ./env && printf '%s\\0' ${written.map((_, at) => `"$V${at}"`).join(" ")}`;
    const { stdout, stderr } = spawnSync(shell, [...options, "-c", print], { cwd: folder, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("\0").slice(0, -1)).toEqual(written);
  });
});
