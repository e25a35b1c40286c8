import type { InsertEdit } from "../format.ts";
import type { YamlNode } from "./node.ts";

/**
 * Everything that happens to the entries of one container: their own edits together, because neighbours share
 * separators.
 */
export interface Changes {
  readonly node: YamlNode;
  readonly removed: Set<number>;
  /** By the position of a sibling. */
  readonly before: Map<number, InsertEdit[]>;
  readonly after: Map<number, InsertEdit[]>;
  readonly atEnd: InsertEdit[];
  /** Given by `clear`: what an emptied container had inside. */
  inner: string | undefined;
}

export function noChanges(node: YamlNode): Changes {
  return { node, removed: new Set(), before: new Map(), after: new Map(), atEnd: [], inner: undefined };
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
