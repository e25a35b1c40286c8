import { InputError } from "../../core/diagnostic.ts";
import { firstReached } from "../../core/search.ts";
import { equalValues, field, isMap, type Value } from "../../core/value.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import { containerNames, nodeAt, pathKey } from "../../entries/entry-paths.ts";
import type { FileDecision } from "../../entries/file-entry.ts";
import type { Node, Range } from "../../formats/format.ts";
import { loadFormat } from "../../readings/open-reading.ts";
import { decodeText } from "../../readings/text-reading.ts";
import { diffLines } from "../../text/diff-lines.ts";
import { TextLines } from "../../text/lines.ts";
import { type OwnedPlace, ownersOfFile } from "../places/record-places.ts";

/** Whose a line is. Several owners may share one; `unmanaged` is what no owner has anything to do with. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** `zylos@1.4.0`, `you`, `you-over-zylos`, `unmanaged`; several joined by a comma. */
  readonly owner: string;
  /** The keys of the entries that stand in it. */
  readonly keys: readonly string[];
  /** An entry in it holds a secret that came from the environment. */
  readonly secret?: true | undefined;
}

export interface Blame {
  readonly format_version: 1;
  readonly file: string;
  readonly lines: readonly BlamedLine[];
}

/** Every line of a file with its owner, from the records alone: the user's, and a project's. */
export async function blameLines(file: string, instances: readonly Machine[]): Promise<Blame> {
  const machine = instances[0]!;
  const path = expandHome(file, machine.home);
  const bytes = machine.gate.read(path);
  if (bytes === undefined) throw new InputError({ code: "no-file", message: "there is no such file", file: path });
  const text = decodeText(bytes, path);
  const lines = new TextLines(text);
  const found = new FoundLines();
  for (const each of instances)
    for (const owned of await ownersOfFile(each, path)) await blameOn(owned, text, lines, found);
  return {
    format_version: 1,
    file: path,
    lines: Array.from({ length: lines.count }, (_, i) => blamedLine(lines, i, found.get(i))),
  };
}

function blamedLine(lines: TextLines, at: number, found: Found | undefined): BlamedLine {
  const text = lines.slice(at, at + 1).replace(/\r?\n$/, "");
  const hidden = found?.secret ? { secret: true as const } : {};
  return {
    line: at + 1,
    text,
    owner: found ? ownerText(found) : "unmanaged",
    keys: found ? [...found.keys] : [],
    ...hidden,
  };
}

interface Found {
  /** By the name an owner goes by: `zylos@1.4.0`. */
  readonly sides: Map<string, { readonly name: string; readonly sides: Set<Side> }>;
  readonly keys: Set<string>;
  /** Who made the container that this line opens or closes; counts where no entry stands in it. */
  fallback: string | undefined;
  secret: boolean;
}

/** Only the lines that some owner has to do with: of a huge file most are nobody's. */
class FoundLines {
  readonly #lines = new Map<number, Found>();

  get(at: number): Found | undefined {
    return this.#lines.get(at);
  }

  at(line: number): Found {
    const known = this.#lines.get(line) ?? { sides: new Map(), keys: new Set(), fallback: undefined, secret: false };
    this.#lines.set(line, known);
    return known;
  }
}

async function blameOn(owned: OwnedPlace, text: string, lines: TextLines, found: FoundLines): Promise<void> {
  const { owner, planned } = owned;
  for (const decision of planned.decisions) {
    const id = `${owner}@${decision.recorded?.updatedIn ?? owned.version}`;
    for (const { range, side } of markEntry(decision, text)) {
      for (const at of linesOf(range, lines)) {
        const line = found.at(at);
        const sides = line.sides.get(id) ?? { name: owner, sides: new Set<Side>() };
        sides.sides.add(side);
        line.sides.set(id, sides);
        line.keys.add(decision.key);
        line.secret ||= decision.recorded?.secret === true;
      }
    }
  }
  for (const { range, since } of await containerMarks(owned, text)) {
    for (const at of linesOf(range, lines)) found.at(at).fallback ??= `${owner}@${since ?? owned.version}`;
  }
}

/** Whose an entry is as a whole; undefined where this owner has nothing to do with it, or gave it to the user. */
export function ownerOfEntry({ owner, version }: OwnedPlace, decision: FileDecision, text: string): string | undefined {
  const sides = new Set(markEntry(decision, text).map(({ side }) => side));
  if (!sides.has("owner")) return sides.has("you-over") ? `you-over-${owner}` : undefined;
  return sides.size > 1 ? `you-over-${owner}` : `${owner}@${decision.recorded?.updatedIn ?? version}`;
}

function ownerText({ sides, fallback }: Found): string {
  const names = new Set<string>();
  for (const [id, { name, sides: all }] of sides) {
    if (all.has("you-over") || (all.has("you") && all.has("owner"))) names.add(`you-over-${name}`);
    else names.add(all.has("you") ? "you" : id);
  }
  // What one owner records as the user's can be what another wrote.
  if (names.size > 1) names.delete("you");
  return names.size === 0 ? (fallback ?? "unmanaged") : [...names].sort().join(", ");
}

/** The lines a range touches, counted from 0. */
function linesOf(range: Range, lines: TextLines): number[] {
  const last = lineAt(lines, Math.max(range.start, range.end - 1));
  const touched: number[] = [];
  for (let at = lineAt(lines, range.start); at <= last && at < lines.count; at++) touched.push(at);
  return touched;
}

function lineAt({ starts, count }: TextLines, offset: number): number {
  return Math.max(0, firstReached(count, (line) => starts[line]! > offset) - 1);
}

interface ContainerMark {
  readonly range: Range;
  /** The version that made it, as far as the entry in it tells. */
  readonly since: string | undefined;
}

/** Where the containers begin and end that an owner made for its entries, and the file itself where it made that. */
async function containerMarks({ place, planned, record }: OwnedPlace, text: string): Promise<ContainerMark[]> {
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
      const path = actual.path.slice(0, depth);
      if (!made || seen.has(pathKey(path))) return [];
      seen.add(pathKey(path));
      const node = nodeAt(read.document.root, path);
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

/**
 * Whose a part of a text is, seen from one owner: its own, the user's, or the user's in place of what the owner wrote.
 */
type Side = "owner" | "you" | "you-over";

interface Mark {
  readonly range: Range;
  readonly side: Side;
}

/** Which parts of an entry are whose. An entry that nobody recorded, or that was handed over, is the user's. */
function markEntry(decision: FileDecision, text: string): Mark[] {
  const { actual, recorded } = decision;
  if (actual === undefined) return [];
  const ranges = actual.node.entryRanges.length > 0 ? actual.node.entryRanges : [{ start: 0, end: text.length }];
  if (recorded === undefined || recorded.state !== "managed") return ranges.map((range) => ({ range, side: "you" }));
  if (actual.joining === "lines") return markLines(recorded.normal, actual.normal, actual.node, text);
  if (actual.joining === "file" || actual.joining === "whole-file")
    return markLines(field(recorded.normal, "text"), field(actual.normal, "text"), actual.node, text);
  if (actual.comments.length === 0 && equalValues(actual.normal, recorded.normal))
    return ranges.map((range) => ({ range, side: "owner" }));
  return [...markNode(actual.node, actual.normal, recorded.normal), ...markComments(actual.node, ranges, text)];
}

/** Field by field, so that an edit of one leaves the others to their owner. */
function markNode(node: Node, actual: Value | undefined, recorded: Value | undefined): Mark[] {
  const mark = (side: Side): Mark[] => node.entryRanges.map((range) => ({ range, side }));
  if (recorded === undefined) return mark("you");
  if (equalValues(actual, recorded)) return node.comments().length === 0 ? mark("owner") : frame(node);
  if (!isMap(actual) || !isMap(recorded) || node.kind !== "map") return mark("you-over");
  const fields = node.names().flatMap((name) => {
    const child = node.get(name);
    return child ? markNode(child, actual[name], Object.hasOwn(recorded, name) ? recorded[name] : undefined) : [];
  });
  return [...frame(node), ...fields];
}

/** Where a container begins and ends: what is between belongs to its fields. */
function frame(node: Node): Mark[] {
  return node.entryRanges.flatMap(({ start, end }) => [
    { range: { start, end: start + 1 }, side: "owner" },
    { range: { start: Math.max(start, end - 1), end }, side: "owner" },
  ]);
}

/** Comments inside an entry are a person's; their lines are those that hold nothing else. */
function markComments(node: Node, ranges: readonly Range[], text: string): Mark[] {
  if (node.comments().length === 0) return [];
  return ranges.flatMap((range) =>
    linesWithin(range, text)
      .filter(({ start, end }) => /^\s*(#|\/\/|\/\*|\*)/.test(text.slice(start, end)))
      .map((line) => ({ range: line, side: "you" as const })),
  );
}

function linesWithin(range: Range, text: string): Range[] {
  const lines: Range[] = [];
  for (let start = range.start; start < range.end; ) {
    const at = text.indexOf("\n", start);
    const end = at === -1 || at >= range.end ? range.end : at + 1;
    lines.push({ start, end });
    start = end;
  }
  return lines;
}

/**
 * A text that is one entry: lines as they were recorded are the owner's. The lines around a block mark it, and are the
 * owner's too.
 */
function markLines(recorded: Value | undefined, actual: Value | undefined, node: Node, text: string): Mark[] {
  const inner = node.ranges[0] ?? { start: 0, end: text.length };
  const around = node.entryRanges.flatMap(({ start, end }): Mark[] => [
    { range: { start, end: inner.start }, side: "owner" },
    { range: { start: inner.end, end }, side: "owner" },
  ]);
  const lines = linesWithin(inner, text);
  const sides: Side[] = lines.map(() => "owner");
  for (const change of diffLines(String(recorded ?? ""), String(actual ?? ""))) {
    // Line for line as far as there was one before; what is more is new.
    const over = Math.min(change.afterEnd, change.afterStart + change.beforeEnd - change.beforeStart);
    sides.fill("you-over", change.afterStart, over);
    sides.fill("you", over, change.afterEnd);
  }
  return [...around, ...lines.map((range, i): Mark => ({ range, side: sides[i]! }))].filter(
    ({ range }) => range.end > range.start,
  );
}
