import type { Node, Range } from "../format.ts";

/** A node that knows where it stands in the whole text. */
export function shifted(node: Node, by: number): Node {
  const move = (ranges: readonly Range[]) => ranges.map(({ start, end }) => ({ start: start + by, end: end + by }));
  return {
    kind: node.kind,
    get ranges() {
      return move(node.ranges);
    },
    get entryRanges() {
      return move(node.entryRanges);
    },
    value: () => node.value(),
    get: (name) => {
      const child = node.get(name);
      return child && shifted(child, by);
    },
    names: () => node.names(),
    items: () => node.items().map((item) => shifted(item, by)),
    comments: () => node.comments(),
    locked: () => node.locked(),
    fixed: () => node.fixed(),
  };
}
