import type { Range } from "../format.ts";

/** From each `---` at the margin to the next: in YAML nothing else can look like that. */
export function documentRanges(text: string): Range[] {
  const starts = [0];
  for (const { index } of text.matchAll(/^---(?=[ \t\r\n]|$)/gm)) {
    // What stands before the first mark (comments, a directive, nothing) belongs to the first document.
    const isFirst = starts.length === 1 && /^\ufeff?(?:[ \t]*(?:#[^\n]*)?\r?\n|%[^\n]*\n)*$/.test(text.slice(0, index));
    if (!isFirst && index > 0) starts.push(index);
  }
  return starts.map((start, i) => ({ start, end: starts[i + 1] ?? text.length }));
}
