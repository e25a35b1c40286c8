/**
 * JSON with comments by the engine's own parser, sharing nothing with the scanner: edits are checked with it. Comments
 * and trailing commas become blanks; the rest is `JSON.parse`.
 */
export function readWithEngine(text: string): unknown {
  return readPlain(text).data;
}

/** Whether a map has a name twice: then the text has more names than what is read from it. */
export function repeatsNames(text: string): boolean {
  const { plain, data } = readPlain(text);
  let names = 0;
  // Outside of strings, a colon stands behind a name and nowhere else.
  for (let at = 0; at < plain.length; at = endOfToken(plain, at)) if (plain[at] === ":") names++;
  return names > countNames(data);
}

function countNames(data: unknown): number {
  if (typeof data !== "object" || data === null) return 0;
  let count = Array.isArray(data) ? 0 : Object.keys(data).length;
  for (const value of Object.values(data)) count += countNames(value);
  return count;
}

function readPlain(text: string): { readonly plain: string; readonly data: unknown } {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    // Most files are plain JSON, and then this is all there is to do.
    return { plain: body, data: JSON.parse(body) };
  } catch {
    const plain = blankOut(body);
    return { plain, data: plain.trim() === "" ? {} : JSON.parse(plain) };
  }
}

function blankOut(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  const blank = (start: number, end: number): void => {
    parts.push(text.slice(kept, start), " ");
    kept = end;
  };
  // A trailing comma stands behind a value and directly before a bracket.
  let comma = -1;
  let previous = "[";
  const pending: [start: number, end: number][] = [];
  for (let at = 0; at < text.length; ) {
    const char = text[at]!;
    const end = endOfToken(text, at);
    if (char === "/" && end > at + 1) pending.push([at, end]);
    else if (!" \t\r\n".includes(char)) {
      if (comma !== -1 && (char === "}" || char === "]")) pending.push([comma, comma + 1]);
      comma = char === "," && !"[{,:".includes(previous) ? at : -1;
      previous = char;
      if (comma === -1) flush(pending, blank);
    }
    at = end;
  }
  flush(pending, blank);
  return parts.join("") + text.slice(kept);
}

/** Blanks are made in the order of the text, so comments behind a comma wait until that is known to go or stay. */
function flush(pending: [number, number][], blank: (start: number, end: number) => void): void {
  for (const [start, end] of pending.sort((a, b) => a[0] - b[0])) blank(start, end);
  pending.length = 0;
}

/** Behind the string or comment that starts here, or one character on. What has no end fails in the parser. */
function endOfToken(text: string, start: number): number {
  if (text[start] === '"') {
    let at = start + 1;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    return at + 1;
  }
  if (text.startsWith("//", start)) {
    let at = start + 2;
    while (at < text.length && text[at] !== "\n" && text[at] !== "\r") at++;
    return at;
  }
  if (!text.startsWith("/*", start)) return start + 1;
  const close = text.indexOf("*/", start + 2);
  return close === -1 ? start + 1 : close + 2;
}
