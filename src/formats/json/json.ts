import { orFault } from "../fault.ts";
import type { Abridging, Edit, Format, Path, Range, ReadResult } from "../format.ts";
import { editJson } from "./edit.ts";
import { JsonNode, type Member } from "./node.ts";
import { Scan } from "./scan.ts";
import { readWithEngine, repeatsNames } from "./second-reader.ts";

/** A value shorter than this is quicker read twice than left out and looked for. */
const worthLeavingOut = 4096;

/**
 * What edits do below a node: by position of a child, more of the same, or `whole` where the child itself comes, goes
 * or changes.
 */
interface Touched {
  readonly children: Map<number, Touched | "whole">;
  /**
   * Whether anything in it is worth leaving out: thousands of short values are kept together, and nobody asks which of
   * them change.
   */
  readonly hasLong: boolean;
}

function untouchedYet(node: JsonNode): Touched {
  return { children: new Map(), hasLong: node.members().some(isLong) };
}

function isLong({ valueStart, end }: Member): boolean {
  return end - valueStart >= worthLeavingOut;
}

/** The values beside what is edited, each as long as it can be. */
function untouchedValues(root: JsonNode, edits: readonly Edit[]): Range[] {
  const touched = untouchedYet(root);
  let everything = false;
  for (const edit of edits) {
    const path = edit.kind === "insert" ? edit.into : edit.at;
    if (path.length === 0 && edit.kind !== "insert") everything = true;
    else note(root, touched, path, edit.kind === "insert");
  }
  const found: Range[] = [];
  if (!everything) gather(root, touched, found);
  return found;
}

function note(root: JsonNode, touched: Touched, path: Path, isOpen: boolean): void {
  let [node, at] = [root, touched];
  for (let i = 0; i < path.length && at.hasLong; i++) {
    const position = node.positionOf(path[i]!);
    if (position === undefined || at.children.get(position) === "whole") return;
    if (i === path.length - 1 && !isOpen) {
      at.children.set(position, "whole");
      return;
    }
    const known = at.children.get(position);
    const child = node.child(position);
    const next = known === undefined || known === "whole" ? untouchedYet(child) : known;
    at.children.set(position, next);
    [node, at] = [child, next];
  }
}

function gather(node: JsonNode, { children, hasLong }: Touched, found: Range[]): void {
  if (!hasLong) return;
  node.members().forEach((member, position) => {
    const below = children.get(position);
    if (below === undefined && isLong(member)) found.push({ start: member.valueStart, end: member.end });
    else if (below !== undefined && below !== "whole") gather(node.child(position), below, found);
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

/** What JSON itself reads on its own is one value; with comments in it, a part has to be one value before its mark. */
function isOneValue(part: string, mark: string, read: (text: string) => unknown): boolean {
  try {
    JSON.parse(part);
    return true;
  } catch {
    const pair = read(`[${part},"${mark}"]`);
    return Array.isArray(pair) && pair.length === 2 && pair[1] === mark;
  }
}

/** Looks at strings until one of them is the one. */
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
    const root = rootOf(new Scan(text));
    return {
      kind: "read",
      document: {
        text,
        root,
        edit: (edits) => editJson(root, edits),
        untouched: (edits) => untouchedValues(root, edits),
        written: () => undefined,
        meaning: () => ({ kind: "value", value: root.value() }),
      },
    };
  });
}

function rootOf(scan: Scan): JsonNode {
  const start = scan.root ?? scan.text.length;
  const end = scan.root === undefined ? start : scan.skipValue(start);
  return new JsonNode(scan, undefined, 0, { entryStart: start, start, end });
}
