import type { TomlSection } from "./tree.ts";

/** Questions about lines. An offset may be anywhere in its line; a byte order mark is not part of the first one. */

export function lineStart(text: string, at: number): number {
  const before = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
  return before === -1 ? firstLine(text) : before + 1;
}

export function firstLine(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

/** Where the line's text ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  if (newline === -1) return text.length;
  return newline > at && text[newline - 1] === "\r" ? newline - 1 : newline;
}

export function nextLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline === -1 ? text.length : newline + 1;
}

export function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === " " || text[end] === "\t") end++;
  return end;
}

export function skipBlanksBack(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === " " || text[start - 1] === "\t") start--;
  return start;
}

export function skipSpace(text: string, at: number): number {
  let end = at;
  while (text[end] === " " || text[end] === "\t" || text[end] === "\n" || text[end] === "\r") end++;
  return end;
}

export function skipSpaceBack(text: string, at: number): number {
  let start = at;
  while (text[start - 1] === " " || text[start - 1] === "\t" || text[start - 1] === "\n" || text[start - 1] === "\r")
    start--;
  return start;
}

/** At a line break or the end of the text. Costs nothing in a long line, unlike asking where it ends. */
export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || text[at] === "\n" || (text[at] === "\r" && text[at + 1] === "\n");
}

/** Only blanks from `at` to the end of the line. */
export function restIsBlank(text: string, at: number): boolean {
  return isLineEnd(text, skipBlanks(text, at));
}

/** Only blanks from the start of the line to `at`. */
export function beginsLine(text: string, at: number): boolean {
  const start = skipBlanksBack(text, at);
  return start === firstLine(text) || text[start - 1] === "\n";
}

/** A line of nothing but blanks; the nothing behind the last line break is no line. */
export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && restIsBlank(text, start);
}

export function isCommentLine(text: string, start: number): boolean {
  return text[skipBlanks(text, start)] === "#";
}

export function indentAt(text: string, at: number): string {
  const start = lineStart(text, at);
  return text.slice(start, skipBlanks(text, start));
}

/**
 * The first of the comment lines directly above a line, or the line itself. A comment that touches a line from above
 * belongs to it.
 */
export function attachedStart(text: string, at: number): number {
  let start = lineStart(text, at);
  while (start > firstLine(text)) {
    const above = lineStart(text, start - 1);
    if (!isCommentLine(text, above)) break;
    start = above;
  }
  return start;
}

/**
 * Where a section ends: behind its last line, with the comment lines that follow without a gap, unless these touch the
 * next header from above and so belong to that.
 */
export function sectionEnd(text: string, section: TomlSection, next: TomlSection | undefined): number {
  const last = section.pairs.at(-1)?.end ?? section.header?.end ?? firstLine(text);
  if (last === firstLine(text) && section.header === undefined) return last;
  let end = lineEnd(text, last);
  let line = nextLine(text, last);
  while (line < text.length && isCommentLine(text, line)) {
    end = lineEnd(text, line);
    line = nextLine(text, line);
  }
  const header = next?.header;
  return header !== undefined && lineStart(text, header.start) === line ? lineEnd(text, last) : end;
}
