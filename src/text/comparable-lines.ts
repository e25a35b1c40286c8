import { roughRoot } from "./shortest-edit.ts";

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

/** A line that the other side has this many times never helps to find the way, however long the files are. */
const alwaysFrequent = 1024;
/** How far around a frequent line its neighbours are asked. */
const neighbourhood = 100;
/** A frequent line is left out where there are more absent lines around it than this for each frequent one. */
const outnumbered = 3;

/**
 * Leaves out what would only slow a comparison down: the common beginning and end, lines that the other side does not
 * have, and lines that match everywhere (a lone `}`) where they stand among such lines. git leaves the same ones out.
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

/**
 * Whether a frequent line has absent ones on both sides, before the next rare one, and few frequent ones between them.
 */
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
