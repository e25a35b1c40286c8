import type { CST } from "yaml";

/** The offsets of all comments below a token, in the order of the text. */
export function commentOffsets(token: CST.Token | null | undefined): number[] {
  const found: number[] = [];
  collect(token, found);
  return found;
}

function collect(token: CST.Token | null | undefined, found: number[]): void {
  if (token === null || token === undefined) return;
  switch (token.type) {
    case "comment":
      found.push(token.offset);
      return;
    case "block-scalar":
      for (const prop of token.props) collect(prop, found);
      return;
    case "block-map":
    case "block-seq":
    case "flow-collection":
      for (const item of token.items) collectItem(item, found);
      if (token.type === "flow-collection") for (const part of token.end) collect(part, found);
      return;
    default:
      if ("end" in token && token.end !== undefined) for (const part of token.end) collect(part, found);
  }
}

function collectItem(item: CST.CollectionItem, found: number[]): void {
  for (const part of item.start) collect(part, found);
  collect(item.key, found);
  for (const part of item.sep ?? []) collect(part, found);
  collect(item.value, found);
}

/** The comments of one entry, between its first and last character. */
export function commentsOfItem(item: CST.CollectionItem, start: number, end: number): number[] {
  const found: number[] = [];
  collectItem(item, found);
  return found.filter((offset) => offset >= start && offset < end);
}
