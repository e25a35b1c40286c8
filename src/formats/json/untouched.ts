import type { Edit, Path, Range } from "../format.ts";
import type { JsonNode, Member } from "./node.ts";

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
export function untouchedValues(root: JsonNode, edits: readonly Edit[]): Range[] {
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
