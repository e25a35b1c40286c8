import type { Path } from "../format.ts";
import { endOfSection } from "./pieces.ts";
import type { Comment, Source } from "./source.ts";
import type { ContainerNode, Section, TomlNode } from "./tree.ts";

/** For each comment inside a node's ranges, the path below it of the innermost container around the comment. */
export function commentsIn(node: ContainerNode): readonly Path[] {
  const { source } = node;
  return node.ranges.flatMap(({ start, end }) => {
    const places: Path[] = [];
    for (
      let i = firstFrom(source.comments, start);
      i < source.comments.length && source.comments[i]!.start < end;
      i++
    ) {
      const place = pathBelow(node, ownerOf(source, source.comments[i]!));
      if (place !== undefined) places.push(place);
    }
    return places;
  });
}

function pathBelow(top: TomlNode, inner: TomlNode | undefined): Path | undefined {
  const path: (string | number)[] = [];
  let node = inner;
  while (node !== undefined && node !== top) {
    path.unshift(node.key);
    node = node.parent;
  }
  return node === undefined ? undefined : path;
}

function ownerOf(source: Source, comment: Comment): TomlNode | undefined {
  if (comment.within !== undefined) return comment.within;
  const section = sectionAt(source.sections, comment.start);
  if (comment.start < endOfSection(source, section)) return section.table;
  // Between two sections: whatever holds both.
  let node: TomlNode | undefined = source.sections[section.index + 1]?.table;
  while (node !== undefined && !node.ranges.some(({ start, end }) => start <= comment.start && comment.start < end))
    node = node.parent;
  return node ?? source.sections[0]!.table;
}

/** The section whose header stands last before an offset; the root's where there is none. */
function sectionAt(sections: readonly Section[], at: number): Section {
  let low = 0;
  let high = sections.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sections[middle]!.header?.start ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return sections[low]!;
}

function firstFrom(comments: readonly Comment[], start: number): number {
  let low = 0;
  let high = comments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (comments[middle]!.start < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
