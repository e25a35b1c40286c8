/** Where lines begin and end around an offset. A byte order mark is part of no line. */

export function firstLine(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

export function lineStart(text: string, at: number): number {
  if (at === 0) return 0;
  const before = text.lastIndexOf("\n", at - 1);
  return before === -1 ? firstLine(text) : before + 1;
}

/** Where the line's text ends, before its line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  if (end === -1) return text.length;
  return end > at && text[end - 1] === "\r" ? end - 1 : end;
}

/** The start of the next line, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

export function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
}

export function indentAt(text: string, at: number): string {
  const start = lineStart(text, at);
  return text.slice(start, skipBlanks(text, start));
}

/** Behind the spaces and tabs that stand here. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlankCode(text.charCodeAt(at))) at++;
  return at;
}

/** Where the spaces and tabs before an offset begin. */
export function skipBlanksBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && isBlankCode(text.charCodeAt(at - 1))) at--;
  return at;
}

/** The same with line breaks. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpaceCode(text.charCodeAt(at))) at++;
  return at;
}

export function skipSpaceBack(text: string, from: number): number {
  let at = from;
  while (at > 0 && isSpaceCode(text.charCodeAt(at - 1))) at--;
  return at;
}

/** Whether nothing but blanks and line breaks stands between two offsets. */
export function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpaceCode(text.charCodeAt(at))) return false;
  return true;
}

/** At a line break or the end of the text. Costs nothing in a long line, unlike asking where it ends. */
export function isLineEnd(text: string, at: number): boolean {
  return at >= text.length || isEmptyLine(text, at);
}

/** Only blanks from here to the end of the line. */
export function restIsBlank(text: string, at: number): boolean {
  return isLineEnd(text, skipBlanks(text, at));
}

/** Only blanks from the start of the line to here. */
export function beginsLine(text: string, at: number): boolean {
  const start = skipBlanksBack(text, at);
  return start <= firstLine(text) || text[start - 1] === "\n";
}

/** A line of nothing but blanks. The nothing behind the last line break is no line. */
export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && restIsBlank(text, start);
}

/** A line without even a blank in it. */
export function isEmptyLine(text: string, start: number): boolean {
  return text[start] === "\n" || (text[start] === "\r" && text[start + 1] === "\n");
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function isSpaceCode(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
