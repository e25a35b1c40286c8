import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { isMap, type Value } from "../../../src/core/value.ts";
import type { Edit } from "../../../src/formats/format.ts";
import { dialects } from "../../../src/formats/ini/dialect.ts";
import { iniFormat } from "../../../src/formats/ini/ini.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { Random } from "../../fuzz/random.ts";

const format = iniFormat(dialects.git);
const cases = Number(process.env.GIT_CASES ?? 250);

const pieces = [
  ["[core]", "[Core]", "[branch.Main]", '[branch "main"]', '[branch "a\\"b"]', '[a "]"]', "[x] ", "\t[x-1]", "[a][b]"],
  [
    "editor = vim",
    "editor=vi",
    "\tflag",
    "name = a b ",
    'name = "a ; b"',
    "k = a\\tb",
    "k = \\\\",
    "url = # no",
    "k=\\",
  ],
  ["\n", "\n", "\n", "\n", "\r\n", " ", "\t", ""],
  ["# one", "; two", " ;", '"', "\\", "\\\n", "=", "]", "\ufeff", "é"],
];

function textOf(random: Random): string {
  let text = "";
  for (let i = 2 + random.below(9); i > 0; i--) {
    const kind = random.below(8);
    text += random.of(pieces[kind < 3 ? 0 : kind < 6 ? 1 : kind < 7 ? 2 : 3]!);
    text += random.of([" ", "\n", "\n", ""]);
  }
  return text;
}

/** What git makes of a text, by name: the value that counts. Undefined where it can't read it. */
function readByGit(file: string, text: string): Record<string, string> | undefined {
  fs.writeFileSync(file, text);
  const { status, stdout } = spawnSync("git", ["config", "--list", "-z", "-f", file], { encoding: "utf8" });
  if (status !== 0) return undefined;
  const all = stdout.split("\0").slice(0, -1);
  return Object.fromEntries(
    all.map((each) => {
      const [name, ...value] = each.split("\n");
      return [name!, value.length === 0 ? "true" : blanks(value.join("\n"))];
    }),
  );
}

/** The same by our reading, under git's names. */
function named(value: Value): Record<string, string> {
  const found: [string, string][] = [];
  for (const [name, held] of Object.entries(value as Record<string, Value>)) {
    if (!isMap(held)) {
      found.push([name.toLowerCase(), blanks(String(held))]);
      continue;
    }
    const folded = dialects.git.folding.section(name);
    const [, section, rest] = /^(\S+)(?: (.*))?$/s.exec(folded)!;
    for (const [key, each] of Object.entries(held))
      found.push([
        `${section}.${rest === undefined ? "" : `${unquoted(rest)}.`}${key.toLowerCase()}`,
        blanks(String(each)),
      ]);
  }
  return Object.fromEntries(found);
}

/** Releases before 2.45 make a blank of a tab. */
function blanks(value: string): string {
  return value.replaceAll("\t", " ");
}

function unquoted(name: string): string {
  return name.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1");
}

it("what git reads is read alike, and an edit means to git what was meant", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-git-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, "config");
  let [read, changed] = [0, 0];
  for (let seed = 1; seed <= cases; seed++) {
    const random = new Random(seed);
    const text = textOf(random);
    const ours = format.read(text);
    if (ours.kind === "malformed") continue;
    const theirs = readByGit(file, text);
    const meant = named(ours.document.root.value());
    expect([text, theirs && Object.entries(theirs).sort()]).toEqual([text, Object.entries(meant).sort()]);
    read++;
    const [section] = ours.document.root.names();
    if (section === undefined || ours.document.root.get(section)?.kind !== "map") continue;
    const edit: Edit = { kind: "insert", into: [section], name: "added", value: "a b", place: "end" };
    const result = editVerified(format, ours.document, [edit]);
    if (result.kind !== "edited") continue;
    const again = format.read(result.text);
    if (again.kind === "malformed") throw new Error(result.text);
    const after = Object.entries(readByGit(file, result.text) ?? {}).sort();
    expect([result.text, after]).toEqual([result.text, Object.entries(named(again.document.root.value())).sort()]);
    expect(after).toHaveLength(Object.keys(meant).length + 1);
    const back = editVerified(format, again.document, [{ kind: "remove", at: [section, "added"] }]);
    expect(back).toMatchObject({ kind: "edited", text });
    changed++;
  }
  expect(Math.min(read, changed)).toBeGreaterThan(cases / 12);
});
