import type { Edit, Path } from "../format.ts";
import { nextLine } from "../lines.ts";
import { type Splice, splice } from "../splice.ts";

/**
 * Where the entries of a long text stand, by its lines alone: a line no deeper than the first begins the next entry.
 * Only plain texts are taken apart this way. What the second reader finds must agree with it (`agrees`), or the whole
 * is read with care.
 */
export interface Outline {
  readonly kind: "map" | "list";
  readonly indent: number;
  readonly parts: readonly OutlinePart[];
  position(step: string | number): number | undefined;
}

export interface OutlinePart {
  readonly name: string | number;
  /** From the line of its key or dash to that of the next. */
  readonly start: number;
  readonly end: number;
  /** Its own entries, where they are many. */
  readonly inside: Outline | undefined;
}

/** How long a text, or what is below a key, must be to be taken apart; how many entries show its habits. */
export interface OutlineLimits {
  readonly text: number;
  readonly inside: number;
  readonly sample: number;
}

/** Shorter texts are read with care in no time. */
export const usualLimits: OutlineLimits = { text: 1 << 16, inside: 1 << 14, sample: 20 };

/** A possible anchor, alias or tag, or an escaped line end before an empty line: the whole is read with care. */
const doubts = /(?:^|[:\-?,[{])[ \t]*[&*!]|\\\r?\n[ \t]*\r?\n/m;

/** Undefined where the text is short, or not plain enough. */
export function outlineOf(text: string, limits: OutlineLimits): Outline | undefined {
  if (text.length < limits.text || doubts.test(text)) return undefined;
  const bom = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const mark = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*---[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(bom));
  return outline(text, { from: bom + (mark?.[0].length ?? 0), to: text.length, least: 0 }, limits);
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** The least column for its entries. */
  readonly least: number;
}

function outline(text: string, { from, to, least }: Stretch, limits: OutlineLimits): Outline | undefined {
  const names: string[] = [];
  const starts: number[] = [];
  let indent = -1;
  let isList = false;
  for (let at = from; at < to; at = nextLine(text, at)) {
    let first = at;
    while (text.charCodeAt(first) === 0x20) first++;
    const code = first < to ? text.charCodeAt(first) : 0x0a;
    if (code === 0x0a || code === 0x0d || code === 0x23) continue;
    const column = first - at;
    if (code === 0x09 || column < Math.max(least, indent)) return undefined;
    if (indent === -1) {
      indent = column;
      isList = isDash(text, first);
    }
    if (column > indent) continue;
    if (isDash(text, first)) {
      // The dashes of a list may stand under the key it belongs to.
      if (isList) starts.push(at);
      continue;
    }
    const name = isList ? undefined : nameAt(text, first);
    if (name === undefined) return undefined;
    names.push(name);
    starts.push(at);
  }
  if (starts.length === 0) return undefined;
  const ends = [...starts.slice(1), to];
  const parts = starts.map((start, i): OutlinePart => {
    const part = { name: isList ? i : names[i]!, start, end: ends[i]! };
    return { ...part, inside: isList ? undefined : insideOf(text, part, indent, limits) };
  });
  const positions = new Map(parts.map(({ name }, i) => [name, i]));
  if (positions.size !== parts.length) return undefined;
  return { kind: isList ? "list" : "map", indent, parts, position: (step) => positions.get(step) };
}

/** What stands below a key that has nothing else on its line. */
function insideOf(
  text: string,
  { start, end }: Pick<OutlinePart, "start" | "end">,
  indent: number,
  limits: OutlineLimits,
): Outline | undefined {
  if (end - start < limits.inside) return undefined;
  const below = nextLine(text, start);
  if (!/:[ \t]*(?:#.*)?\r?\n$/.test(text.slice(start, below))) return undefined;
  const found = outline(text, { from: below, to: end, least: indent }, limits);
  return found?.indent === indent && found.kind === "map" ? undefined : found;
}

function isDash(text: string, at: number): boolean {
  return text[at] === "-" && /[ \r\n]/.test(text[at + 1] ?? "\n");
}

const key = /(?:"([^"\\\n]*)"|'([^'\n]*)'|([A-Za-z_][^\s:#,[\]{}"'&*!|>%@`]*)):(?=[ \r\n]|$)/y;

/** The name of an entry, where there is no second way to read it. */
function nameAt(text: string, at: number): string | undefined {
  key.lastIndex = at;
  const [, double, single, plain] = key.exec(text) ?? [];
  if (plain !== undefined && /^(?:null|true|false)$/i.test(plain)) return undefined;
  const name = double ?? single ?? plain;
  return name === "__proto__" ? undefined : name;
}

/** Whether data has the very entries that an outline has. */
export function agrees({ kind, parts }: Outline, data: unknown): boolean {
  if (kind === "list") return Array.isArray(data) && data.length === parts.length;
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  const map = data as Record<string, unknown>;
  return (
    Object.keys(map).length === parts.length &&
    parts.every(({ name, inside }) => Object.hasOwn(map, name) && (inside === undefined || agrees(inside, map[name])))
  );
}

/** The parts that edits touch, and what they touch inside other parts. */
interface Touched {
  readonly parts: Set<number>;
  readonly inside: Map<number, Touched>;
}

/**
 * A text of the same length with stand-ins for the entries that edits have nothing to do with: it is read quickly, and
 * the rest stands where it stood. Undefined where an edit does not fit such a text.
 */
export function sparseText(
  text: string,
  all: Outline,
  edits: readonly Edit[],
  { sample }: OutlineLimits,
): string | undefined {
  const touched: Touched = { parts: new Set(), inside: new Map() };
  if (text.includes(standIn) || !edits.every((edit) => touch(touched, all, edit))) return undefined;
  const splices: Splice[] = [];
  leaveOut({ text, sample, splices }, all, touched);
  const result = splice(text, splices);
  return result.kind === "spliced" && result.text.length === text.length ? result.text : undefined;
}

function touch(touched: Touched, all: Outline, edit: Edit): boolean {
  if (edit.kind === "insert") {
    const { place } = edit;
    const found = find(touched, all, edit.into, "entered");
    if (found === undefined || place === "end") return found !== undefined;
    if (found === "part") return true;
    const sibling = found.outline.position("after" in place ? place.after : place.before);
    if (sibling !== undefined) found.touched.parts.add(sibling);
    return sibling !== undefined;
  }
  const found = find(touched, all, edit.at, edit.kind === "clear" ? "entered" : "whole");
  return found === "part";
}

/** Notes the part that a path leads to, or returns the outline that is to be entered. */
function find(
  touched: Touched,
  all: Outline,
  path: Path,
  how: "entered" | "whole",
): { touched: Touched; outline: Outline } | "part" | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return { touched, outline: all };
  const position = all.position(step);
  if (position === undefined) return undefined;
  const { inside } = all.parts[position]!;
  if (inside === undefined || (rest.length === 0 && how === "whole")) {
    touched.parts.add(position);
    return "part";
  }
  const below = touched.inside.get(position) ?? { parts: new Set(), inside: new Map() };
  touched.inside.set(position, below);
  return find(below, inside, rest, how);
}

interface Leaving {
  readonly text: string;
  readonly sample: number;
  readonly splices: Splice[];
}

/** Leaves out all but what is touched, its neighbours (new entries take after them), and the first and last parts. */
function leaveOut(leaving: Leaving, all: Outline, touched: Touched): void {
  const { text, sample, splices } = leaving;
  const { parts, kind } = all;
  const near = new Set([...touched.parts, ...touched.inside.keys()].flatMap((i) => [i - 1, i, i + 1]));
  const stays = (i: number) => i < sample || i >= parts.length - 2 || near.has(i);
  for (let i = 0; i < parts.length; i++) {
    const { start, inside } = parts[i]!;
    if (stays(i)) {
      const nothing: Touched = { parts: new Set(), inside: new Map() };
      if (inside !== undefined && !touched.parts.has(i)) leaveOut(leaving, inside, touched.inside.get(i) ?? nothing);
      continue;
    }
    // Each item gets a stand-in of its own, since items are counted; a run of names shares one.
    while (kind === "map" && !stays(i + 1)) i++;
    const { end } = parts[i]!;
    const head = " ".repeat(all.indent) + (kind === "list" ? "- " : `${nameLike(text, all, splices.length)}: `);
    const tail = text.slice(start, end).endsWith("\r\n") ? "\r\n" : "\n";
    const length = end - start - head.length - tail.length;
    if (length > 0) splices.push({ start, end, text: `${head}${"_".repeat(length)}${tail}` });
  }
}

const standIn = "Z-stet-stands-in-";

/** In quotes where names here have them. */
function nameLike(text: string, { parts, indent }: Outline, number: number): string {
  const quote = /["']/.exec(text[parts[0]!.start + indent]!)?.[0] ?? "";
  return `${quote}${standIn}${number}${quote}`;
}
