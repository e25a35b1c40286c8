import { containerNames, nodeAt } from "../../entries/entry-paths.ts";
import type { Node, Range } from "../../formats/format.ts";
import { loadFormat } from "../../readings/open-reading.ts";
import type { OwnedPlace } from "../places/owned-places.ts";

export interface ContainerMark {
  readonly range: Range;
  /** The version that made it, as far as the entry in it tells. */
  readonly since: string | undefined;
}

/** Where the containers begin and end that an owner made for its entries, and the file itself where it made that. */
export async function containerMarks({ place, planned, record }: OwnedPlace, text: string): Promise<ContainerMark[]> {
  const { format, strategy } = place.readingData;
  if (strategy !== "entries" || format === "text") return [];
  const read = (await loadFormat(format)).read(text);
  if (read.kind === "malformed") return [];
  const seen = new Set<string>();
  return planned.decisions.flatMap(({ actual, recorded, desired }) => {
    if (actual === undefined) return [];
    const { source } = (recorded ?? desired)!;
    const nodes = containerNames(actual, source).flatMap((name, depth): Node[] => {
      const made = depth === 0 ? record.created !== undefined : record.containers?.[name]?.created === true;
      if (!made || seen.has(name)) return [];
      seen.add(name);
      const node = nodeAt(read.document.root, actual.path.slice(0, depth));
      const fields = (record.containers?.[name]?.fields ?? []).flatMap((field) => node?.get(field) ?? []);
      return node ? [node, ...fields] : [];
    });
    const ranges = nodes.flatMap((node) => [...node.ranges, ...node.entryRanges].flatMap(ends));
    return ranges.map((range) => ({ range, since: recorded?.addedIn }));
  });
}

function ends({ start, end }: Range): Range[] {
  if (end <= start) return [];
  return [
    { start, end: start + 1 },
    { start: end - 1, end },
  ];
}
