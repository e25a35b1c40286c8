import type { Folding } from "../lined/read.ts";

/** What a program allows in its INI files. There is no standard: each of these reads some of them differently. */
export interface Dialect {
  readonly name: "git" | "npm" | "python" | "desktop" | "editorconfig" | "plain";
  /** Signs that begin a comment at the start of a line. */
  readonly comments: string;
  /** `=` only, or whichever of `=` and `:` comes first. */
  readonly delimiters: "=" | "=:";
  /** Whether a line that stands further in than its entry goes on with the entry's value. */
  readonly indentContinues: boolean;
  /** git's own rules for values: quotes, escapes, a backslash at the end of a line, comments behind the value. */
  readonly quotes: boolean;
  /** The line of a section, from its first bracket on: `name`, and what stands behind it. */
  readonly header: RegExp;
  /** Which names are the same. */
  readonly folding: Folding;
}

const asWritten = (name: string) => name;
const anyCase = (name: string) => name.toLowerCase();

/** A glob may hold brackets itself, and so may a comment behind the header. */
const shortest = /^\[(?<name>.*?)\](?<behind>[ \t]*(?:[#;].*)?)$/;
/** Whatever stands behind the last bracket is skipped. */
const longest = /^\[(?<name>.*)\](?<behind>[^\]]*)$/;
const gitHeader = /^\[(?<name>[A-Za-z0-9.-]+(?:[ \t]+"(?:[^"\\]|\\.)*")?)\](?<behind>.*)$/;

const plain: Dialect = {
  name: "plain",
  comments: "#;",
  delimiters: "=",
  indentContinues: false,
  quotes: false,
  header: shortest,
  folding: { section: asWritten, entry: asWritten },
};
const git: Dialect = {
  ...plain,
  name: "git",
  quotes: true,
  header: gitHeader,
  folding: { section: gitSection, entry: anyCase },
};
/** An address is a part of a name here (`//npm.example.test/:_authToken`), so a colon says nothing. */
const npm: Dialect = { ...plain, name: "npm" };
/** As Python's configparser has it: pip, tox, setuptools, mypy. */
const python: Dialect = {
  ...plain,
  name: "python",
  delimiters: "=:",
  indentContinues: true,
  header: longest,
  folding: { section: asWritten, entry: anyCase },
};
const desktop: Dialect = { ...plain, name: "desktop", comments: "#" };
const editorconfig: Dialect = { ...plain, name: "editorconfig", folding: { section: asWritten, entry: anyCase } };

export const dialects = { plain, git, npm, python, desktop, editorconfig } as const;

/** `[Core]` is `[core]`, and `[branch.main]` is `[branch "main"]`; what stands in quotes is as it is. */
function gitSection(name: string): string {
  const [, section = "", rest = ""] = /^([^. \t"]*)(.*)$/s.exec(name)!;
  if (rest.startsWith(".")) return `${section} "${rest.slice(1)}"`.toLowerCase();
  const quoted = rest.replace(/^[ \t]+/, "").replace(/\\(?!["\\])/g, "");
  return quoted === "" ? section.toLowerCase() : `${section.toLowerCase()} ${quoted}`;
}

const pythonFiles = "pip.conf pip.ini setup.cfg tox.ini mypy.ini .mypy.ini .pylintrc .pypirc .flake8 .coveragerc";
const byName: ReadonlyMap<string, Dialect> = new Map([
  ...[".gitconfig", "gitconfig", ".gitmodules", ".gitconfig.local"].map((name) => [name, git] as const),
  ...[".npmrc", "npmrc"].map((name) => [name, npm] as const),
  ...pythonFiles.split(" ").map((name) => [name, python] as const),
  ...[".editorconfig", "editorconfig"].map((name) => [name, editorconfig] as const),
]);

/** The dialect of a file, by its name; undefined where the name says nothing of INI. */
export function iniDialect(path: string): Dialect | undefined {
  const [name = "", folder] = path.split(/[\\/]/).reverse();
  if (name === "config" && (folder === ".git" || folder === "git")) return git;
  if (/\.(?:desktop|directory)$/.test(name)) return desktop;
  return byName.get(name) ?? (/\.ini$/i.test(name) ? plain : undefined);
}
