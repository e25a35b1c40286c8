/** How a comment of one line is written: `close` only where it has to be ended. */
export interface CommentStyle {
  readonly open: string;
  readonly close: string;
}

const lineStyle = (open: string): CommentStyle => ({ open, close: "" });
const hash = lineStyle("#");
const markup: CommentStyle = { open: "<!--", close: "-->" };

/**
 * By what a file's name ends in (behind the last dot, or the whole name). Everything else has `#`, as shells, Python,
 * YAML and TOML do.
 */
const styles: readonly (readonly [CommentStyle, readonly string[]])[] = [
  [markup, ["md", "markdown", "mdx", "mdc", "html", "htm", "xhtml", "xml", "svg", "vue", "plist", "xsl", "xslt"]],
  [
    lineStyle("//"),
    [
      "js",
      "mjs",
      "cjs",
      "jsx",
      "ts",
      "mts",
      "cts",
      "tsx",
      "jsonc",
      "json5",
      "c",
      "h",
      "cc",
      "cpp",
      "hpp",
      "cs",
      "java",
    ],
  ],
  [
    lineStyle("//"),
    [
      "kt",
      "kts",
      "go",
      "rs",
      "swift",
      "scala",
      "php",
      "dart",
      "groovy",
      "gradle",
      "proto",
      "zig",
      "scss",
      "less",
      "kdl",
    ],
  ],
  [{ open: "/*", close: "*/" }, ["css"]],
  [lineStyle("--"), ["sql", "lua", "hs", "elm", "adb", "ads", "vhd", "vhdl"]],
  [lineStyle(";"), ["ini", "el", "clj", "cljs", "edn", "lisp", "scm", "asm", "reg"]],
  [lineStyle("%"), ["tex", "sty", "cls", "erl", "hrl"]],
  [lineStyle('"'), ["vim", "vimrc", "_vimrc", "gvimrc", "_gvimrc", "exrc", "ideavimrc"]],
  [lineStyle("REM"), ["bat", "cmd"]],
];
const byEnding = new Map(styles.flatMap(([style, endings]) => endings.map((ending) => [ending, style] as const)));

/**
 * The comment style for a file, by its name and, where that says nothing, by how its text begins; undefined where there
 * are no comments.
 */
export function commentStyleOf(fileName: string, text: string): CommentStyle | undefined {
  const name = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (ending === "json") return undefined;
  const known = byEnding.get(ending);
  if (known !== undefined) return known;
  return /^\s*<(?:\?xml|!DOCTYPE|!--|html)/i.test(text.slice(0, 200)) ? markup : hash;
}
