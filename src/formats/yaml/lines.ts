/** Where lines begin and end around an offset. A byte order mark counts as part of no line. */

export function lineStart(text: string, offset: number): number {
  const start = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  return start === 0 && text.charCodeAt(0) === 0xfeff && offset > 0 ? 1 : start;
}

/** The end of the line without its break. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end === -1) return text.length;
  return end > offset && text[end - 1] === "\r" ? end - 1 : end;
}

/** The start of the next line, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

/** Whether nothing but spaces stands before an offset on its line. */
export function startsItsLine(text: string, offset: number): boolean {
  return isBlank(text, lineStart(text, offset), offset);
}

export function isBlank(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpace(text[at]!)) return false;
  return true;
}

/** The first character at or after an offset that is no space, on the same line. */
export function skipSpaces(text: string, offset: number): number {
  let at = offset;
  while (at < text.length && (text[at] === " " || text[at] === "\t")) at++;
  return at;
}

/** The same, backwards: where the spaces before an offset begin. */
export function spacesBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === " " || text[at - 1] === "\t")) at--;
  return at;
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\r" || character === "\n";
}

/** A line without even a blank in it. The nothing behind the last line break is no line. */
export function isEmptyLine(text: string, start: number): boolean {
  return text[start] === "\n" || (text[start] === "\r" && text[start + 1] === "\n");
}

/**
 * Whether a text ends within a literal or folded scalar that has no last line break. A line behind it would give it
 * one, and some readers take that for a part of its value.
 */
export function endsInOpenScalar(text: string): boolean {
  if (text === "" || text.endsWith("\n")) return false;
  const lines = text.split("\n");
  const indentOf = (line: string) => skipSpaces(line, 0);
  let indent = indentOf(lines.at(-1)!);
  for (const line of lines.reverse()) {
    // A header may stand on a line of its own, no further out than the text.
    if (/^[ \t]*(?:[&!]\S+[ \t]+)*[|>][1-9]?\+?[1-9]?[ \t]*(?:#.*)?\r?$/.test(line)) return true;
    if (line.trim() === "" || indentOf(line) >= indent) continue;
    // The line that the last one belongs to, from the inside to the outside.
    if (/[ \t][|>][1-9]?\+?[1-9]?[ \t]*(?:#.*)?\r?$/.test(line)) return true;
    indent = indentOf(line);
  }
  return false;
}
