/** Line ends and byte-order mark are the file's own business: compared without them, written as the file has them. */
export function inOurSpelling(text: string): string {
  return withoutMark(hasOnlyCrlf(text) ? text.replaceAll("\r\n", "\n") : text);
}

export function inSpellingOf(original: string, text: string): string {
  const ours = inOurSpelling(text);
  const lines = hasOnlyCrlf(original) ? ours.replaceAll("\n", "\r\n") : ours;
  return withoutMark(original) === original ? lines : `\uFEFF${lines}`;
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}
