// needs: python
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Edit, Format } from "../../../src/formats/format.ts";
import { dialects, iniDialect } from "../../../src/formats/ini/dialect.ts";
import { iniFormat } from "../../../src/formats/ini/ini.ts";
import { editVerified } from "../../../src/formats/verify/verify.ts";
import { formatFor } from "../../../src/readings/reading-data.ts";

const git = iniFormat(dialects.git);
const python = iniFormat(dialects.python);
const plain = iniFormat(dialects.plain);

function edited(format: Format, text: string, ...edits: Edit[]): string {
  const read = format.read(text);
  if (read.kind === "malformed") throw new Error(read.message);
  const result = editVerified(format, read.document, edits);
  return result.kind === "edited" ? result.text : `refused: ${result.message}`;
}
const insert = (
  into: string[],
  name: string,
  value: Edit extends never ? never : string | Record<string, string>,
  place: "end" | object = "end",
) => ({ kind: "insert", into, name, value, place }) as Edit;

it.each([
  ["/home/a/.gitconfig", "git"],
  ["/home/a/.config/git/config", "git"],
  ["/p/.git/config", "git"],
  ["/home/a/.npmrc", "npm"],
  ["/p/.editorconfig", "editorconfig"],
  ["/home/a/.config/pip/pip.conf", "python"],
  ["/usr/share/applications/x.desktop", "desktop"],
  ["/p/x.ini", "plain"],
  ["/p/config", undefined],
])("%s", (file, name) => {
  expect(iniDialect(file)?.name).toBe(name);
  expect(formatFor(file)).toBe(name === undefined ? "text" : "ini");
});

describe("a new section", () => {
  it("stands behind the others, set apart, in their style; and goes without a trace", () => {
    const text = "[user]\n\tname = A\n";
    const added = edited(git, text, insert([], 'includeIf "gitdir:~/w/"', { path: "~/w/.gitconfig" }));
    expect(added).toBe('[user]\n\tname = A\n\n[includeIf "gitdir:~/w/"]\n\tpath = ~/w/.gitconfig\n');
    expect(edited(git, added, { kind: "remove", at: ['includeIf "gitdir:~/w/"'], trace: { blank: "above" } })).toBe(
      text,
    );
  });
  it("stands before its neighbour, above that one's comment", () => {
    expect(edited(plain, "# md\n[*.md]\nx=1\n", insert([], "*", { y: "2" }, { before: "*.md" }))).toBe(
      "[*]\ny=2\n\n# md\n[*.md]\nx=1\n",
    );
  });
  it("names without a section stand above the first one, below the head of the file", () => {
    expect(edited(plain, "# head\n\n# all\n[*]\nx = 1\n", insert([], "root", "true"))).toBe(
      "# head\n\nroot = true\n# all\n[*]\nx = 1\n",
    );
    expect(edited(plain, "\n[*]\nx = 1\n", insert([], "root", "true"))).toBe("root = true\n\n[*]\nx = 1\n");
  });
});

it("a name with several values is nobody's to change", () => {
  const read = git.read("[a]\n\tfetch = 1\n\tfetch = 2\n");
  expect(read.kind === "read" && read.document.root.get("a")!.get("fetch")!.locked()).toMatch(/several values/);
});

it("a list of values is no template, which would ship the last of them", () => {
  const read = iniFormat(dialects.npm).read("omit[]=dev\nomit[]=optional\n");
  const meaning = read.kind === "read" ? read.document.meaning() : read;
  expect(meaning).toMatchObject({ kind: "malformed", message: expect.stringContaining("strategy: block"), offset: 11 });
});

it("a section without a neighbour comes last: in .editorconfig the last one counts", () => {
  expect(edited(plain, "root = 1\n\n[*]\nx = 1\n", insert([], "*.py", { x: "2" }, { after: "root" }))).toBe(
    "root = 1\n\n[*]\nx = 1\n\n[*.py]\nx = 2\n",
  );
});

describe("values of several lines, as Python reads them", () => {
  const long = "[a]\nx =\n  1\n# between\n\n  2\n\ny: 3\n";
  const root = () => {
    const read = python.read(long);
    if (read.kind === "malformed") throw new Error(read.message);
    return read.document.root.get("a")!;
  };
  it("go on behind comments and blank lines", () => {
    expect(root().value()).toEqual({ x: "\n1\n\n2", y: "3" });
    expect(root().get("x")!.locked()).toMatch(/comment between/);
    expect(root().get("y")!.locked()).toBeUndefined();
  });
  it("are written with a blank line, and no blanks at the ends", () => {
    expect(edited(python, long, insert(["a"], "z", "\n1\n\n2"))).toBe(`${long}z:\n    1\n\n    2\n`);
    expect(edited(python, "[a]\nx =\n  1", insert(["a"], "z", "2"))).toBe("[a]\nx =\n  1\nz = 2");
    expect(edited(python, "[a]\n", insert(["a"], "z", "1\n"))).toContain("refused");
  });
});

it.each([
  ["git", "[Core] # [x]\n\tEditor = vi\n[core]\n\tPager = a\n", ["core", "editor"], "vi"],
  ["git", '[branch.Main]\n\tremote = o\n[url "a] ; b"]\n\tx = 1\n', ['branch "main"', "Remote"], "o"],
  ["git", '[url "A] ; b"]\n\tx = 1\n', ['URL "A] ; b"', "x"], "1"],
  ["editorconfig", "[*] ; all [files]\nIndent_Size = 2\n", ["*", "indent_size"], "2"],
  ["python", "[a]\nTimeout = 2\n", ["a", "timeout"], "2"],
] as const)("%s: names that are the same to the program, in %j", (dialect, text, [section, name], value) => {
  const read = iniFormat(dialects[dialect]).read(text);
  const found = read.kind === "read" ? read.document.root.get(section) : undefined;
  expect(found?.get(name)?.value()).toBe(value);
});

it.each([
  ['[a]\n\tx = "1 \\\n2"\n\ty = 3\n', { x: "1 2", y: "3" }],
  ["[a]\n\tx = 1 \\\n 2 # c \\\n\ty = 3\n", { x: "1  2", y: "3" }],
  ["[a]\n\tx = 1 # c \\\n\ty = 3\n", { x: "1", y: "3" }],
  ["[a]\n\tx = 1\\\\\n\ty = 3\n", { x: "1\\", y: "3" }],
])("git: where a value goes on in the next line, %j", (text, meant) => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "stet-ini-")), "config");
  onTestFinished(() => fs.rmSync(path.dirname(file), { recursive: true, force: true }));
  fs.writeFileSync(file, text);
  const listed = execFileSync("git", ["config", "-f", file, "--list"], { encoding: "utf8" });
  expect(listed.trim().split("\n")).toEqual(Object.entries(meant).map(([name, value]) => `a.${name}=${value}`));
  const read = git.read(text);
  expect(read.kind === "read" && read.document.root.get("a")!.value()).toEqual(meant);
  expect(git.readIndependently(text)).toEqual({ a: meant });
});

it("git: the case of a name in quotes counts", () => {
  const read = git.read('[remote "Origin"]\n\turl = u\n');
  expect(read.kind === "read" && read.document.root.get('remote "origin"')).toBeUndefined();
});

it.each([
  ["a header that is not closed", "[a\n", "not closed"],
  ["a value without a name", "= 1\n", "without a name"],
])("%s is refused", (_name, text, why) =>
  expect(git.read(text)).toMatchObject({ kind: "malformed", message: expect.stringContaining(why) }),
);

const value = fc.stringMatching(/^[ -~\t]{0,12}$/);

describe("the programs themselves read what is written", () => {
  const folder = () => {
    const made = fs.mkdtempSync(path.join(os.tmpdir(), "stet-ini-"));
    onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
    return made;
  };

  it("git", () => {
    const file = path.join(folder(), "config");
    const values = fc.sample(value, { numRuns: 60, seed: 1 });
    const text = edited(
      git,
      "# mine\n[core]\n\teditor = vi # me\n",
      ...values.map((each, i) => insert(["core"], `k${i}`, each)),
    );
    fs.writeFileSync(file, text);
    const listed = execFileSync("git", ["config", "-z", "-f", file, "--list"], { encoding: "utf8" })
      .split("\0")
      .filter((line) => line !== "");
    const seen = Object.fromEntries(
      listed.map((line) => [line.slice(0, line.indexOf("\n")), line.slice(line.indexOf("\n") + 1)]),
    );
    expect(seen).toEqual({ "core.editor": "vi", ...Object.fromEntries(values.map((each, i) => [`core.k${i}`, each])) });
  });

  it("Python's configparser", () => {
    const file = path.join(folder(), "pip.conf");
    const values = fc.sample(value, { numRuns: 60, seed: 2 }).map((each) => each.trim());
    fs.writeFileSync(
      file,
      edited(python, "[global]\n# mine\na: 1\n  2\n", ...values.map((each, i) => insert(["global"], `k${i}`, each))),
    );
    const script =
      "import configparser,json,sys;c=configparser.RawConfigParser();c.read(sys.argv[1]);print(json.dumps(dict(c['global'])))";
    const seen = JSON.parse(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }));
    expect(seen).toEqual({ a: "1\n2", ...Object.fromEntries(values.map((each, i) => [`k${i}`, each])) });
  });
});

describe("an entry of git's in the line of its section", () => {
  const text = "[core] editor = vim # mine\n[a][b]x=1\n";

  it("is read, changed and taken out where it stands", () => {
    expect(edited(git, text, { kind: "set", at: ["core", "editor"], value: "vi" })).toBe(text.replace("vim", "vi"));
    expect(edited(git, text, { kind: "remove", at: ["b", "x"] })).toBe("[core] editor = vim # mine\n[a][b]\n");
    expect(edited(git, text, { kind: "remove", at: ["b"] })).toBe("[core] editor = vim # mine\n[a]\n");
  });
  it("gets its neighbours behind it, and is as it was when they go", () => {
    for (const place of ["end" as const, { before: "editor" }, { after: "editor" }]) {
      const added = edited(git, text, insert(["core"], "pager", "less", place));
      expect(added).toBe("[core] editor = vim # mine\npager = less\n[a][b]x=1\n");
      expect(edited(git, added, { kind: "remove", at: ["core", "pager"] })).toBe(text);
    }
  });
  it("leaves no place for an entry between two headers", () => {
    expect(edited(git, text, insert(["a"], "x", "1"))).toMatch("give it a line of its own");
    expect(edited(git, text, insert([], "new", { y: "2" }, { before: "b" }))).toMatch("give it a line of its own");
  });
  it("is only git's", () => {
    expect(plain.read(text)).toMatchObject({ kind: "malformed", message: expect.stringContaining("a section") });
  });
});
