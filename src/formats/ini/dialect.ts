/**
 * What a program allows in its INI files. They have no standard; each of these reads some of them as the others do not.
 */
export interface Dialect {
  readonly name: "git" | "npm" | "python" | "desktop" | "plain";
  /** Signs that begin a comment at the start of a line. */
  readonly comments: string;
  /** `=` only, or whichever of `=` and `:` comes first. */
  readonly delimiters: "=" | "=:";
  /** Whether a line that stands further in than its entry goes on with the entry's value. */
  readonly indentContinues: boolean;
  /** git's own rules for values: quotes, escapes, a backslash at the end of a line, comments behind the value. */
  readonly quotes: boolean;
}

const plain: Dialect = { name: "plain", comments: "#;", delimiters: "=", indentContinues: false, quotes: false };
const git: Dialect = { ...plain, name: "git", quotes: true };
/** An address is a part of a name here (`//npm.example.test/:_authToken`), so a colon says nothing. */
const npm: Dialect = { ...plain, name: "npm" };
/** As Python's configparser has it: pip, tox, setuptools, mypy. */
const python: Dialect = { ...plain, name: "python", delimiters: "=:", indentContinues: true };
const desktop: Dialect = { ...plain, name: "desktop", comments: "#" };

export const dialects = { plain, git, npm, python, desktop } as const;

const byName: ReadonlyMap<string, Dialect> = new Map([
  ...[".gitconfig", "gitconfig", ".gitmodules", ".gitconfig.local"].map((name) => [name, git] as const),
  ...[".npmrc", "npmrc"].map((name) => [name, npm] as const),
  ...[
    "pip.conf",
    "pip.ini",
    "setup.cfg",
    "tox.ini",
    "mypy.ini",
    ".mypy.ini",
    ".pylintrc",
    ".pypirc",
    ".flake8",
    ".coveragerc",
  ].map((name) => [name, python] as const),
  ...[".editorconfig", "editorconfig"].map((name) => [name, plain] as const),
]);

/** The dialect of a file, by its name; undefined where the name says nothing of INI. */
export function iniDialect(path: string): Dialect | undefined {
  const [name = "", folder] = path.split(/[\\/]/).reverse();
  if (name === "config" && (folder === ".git" || folder === "git")) return git;
  if (/\.(?:desktop|directory)$/.test(name)) return desktop;
  return byName.get(name) ?? (/\.ini$/i.test(name) ? plain : undefined);
}
