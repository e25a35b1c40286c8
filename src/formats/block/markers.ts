import { splitLines } from "../../text/lines.ts";

/** A line that opens or closes somebody's block. */
export interface Marker {
  readonly kind: "begin" | "end";
  /** As it stands in the line: in capitals. */
  readonly owner: string;
  readonly start: number;
  /** Behind its line break, if it has one. */
  readonly end: number;
  /** From 1. */
  readonly line: number;
}

/**
 * Indentation, a comment sign (repeated or not, `##`), `BEGIN NAME MANAGED`, and anything behind it. The name is one
 * word: `ZYLOS`, `ZYLOS2` and `zylos` are three owners.
 */
const markerLine =
  /^\s*(?:#+|\/\/+|--+|;+|%+|<!--+|\/\*+|"+|'+|::|REM\s|rem\s)[ \t]*(BEGIN|END)[ \t]+(\S+)[ \t]+MANAGED(?!\w)/;

/** An owner's name as markers spell it: in capitals, blanks as `-`, everything else as it is. */
export function markerName(owner: string): string {
  return owner.trim().toUpperCase().replace(/\s+/g, "-");
}

/** The markers of all owners, in order. */
export function findMarkers(text: string): Marker[] {
  const markers: Marker[] = [];
  // Most texts hold none: one search for the word is quicker than looking at every line.
  if (!text.includes("MANAGED")) return markers;
  // A BOM belongs to the file, whoever wrote its first line.
  let start = text.startsWith("\ufeff") ? 1 : 0;
  for (const [index, line] of splitLines(text.slice(start)).entries()) {
    const match = line.includes("MANAGED") ? markerLine.exec(line) : null;
    const end = start + line.length;
    if (match)
      markers.push({ kind: match[1] === "BEGIN" ? "begin" : "end", owner: match[2]!, start, end, line: index + 1 });
    start = end;
  }
  return markers;
}

/**
 * Behind the end of the block around the line before `at`, if only blank lines and comments (`#`) follow in it: what
 * comes behind that line is not meant for the block. Else `at` itself.
 */
export function behindBlock(text: string, at: number): number {
  for (let start = at; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, end).trim();
    if (line !== "" && !line.startsWith("#")) return at;
    const match = line.includes("MANAGED") ? markerLine.exec(line) : null;
    if (match) return match[1] === "END" ? end : at;
    start = end;
  }
  return at;
}

/** How a comment of one line is written: `close` only where it has to be ended. */
export interface CommentStyle {
  readonly open: string;
  readonly close: string;
}

const lineStyle = (open: string): CommentStyle => ({ open, close: "" });
const hash = lineStyle("#");
const markup: CommentStyle = { open: "<!--", close: "-->" };

/**
 * By what a file's name ends in (behind the last dot, or all of it). Other files have `#`, as in shells, Python and
 * YAML.
 */
const styles: readonly (readonly [CommentStyle, string])[] = [
  [markup, "md markdown mdx mdc html htm xhtml xml svg vue plist xsl xslt"],
  [lineStyle("//"), "js mjs cjs jsx ts mts cts tsx jsonc json5 c h cc cpp hpp cs java kt kts go rs swift scala php"],
  [lineStyle("//"), "dart groovy gradle proto zig scss less kdl"],
  [{ open: "/*", close: "*/" }, "css"],
  [lineStyle("--"), "sql lua hs elm adb ads vhd vhdl"],
  [lineStyle(";"), "ini el clj cljs edn lisp scm asm reg"],
  [lineStyle("%"), "tex sty cls erl hrl"],
  [lineStyle('"'), "vim vimrc _vimrc gvimrc _gvimrc exrc ideavimrc"],
  [lineStyle("REM"), "bat cmd"],
];
const byEnding = new Map(
  styles.flatMap(([style, endings]) => endings.split(" ").map((ending) => [ending, style] as const)),
);

/** The comment style for a file, by its name or else by how its text begins; undefined where there are no comments. */
export function commentStyleOf(fileName: string, text: string): CommentStyle | undefined {
  const name = fileName.slice(Math.max(fileName.lastIndexOf("/"), fileName.lastIndexOf("\\")) + 1);
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  if (ending === "json") return undefined;
  const known = byEnding.get(ending);
  if (known !== undefined) return known;
  return /^\s*<(?:\?xml|!DOCTYPE|!--|html)/i.test(text.slice(0, 200)) ? markup : hash;
}
