import type { InsertEdit, Trace } from "../format.ts";
import type { YamlNode } from "./node.ts";

/**
 * Everything that happens to the entries of one container: their own edits together, because neighbours share
 * separators.
 */
export interface Changes {
  readonly node: YamlNode;
  readonly removed: Set<number>;
  /** Of entries that go: how many blank lines came with them. */
  readonly blanks: Map<number, number>;
  /** By the position of a sibling. */
  readonly before: Map<number, InsertEdit[]>;
  readonly after: Map<number, InsertEdit[]>;
  readonly atEnd: InsertEdit[];
  /** Given by `clear`: what an emptied container had inside. */
  inner: string | undefined;
  /** What taking an insertion out again needs to know. */
  readonly remember: (insert: InsertEdit, trace: Trace) => void;
}

export function noChanges(node: YamlNode, remember: Changes["remember"]): Changes {
  const [removed, blanks] = [new Set<number>(), new Map<number, number>()];
  return { node, removed, blanks, before: new Map(), after: new Map(), atEnd: [], inner: undefined, remember };
}

/**
 * The new neighbours of a container's entries in the order of the text, each group with the entry it stands before or
 * behind.
 */
export interface Group {
  readonly at: number;
  readonly side: "before" | "after";
  readonly inserts: readonly InsertEdit[];
}

export function groupsOf(changes: Changes, count: number): Group[] {
  const groups: Group[] = [];
  const add = (at: number, side: Group["side"], inserts: readonly InsertEdit[] | undefined) => {
    if (inserts !== undefined && inserts.length > 0) groups.push({ at, side, inserts });
  };
  for (let i = 0; i < count; i++) {
    add(i, "before", changes.before.get(i));
    add(i, "after", changes.after.get(i));
  }
  add(count - 1, "after", changes.atEnd);
  return groups;
}
