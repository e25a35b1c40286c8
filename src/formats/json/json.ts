import { orFault } from "../fault.ts";
import { type Abridging, documentOf, type Edit, type Format, type Range, type ReadResult } from "../format.ts";
import { editJson } from "./edit.ts";
import { Scan } from "./read.ts";
import { readWithEngine, repeatsNames } from "./second-reader.ts";
import { JsonNode, type Member } from "./tree.ts";

/** Reading a shorter value twice is faster than leaving it out and looking for it. */
const worthLeavingOut = 4096;

/** The values beside what is edited, each as long as it can be. */
function untouchedValues(root: JsonNode, edits: readonly Edit[]): Range[] {
  const found: Range[] = [];
  if (!edits.some((edit) => edit.kind !== "insert" && edit.at.length === 0)) gather(root, 0, edits, found);
  return found;
}

/** `depth`: how many steps of the edits' paths lead to the node. */
function gather(node: JsonNode, depth: number, edits: readonly Edit[], found: Range[]): void {
  const isLong = ({ valueStart, end }: Member) => end - valueStart >= worthLeavingOut;
  // Thousands of short values are kept together, and nobody asks which of them change.
  if (!node.members().some(isLong)) return;
  const below = new Map<number, Edit[] | "whole">();
  for (const edit of edits) {
    const path = edit.kind === "insert" ? edit.into : edit.at;
    const position = depth < path.length ? node.positionOf(path[depth]!) : undefined;
    const known = position === undefined ? "whole" : below.get(position);
    if (position === undefined || known === "whole") continue;
    if (edit.kind !== "insert" && depth === path.length - 1) below.set(position, "whole");
    else if (known === undefined) below.set(position, [edit]);
    else known.push(edit);
  }
  node.members().forEach((member, position) => {
    const inside = below.get(position);
    if (inside === undefined && isLong(member)) found.push({ start: member.valueStart, end: member.end });
    else if (inside !== undefined && inside !== "whole") gather(node.child(position), depth + 1, inside, found);
  });
}

/**
 * Any value may stand where another stands. A list stands in for it: it can be no name and no part of a string, and in
 * a comment it would not be seen.
 */
const abridging: Abridging = {
  standIn: (mark) => `["${mark}"]`,

  sees(data, marks) {
    const missing = new Set(marks);
    return finds(data, (text) => missing.delete(text) && missing.size === 0);
  },

  readApart: (parts, marks, _, read) => parts.every((part, i) => isOneValue(part, marks[i]!, read)),
};

/** Whether a part is one value: for JSON itself or, with comments in it, for the second reader. */
function isOneValue(part: string, mark: string, read: (text: string) => unknown): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch {
    const pair = read(`[${part},"${mark}"]`);
    return Array.isArray(pair) && pair.length === 2 && pair[1] === mark;
  }
}

/** Whether one of the strings in the data is wanted. */
function finds(data: unknown, isWanted: (text: string) => boolean): boolean {
  if (typeof data === "string") return isWanted(data);
  if (typeof data !== "object" || data === null) return false;
  if (Array.isArray(data)) return data.some((item) => finds(item, isWanted));
  for (const name in data) if (finds((data as Record<string, unknown>)[name], isWanted)) return true;
  return false;
}

/** JSON, also with comments and trailing commas (JSONC). A text of only blanks and comments is an empty map. */
export const json: Format = {
  name: "json",
  empty: "{}\n",
  read,
  readIndependently: readWithEngine,
  repeats: repeatsNames,
  abridging,
};

function read(text: string): ReadResult {
  return orFault("malformed", () => {
    const scan = new Scan(text);
    const start = scan.root ?? text.length;
    const end = scan.root === undefined ? start : scan.skipValue(start);
    const root = new JsonNode(scan, undefined, 0, { entryStart: start, start, end });
    return documentOf(text, root, (edits) => editJson(root, edits), {
      untouched: (edits) => untouchedValues(root, edits),
    });
  });
}
