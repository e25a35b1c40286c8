import type { Edit, Path, Range } from "../format.ts";
import type { JsonNode } from "./node.ts";

/** A value shorter than this is quicker read twice than left out and looked for. */
const worthLeavingOut = 4096;

/** What edits do below a node: by position of a child, more of the same, or `whole` where the child itself comes, goes or changes. */
interface Touched {
  readonly children: Map<number, Touched | "whole">;
}

/** The values beside what is edited, each as long as it can be. */
export function untouchedValues(root: JsonNode, edits: readonly Edit[]): Range[] {
  const touched: Touched = { children: new Map() };
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
  for (let i = 0; i < path.length; i++) {
    const position = node.positionOf(path[i]!);
    if (position === undefined || at.children.get(position) === "whole") return;
    if (i === path.length - 1 && !isOpen) {
      at.children.set(position, "whole");
      return;
    }
    const known = at.children.get(position);
    const next: Touched = known === undefined || known === "whole" ? { children: new Map() } : known;
    at.children.set(position, next);
    [node, at] = [node.child(position), next];
  }
}

function gather(node: JsonNode, touched: Touched, found: Range[]): void {
  node.members().forEach(({ valueStart: start, end }, position) => {
    const below = touched.children.get(position);
    if (below === undefined && end - start >= worthLeavingOut) found.push({ start, end });
    else if (below !== undefined && below !== "whole") gather(node.child(position), below, found);
  });
}
