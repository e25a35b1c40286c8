import { LineNumbers, TextLines } from "./lines.ts";
import { findShortestEdit, roughRoot } from "./shortest-edit.ts";
import { type MarkedLines, slideChanges } from "./slide-changes.ts";

/** Lines (counted from 0, ends exclusive) that stand in place of each other. One side may be empty, never both. */
export interface LineChange {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/** What changed between two texts, by line and in order. A line counts with its ending. The cost is bounded. */
export function diffLines(before: string, after: string): LineChange[] {
  const numbers = new LineNumbers();
  return diffNumbers(numbers.of(new TextLines(before)), numbers.of(new TextLines(after)));
}

/** The same for lines given as numbers, equal ones for equal lines. */
export function diffNumbers(before: Int32Array, after: Int32Array): LineChange[] {
  const left: MarkedLines = { lines: before, changed: new Uint8Array(before.length) };
  const right: MarkedLines = { lines: after, changed: new Uint8Array(after.length) };
  markChanges(left, right);
  slideChanges(left, right);
  slideChanges(right, left);
  return collectChanges(left.changed, right.changed);
}

function markChanges(left: MarkedLines, right: MarkedLines): void {
  const comparable = findComparable(left.lines, right.lines);
  for (const position of comparable.a.changed) left.changed[position] = 1;
  for (const position of comparable.b.changed) right.changed[position] = 1;
  const a = comparable.a.kept.map((position) => left.lines[position]!);
  const b = comparable.b.kept.map((position) => right.lines[position]!);
  findShortestEdit(a, b, {
    removed: (index) => {
      left.changed[comparable.a.kept[index]!] = 1;
    },
    added: (index) => {
      right.changed[comparable.b.kept[index]!] = 1;
    },
  });
}

function collectChanges(removed: Uint8Array, added: Uint8Array): LineChange[] {
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < removed.length || j < added.length) {
    const [beforeStart, afterStart] = [i, j];
    while (removed[i] === 1) i++;
    while (added[j] === 1) j++;
    if (i > beforeStart || j > afterStart) changes.push({ beforeStart, beforeEnd: i, afterStart, afterEnd: j });
    i++;
    j++;
  }
  return changes;
}

export interface UnifiedDiffOptions {
  /** What the `---` line calls the text before. */
  readonly from: string;
  /** What the `+++` line calls the text after. */
  readonly to: string;
  /** Unchanged lines shown around a change. */
  readonly context?: number;
}

/** The difference as `diff -u` writes it, for people and for `patch`; empty where there is none. */
export function unifiedDiff(before: string, after: string, { from, to, context = 3 }: UnifiedDiffOptions): string {
  const numbers = new LineNumbers();
  const [left, right] = [new TextLines(before), new TextLines(after)];
  const changes = diffNumbers(numbers.of(left), numbers.of(right));
  if (changes.length === 0) return "";
  const hunks = groupByContext(changes, context).map((group) => renderHunk(group, left, right, context));
  return `--- ${from}\n+++ ${to}\n${hunks.join("")}`;
}

/** Changes whose contexts touch share a hunk. */
function groupByContext(changes: readonly LineChange[], context: number): LineChange[][] {
  const groups: LineChange[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.beforeStart - end <= 2 * context) groups.at(-1)!.push(change);
    else groups.push([change]);
    end = change.beforeEnd;
  }
  return groups;
}

function renderHunk(changes: readonly LineChange[], before: TextLines, after: TextLines, context: number): string {
  const [first, last] = [changes[0]!, changes.at(-1)!];
  const lead = Math.min(context, first.beforeStart);
  const trail = Math.min(context, before.count - last.beforeEnd);
  const start = first.beforeStart - lead;
  const parts = [
    `@@ -${renderSpan(start, last.beforeEnd + trail)} +${renderSpan(first.afterStart - lead, last.afterEnd + trail)} @@\n`,
  ];
  let at = start;
  for (const change of changes) {
    parts.push(renderLines(" ", before, at, change.beforeStart));
    parts.push(renderLines("-", before, change.beforeStart, change.beforeEnd));
    parts.push(renderLines("+", after, change.afterStart, change.afterEnd));
    at = change.beforeEnd;
  }
  parts.push(renderLines(" ", before, at, at + trail));
  return parts.join("");
}

/** Lines from 1, and their number unless it is one. An empty span stands behind the line before it. */
function renderSpan(start: number, end: number): string {
  if (end === start) return `${start},0`;
  return end - start === 1 ? `${start + 1}` : `${start + 1},${end - start}`;
}

function renderLines(sign: " " | "-" | "+", lines: TextLines, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end; at++) {
    const line = lines.slice(at, at + 1);
    text += line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
  }
  return text;
}

/** The lines of one side, as numbers, that are worth comparing. */
export interface ComparableLines {
  /** Their positions, in order. */
  readonly kept: Int32Array;
  /** The positions between the common beginning and end that are left out: changed, whatever the comparison finds. */
  readonly changed: readonly number[];
}

type Occurrence = 0 | 1 | 2;
const absent: Occurrence = 0;
const rare: Occurrence = 1;
const frequent: Occurrence = 2;

/** A line that the other side has this often never helps, however long the files are. */
const alwaysFrequent = 1024;
/** How far around a frequent line its neighbours are asked. */
const neighbourhood = 100;
/** A frequent line is left out where there are more absent lines around it than this for each frequent one. */
const outnumbered = 3;

/**
 * Leaves out what would only slow a comparison down, as git does: the common beginning and end, lines that the other
 * side does not have, and lines that match everywhere (a lone `}`) where they stand among such lines.
 */
export function findComparable(a: Int32Array, b: Int32Array): { a: ComparableLines; b: ComparableLines } {
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  return { a: comparableSide(a, b, start, a.length - end), b: comparableSide(b, a, start, b.length - end) };
}

function commonStart(a: Int32Array, b: Int32Array): number {
  const limit = Math.min(a.length, b.length);
  let count = 0;
  while (count < limit && a[count] === b[count]) count++;
  return count;
}

function commonEnd(a: Int32Array, b: Int32Array, start: number): number {
  const limit = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < limit && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

function comparableSide(own: Int32Array, other: Int32Array, from: number, to: number): ComparableLines {
  const occurrences = occurrencesIn(other, own, from, to);
  const kept = new Int32Array(to - from);
  let keptCount = 0;
  const changed: number[] = [];
  for (let i = from; i < to; i++) {
    const occurrence = occurrences[i - from];
    const helps = occurrence === rare || (occurrence === frequent && !standsAmongAbsent(occurrences, i - from));
    if (helps) kept[keptCount++] = i;
    else changed.push(i);
  }
  return { kept: kept.subarray(0, keptCount), changed };
}

/** For each line of `own` between `from` and `to`: how often the other side has it, anywhere. */
function occurrencesIn(other: Int32Array, own: Int32Array, from: number, to: number): Uint8Array {
  const counts = countEach(other);
  const limit = Math.min(roughRoot(own.length), alwaysFrequent);
  const occurrences = new Uint8Array(to - from);
  for (let i = from; i < to; i++) {
    const count = counts[own[i]!] ?? 0;
    occurrences[i - from] = count === 0 ? absent : count >= limit ? frequent : rare;
  }
  return occurrences;
}

function countEach(lines: Int32Array): Int32Array {
  let highest = -1;
  for (let i = 0; i < lines.length; i++) highest = Math.max(highest, lines[i]!);
  const counts = new Int32Array(highest + 1);
  for (let i = 0; i < lines.length; i++) counts[lines[i]!]!++;
  return counts;
}

/** Whether many absent lines, on both sides, and few frequent ones surround a frequent line. */
function standsAmongAbsent(occurrences: Uint8Array, at: number): boolean {
  const before = countNeighbours(occurrences, at, -1);
  if (before.absent === 0) return false;
  const after = countNeighbours(occurrences, at, 1);
  if (after.absent === 0) return false;
  // The line itself counts once for either direction.
  const frequentOnes = before.frequent + after.frequent + 2;
  return before.absent + after.absent > frequentOnes * outnumbered;
}

function countNeighbours(occurrences: Uint8Array, at: number, direction: 1 | -1): { absent: number; frequent: number } {
  const count = { absent: 0, frequent: 0 };
  for (let distance = 1; distance <= neighbourhood; distance++) {
    const occurrence = occurrences[at + distance * direction];
    if (occurrence === undefined || occurrence === rare) break;
    if (occurrence === absent) count.absent++;
    else count.frequent++;
  }
  return count;
}
