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
 * Indentation, a comment sign (repeated or not, `##`), `BEGIN NAME MANAGED`; the rest of the line does not matter. The
 * name is one word: `ZYLOS` and `ZYLOS2` are strangers, and so are `ZYLOS` and `zylos`.
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
 * Behind the end of the block that the line before `at` stands in, where nothing but blank lines and comments (`#`)
 * follows in it: what is put behind that line is not meant to go into the block. Else `at` itself.
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
