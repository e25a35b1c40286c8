import { pushAll } from "../core/push-all.ts";
import type { InsertEdit, Path, Place, Trace } from "../formats/format.ts";
import { additionOf, type TreeNode } from "./container-tree.ts";
import type { Removals } from "./removals.ts";
import type { TracesIn } from "./traces.ts";

interface Surroundings {
  readonly removed: Removals;
  readonly tracesIn: TracesIn;
  readonly ends: (container: Path) => Place;
}

/** One pass over each container's children: a new one goes behind the last sibling that is there, else before the next. */
export function insertEdits(tree: TreeNode, around: Surroundings): [TreeNode, InsertEdit][] {
  if (!tree.adds || tree.path === undefined) return [];
  const { children } = tree;
  const anchors = children.map((each) => anchorOf(each, around.removed));
  const next = nextAnchors(anchors);
  let previous: string | number | undefined;
  let standing: readonly Trace[] | undefined;
  const edits: [TreeNode, InsertEdit][] = [];
  for (const [i, each] of children.entries()) {
    previous = anchors[i] ?? previous;
    if (!each.adds) continue;
    if (each.path !== undefined) {
      pushAll(edits, insertEdits(each, around));
      continue;
    }
    const following = next[i];
    const beside = previous !== undefined ? { after: previous } : following !== undefined ? { before: following } : around.ends(tree.path);
    const place = each.entry?.position === "end" ? "end" : beside;
    standing ??= around.tracesIn(tree.path);
    const written = each.entry?.written;
    edits.push([each, { kind: "insert", into: tree.path, name: each.step, value: additionOf(each), place, beside: standing, written }]);
  }
  return edits;
}

function anchorOf(tree: TreeNode, removed: Removals): string | number | undefined {
  return tree.path === undefined || removed.has(tree.path) ? undefined : tree.path.at(-1);
}

function nextAnchors(anchors: readonly (string | number | undefined)[]): (string | number | undefined)[] {
  const next: (string | number | undefined)[] = [];
  for (let i = anchors.length - 1, seen: string | number | undefined; i >= 0; i--) {
    next[i] = seen;
    seen = anchors[i] ?? seen;
  }
  return next;
}
