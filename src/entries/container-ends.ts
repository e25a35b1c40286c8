import { findMarkers } from "../formats/block/markers.ts";
import type { Document, Node, Path, Place, Range } from "../formats/format.ts";
import { nodeAt } from "./entry-paths.ts";

/**
 * Where something new goes that has no neighbour: to the end of its container, but not into a block that somebody marked as theirs (and
 * would find changed). Then it stands behind the last entry that is in no block.
 */
export function containerEnds({ text, root }: Document): (container: Path) => Place {
  const blocks = blocksIn(text);
  if (blocks.length === 0) return () => "end";
  return (path) => {
    const children = childrenOf(nodeAt(root, path));
    const free = children.findLastIndex(([, child]) => !isInBlock(child, blocks));
    return free === -1 || free === children.length - 1 ? "end" : { after: children[free]![0] };
  };
}

function blocksIn(text: string): Range[] {
  const blocks: Range[] = [];
  const open = new Map<string, number>();
  for (const { kind, owner, start, end } of findMarkers(text)) {
    if (kind === "begin") open.set(owner, start);
    else if (open.has(owner)) blocks.push({ start: open.get(owner)!, end });
  }
  return blocks;
}

function childrenOf(container: Node | undefined): (readonly [string | number, Node])[] {
  if (container?.kind === "list") return container.items().map((item, i) => [i, item] as const);
  return (container?.names() ?? []).map((name) => [name, container!.get(name)!] as const);
}

function isInBlock({ entryRanges }: Node, blocks: readonly Range[]): boolean {
  return entryRanges.some((range) => blocks.some((block) => block.start <= range.start && range.end <= block.end));
}
