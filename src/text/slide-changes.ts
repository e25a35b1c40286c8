/** One side of a comparison: its lines as numbers, and for each whether it is changed (removed here, or added here). */
export interface MarkedLines {
  readonly lines: Int32Array;
  readonly changed: Uint8Array;
}

/**
 * Moves runs of changed lines to where people expect them. `a b a` may have gained its first `a b` or its last `b a`. A
 * run that can slide goes level with a change on the other side, else as far down as it can. Runs that touch become
 * one. git does the same, and what conflicts in a merge depends on it.
 */
export function slideChanges(own: MarkedLines, other: MarkedLines): void {
  const run = new Run(own);
  const opposite = new Run(other);
  do {
    if (!run.isEmpty()) slideRun(run, opposite);
  } while (moveToNextChange(run, opposite));
}

function slideRun(run: Run, opposite: Run): void {
  let size: number;
  let highest: number;
  let level: boolean;
  do {
    size = run.end - run.start;
    while (run.slideUp()) opposite.previous();
    highest = run.end;
    level = !opposite.isEmpty();
    while (run.slideDown()) {
      opposite.next();
      level ||= !opposite.isEmpty();
    }
    // A run that swallowed another one can slide further than either.
  } while (size !== run.end - run.start);
  if (run.end === highest || !level) return;
  while (opposite.isEmpty()) {
    run.slideUp();
    opposite.previous();
  }
}

/** To the next run that is not empty, in step with the other side; false at the end. This is the hot loop. */
function moveToNextChange(run: Run, opposite: Run): boolean {
  const { lines, changed } = run;
  const otherChanged = opposite.changed;
  let own = run.end;
  let other = opposite.end;
  while (own < lines.length) {
    own++;
    other++;
    const otherStart = other;
    while (otherChanged[other] === 1) other++;
    if (changed[own] !== 1) continue;
    run.moveTo(own);
    opposite.moveTo(otherStart);
    return true;
  }
  return false;
}

/**
 * A run of changed lines of one side, or the empty place between two unchanged ones. Unchanged lines come in pairs, so
 * passing one here means passing one there.
 */
class Run {
  readonly lines: Int32Array;
  readonly changed: Uint8Array;
  start = 0;
  end = 0;

  constructor(marked: MarkedLines) {
    this.lines = marked.lines;
    this.changed = marked.changed;
    this.growDown();
  }

  isEmpty(): boolean {
    return this.start === this.end;
  }

  moveTo(start: number): void {
    this.start = start;
    this.end = start;
    this.growDown();
  }

  next(): void {
    this.moveTo(this.end + 1);
  }

  previous(): void {
    this.end = this.start - 1;
    this.start = this.end;
    this.growUp();
  }

  slideDown(): boolean {
    const { lines, changed } = this;
    if (this.end >= lines.length || lines[this.start] !== lines[this.end]) return false;
    changed[this.start++] = 0;
    changed[this.end++] = 1;
    this.growDown();
    return true;
  }

  slideUp(): boolean {
    const { lines, changed } = this;
    if (this.start === 0 || lines[this.start - 1] !== lines[this.end - 1]) return false;
    changed[--this.start] = 1;
    changed[--this.end] = 0;
    this.growUp();
    return true;
  }

  private growDown(): void {
    while (this.changed[this.end] === 1) this.end++;
  }

  private growUp(): void {
    while (this.changed[this.start - 1] === 1) this.start--;
  }
}
