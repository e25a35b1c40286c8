/**
 * Small looks at the blanks around an entry. A line ends at `\n`, `\r\n` or a lone `\r`, as it does for a `//` comment.
 */

export function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x0a || code === 0x0d;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

export function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpace(text, at) && !isBreak(text, at)) return false;
  return true;
}

export function hasBreak(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isBreak(text, at)) return true;
  return false;
}

/** The first offset from here that holds neither space nor tab. */
export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text, at)) at++;
  return at;
}

/** Where the blanks (spaces, tabs and line ends) that lead up to an offset start. */
export function startOfBlanks(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (isSpace(text, at - 1) || isBreak(text, at - 1))) at--;
  return at;
}

/** The start of the last line end between two offsets. */
export function lastBreak(text: string, start: number, end: number): number | undefined {
  for (let at = end - 1; at >= start; at--) {
    if (isBreak(text, at)) return text[at] === "\n" && at > start && text[at - 1] === "\r" ? at - 1 : at;
  }
  return undefined;
}

/** The offset behind the line end that stands here. */
export function afterBreak(text: string, at: number): number {
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}

/** What indents an offset that is the first of its line; undefined where something stands before it. */
export function indentBefore(text: string, offset: number): string | undefined {
  let at = offset;
  while (at > 0 && isSpace(text, at - 1)) at--;
  const first = at === 0 || isBreak(text, at - 1) || (at === 1 && text.charCodeAt(0) === 0xfeff);
  return first ? text.slice(at, offset) : undefined;
}
