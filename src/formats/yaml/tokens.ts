import type { CST } from "yaml";

/**
 * One entry of a collection in the concrete syntax: what stands before its key, the key, what stands before its value,
 * the value.
 */
export type ItemToken = CST.CollectionItem;

const blank = new Set(["space", "newline", "comment", "comma"]);

/** Where an entry begins: its dash, its `?`, the anchor or tag of its key, or the key. */
export function startOfItem(item: ItemToken): number {
  const first =
    item.start.find((token) => !blank.has(token.type)) ?? item.key ?? item.sep?.find((token) => !blank.has(token.type));
  return (first ?? item.value)!.offset;
}

/** Where the part that introduces a value ends: its dash or colon, and its own anchor and tag. */
export function headEndOfItem(item: ItemToken): number {
  const head = item.sep && (item.sep.length > 0 || item.key) ? item.sep : item.start;
  const last = head.findLast((token) => !blank.has(token.type));
  if (last !== undefined) return last.offset + last.source.length;
  return item.key ? endOfToken(item.key) : startOfItem(item);
}

export function endOfItem(item: ItemToken): number {
  return item.value !== undefined && !isNothing(item.value) ? endOfToken(item.value) : headEndOfItem(item);
}

/** A value that is left out, though the parser has a token for it. */
export function isNothing(token: CST.Token): boolean {
  return token.type === "scalar" && token.source === "";
}

export function startOfToken(token: CST.Token): number {
  if (token.type === "block-map" || token.type === "block-seq") return startOfItem(token.items[0]!);
  return token.offset;
}

/** Where a value ends: without the comments, blank lines and line break that follow it. */
export function endOfToken(token: CST.Token): number {
  switch (token.type) {
    case "block-map":
    case "block-seq":
      return endOfItem(token.items.findLast(isEntry)!);
    case "flow-collection":
      return token.end[0] === undefined ? token.offset + 1 : token.end[0].offset + token.end[0].source.length;
    case "block-scalar":
      return endOfBlockScalar(token);
    default:
      return "source" in token ? token.offset + token.source.length : token.offset;
  }
}

/** Whether blank lines behind an entry would be part of it: it ends in a text that keeps its line ends (`|+`). */
export function keepsBlanks(item: ItemToken): boolean {
  const { value } = item;
  if (value?.type === "block-map" || value?.type === "block-seq") return keepsBlanks(value.items.findLast(isEntry)!);
  return value?.type === "block-scalar" && headerOf(value).source.includes("+");
}

function headerOf({ props }: CST.BlockScalar): CST.SourceToken {
  return props.find((prop) => prop.type === "block-scalar-header") as CST.SourceToken;
}

/** The lines of a literal or folded scalar. Blank lines behind it count only where its header says so (`|+`). */
function endOfBlockScalar(token: CST.BlockScalar): number {
  const header = headerOf(token);
  const last = token.props.at(-1)!;
  const contentStart = last.offset + ("source" in last ? last.source.length : 0);
  if (header.source.includes("+")) return contentStart + withoutLastBreak(token.source).length;
  const content = token.source.trimEnd();
  return content === ""
    ? header.offset + header.source.length
    : contentStart + lastLineEnd(token.source, content.length);
}

function withoutLastBreak(source: string): string {
  if (source.endsWith("\r\n")) return source.slice(0, -2);
  return source.endsWith("\n") ? source.slice(0, -1) : source;
}

/** Spaces at the end of the last line belong to it. */
function lastLineEnd(source: string, contentEnd: number): number {
  let end = contentEnd;
  while (source[end] === " " || source[end] === "\t") end++;
  return end;
}

/** The parser also keeps what follows the last entry (comments, a trailing comma) as an item. */
export function isEntry(item: ItemToken): boolean {
  if (item.value !== undefined || item.key || (item.sep !== undefined && item.sep.length > 0)) return true;
  return item.start.some((token) => !blank.has(token.type));
}

/** The comma behind each entry of a flow collection, or undefined: it is kept with the item that follows. */
export function commasOf(token: CST.FlowCollection): (number | undefined)[] {
  const entries: (number | undefined)[] = [];
  for (const item of token.items) {
    const comma = item.start.find((part) => part.type === "comma");
    if (comma !== undefined && entries.length > 0) entries[entries.length - 1] = comma.offset;
    if (isEntry(item)) entries.push(undefined);
  }
  return entries;
}
