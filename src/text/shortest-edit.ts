/**
 * Myers' O(ND) comparison of two sequences in linear space: search from both corners, split where the searches meet, go
 * on with the halves. Among equally short scripts, and where an expensive search is cut short, the choices are git's:
 * else a merge would not find the conflicts that `git merge-file` finds.
 */
export interface EditMarks {
  removed(index: number): void;
  added(index: number): void;
}

/** The part of the two sequences still to be compared; ends are exclusive. */
interface Box {
  readonly aFrom: number;
  readonly aTo: number;
  readonly bFrom: number;
  readonly bTo: number;
  /** Whether the script for this box must be a shortest one; false where an expensive search may be cut short. */
  readonly minimal: boolean;
}

/** A point that a good script runs through. */
interface Split {
  readonly a: number;
  readonly b: number;
  readonly minimalBefore: boolean;
  readonly minimalAfter: boolean;
}

/** More equal lines in a row than this are not there by accident. */
const sureRun = 20;
/** The number of edits after which a search that need not be minimal starts to look for a way out. */
const patience = 256;
/** A diagonal is worth splitting at when it got this many times further than its edits. */
const worthwhile = 4;
const unreachedBackward = 0x7fffffff;

export function findShortestEdit(a: Int32Array, b: Int32Array, marks: EditMarks): void {
  const search = new Search(a, b);
  const boxes: Box[] = [{ aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length, minimal: false }];
  for (let next = boxes.pop(); next !== undefined; next = boxes.pop()) {
    const box = withoutEqualEnds(a, b, next);
    if (box.aFrom === box.aTo) for (let j = box.bFrom; j < box.bTo; j++) marks.added(j);
    else if (box.bFrom === box.bTo) for (let i = box.aFrom; i < box.aTo; i++) marks.removed(i);
    else {
      const split = search.split(box);
      boxes.push({ aFrom: split.a, aTo: box.aTo, bFrom: split.b, bTo: box.bTo, minimal: split.minimalAfter });
      boxes.push({ aFrom: box.aFrom, aTo: split.a, bFrom: box.bFrom, bTo: split.b, minimal: split.minimalBefore });
    }
  }
}

/** A power of two near the square root of n: a bound that grows with the input, but slowly. */
export function roughRoot(n: number): number {
  let root = 1;
  for (let rest = n; rest > 0; rest = Math.floor(rest / 4)) root *= 2;
  return root;
}

function withoutEqualEnds(a: Int32Array, b: Int32Array, box: Box): Box {
  let { aFrom, aTo, bFrom, bTo } = box;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) {
    aFrom++;
    bFrom++;
  }
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) {
    aTo--;
    bTo--;
  }
  return { aFrom, aTo, bFrom, bTo, minimal: box.minimal };
}

/**
 * How far the search from one corner has come: for each diagonal `a - b`, the furthest position in `a`. Every other
 * diagonal between `low` and `high` is of the current number of edits, the rest of the step before.
 */
class Frontier {
  readonly origin: number;
  readonly unreached: number;
  readonly reach: Int32Array;
  low = 0;
  high = 0;

  constructor(aLength: number, bLength: number, unreached: number) {
    this.origin = bLength + 1;
    this.unreached = unreached;
    this.reach = new Int32Array(aLength + bLength + 3);
  }

  begin(diagonal: number, position: number): void {
    this.low = diagonal;
    this.high = diagonal;
    this.set(diagonal, position);
  }

  at(diagonal: number): number {
    return this.reach[diagonal + this.origin]!;
  }

  set(diagonal: number, position: number): void {
    this.reach[diagonal + this.origin] = position;
  }

  covers(diagonal: number): boolean {
    return this.low <= diagonal && diagonal <= this.high;
  }

  /** One edit more reaches one diagonal further on each side, unless that one lies outside the box. */
  widen(lowest: number, highest: number): void {
    if (this.low > lowest) this.set(--this.low - 1, this.unreached);
    else this.low++;
    if (this.high < highest) this.set(++this.high + 1, this.unreached);
    else this.high--;
  }
}

class Search {
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly ahead: Frontier;
  readonly back: Frontier;
  readonly costLimit: number;
  /** Whether the current step followed a run of equal lines long enough to be trusted. */
  sawSureRun = false;

  constructor(a: Int32Array, b: Int32Array) {
    this.a = a;
    this.b = b;
    this.ahead = new Frontier(a.length, b.length, -1);
    this.back = new Frontier(a.length, b.length, unreachedBackward);
    this.costLimit = Math.max(patience, roughRoot(a.length + b.length + 3));
  }

  split(box: Box): Split {
    const { ahead, back } = this;
    const lowest = box.aFrom - box.bTo;
    const highest = box.aTo - box.bFrom;
    ahead.begin(box.aFrom - box.bFrom, box.aFrom);
    back.begin(box.aTo - box.bTo, box.aTo);
    // The searches meet after a step forward when the number of edits is odd, after one backward when it is even.
    const odd = ((box.aFrom - box.bFrom - (box.aTo - box.bTo)) & 1) !== 0;
    for (let cost = 1; ; cost++) {
      this.sawSureRun = false;
      ahead.widen(lowest, highest);
      const metAhead = this.stepAhead(box, odd);
      if (metAhead) return metAhead;
      back.widen(lowest, highest);
      const metBack = this.stepBack(box, !odd);
      if (metBack) return metBack;
      if (box.minimal) continue;
      const promising = this.sawSureRun && cost > patience ? this.splitAtSureRun(box, cost) : undefined;
      if (promising) return promising;
      if (cost >= this.costLimit) return this.splitAtFurthest(box);
    }
  }

  // The two steps are the innermost loops of every comparison, so they read the frontiers' arrays themselves.
  private stepAhead(box: Box, mayMeet: boolean): Split | undefined {
    const { a, b, back } = this;
    const { reach, origin, low, high } = this.ahead;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const fromBelow = reach[diagonal + origin - 1]!;
      const fromAbove = reach[diagonal + origin + 1]!;
      const start = fromBelow >= fromAbove ? fromBelow + 1 : fromAbove;
      const end = Math.min(box.aTo, box.bTo + diagonal);
      let i = start;
      while (i < end && a[i] === b[i - diagonal]) i++;
      if (i - start > sureRun) this.sawSureRun = true;
      reach[diagonal + origin] = i;
      if (mayMeet && back.covers(diagonal) && back.at(diagonal) <= i) return exactSplit(i, diagonal);
    }
    return undefined;
  }

  private stepBack(box: Box, mayMeet: boolean): Split | undefined {
    const { a, b, ahead } = this;
    const { reach, origin, low, high } = this.back;
    for (let diagonal = high; diagonal >= low; diagonal -= 2) {
      const fromBelow = reach[diagonal + origin - 1]!;
      const fromAbove = reach[diagonal + origin + 1]!;
      const start = fromBelow < fromAbove ? fromBelow : fromAbove - 1;
      const end = Math.max(box.aFrom, box.bFrom + diagonal);
      let i = start;
      while (i > end && a[i - 1] === b[i - diagonal - 1]) i--;
      if (start - i > sureRun) this.sawSureRun = true;
      reach[diagonal + origin] = i;
      if (mayMeet && ahead.covers(diagonal) && i <= ahead.at(diagonal)) return exactSplit(i, diagonal);
    }
    return undefined;
  }

  /** The diagonal that came furthest for its edits, if it ends in a sure run: forward ones first. */
  private splitAtSureRun(box: Box, cost: number): Split | undefined {
    const start = this.bestSureRun(this.ahead, box, cost, (i, j) => this.runBefore(i, j, box));
    if (start) return { ...start, minimalBefore: true, minimalAfter: false };
    const end = this.bestSureRun(this.back, box, cost, (i, j) => this.runAfter(i, j, box));
    return end && { ...end, minimalBefore: false, minimalAfter: true };
  }

  private bestSureRun(frontier: Frontier, box: Box, cost: number, endsInRun: (i: number, j: number) => boolean) {
    const forward = frontier === this.ahead;
    const middle = forward ? box.aFrom - box.bFrom : box.aTo - box.bTo;
    let best = worthwhile * cost;
    let point: { a: number; b: number } | undefined;
    for (let diagonal = frontier.high; diagonal >= frontier.low; diagonal -= 2) {
      const i = frontier.at(diagonal);
      const j = i - diagonal;
      const progress =
        (forward ? i - box.aFrom + (j - box.bFrom) : box.aTo - i + (box.bTo - j)) - Math.abs(diagonal - middle);
      if (progress > best && endsInRun(i, j)) {
        best = progress;
        point = { a: i, b: j };
      }
    }
    return point;
  }

  private runBefore(i: number, j: number, box: Box): boolean {
    if (i < box.aFrom + sureRun || i >= box.aTo || j < box.bFrom + sureRun || j >= box.bTo) return false;
    for (let k = 1; k <= sureRun; k++) if (this.a[i - k] !== this.b[j - k]) return false;
    return true;
  }

  private runAfter(i: number, j: number, box: Box): boolean {
    if (i <= box.aFrom || i > box.aTo - sureRun || j <= box.bFrom || j > box.bTo - sureRun) return false;
    for (let k = 0; k < sureRun; k++) if (this.a[i + k] !== this.b[j + k]) return false;
    return true;
  }

  /** The search became too expensive: split at the point, of both searches, that is furthest from its corner. */
  private splitAtFurthest(box: Box): Split {
    const ahead = this.furthestAhead(box);
    const back = this.furthestBack(box);
    const aheadWins = box.aTo + box.bTo - (back.a + back.b) < ahead.a + ahead.b - (box.aFrom + box.bFrom);
    return aheadWins
      ? { ...ahead, minimalBefore: true, minimalAfter: false }
      : { ...back, minimalBefore: false, minimalAfter: true };
  }

  private furthestAhead(box: Box): { a: number; b: number } {
    let best = { a: -1, b: 0 };
    for (let diagonal = this.ahead.high; diagonal >= this.ahead.low; diagonal -= 2) {
      const a = Math.min(this.ahead.at(diagonal), box.aTo, box.bTo + diagonal);
      if (a + (a - diagonal) > best.a + best.b) best = { a, b: a - diagonal };
    }
    return best;
  }

  private furthestBack(box: Box): { a: number; b: number } {
    let best = { a: unreachedBackward, b: 0 };
    for (let diagonal = this.back.high; diagonal >= this.back.low; diagonal -= 2) {
      const a = Math.max(this.back.at(diagonal), box.aFrom, box.bFrom + diagonal);
      if (a + (a - diagonal) < best.a + best.b) best = { a, b: a - diagonal };
    }
    return best;
  }
}

function exactSplit(a: number, diagonal: number): Split {
  return { a, b: a - diagonal, minimalBefore: true, minimalAfter: true };
}
