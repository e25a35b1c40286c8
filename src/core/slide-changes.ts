/** One side of a comparison: its lines as numbers, and for each whether it is changed (removed here, or added here). */
export interface MarkedLines {
  readonly lines: Int32Array;
  readonly changed: Uint8Array;
}

/** A run of changed lines, or the empty place between two unchanged ones. There is one more than there are unchanged lines. */
interface Run {
  start: number;
  end: number;
}

/**
 * Moves runs of changed lines to where people expect them. `a b a` may as well have gained its first `a b` as its last `b a`: a run that
 * can slide goes level with a change on the other side if there is one within its way, else as far down as it can. Runs that touch on
 * the way become one. git does the same, and what conflicts in a merge depends on it.
 */
export function slideChanges(own: MarkedLines, other: MarkedLines): void {
  const side = new Side(own);
  // Unchanged lines come in pairs, so the runs of the two sides do too: moving past one here means moving past one there.
  const opposite = new Side(other);
  do {
    if (!isEmpty(side.run)) slideRun(side, opposite);
    opposite.next();
  } while (side.next());
}

function slideRun(side: Side, opposite: Side): void {
  let size: number;
  let highest: number;
  let level: boolean;
  do {
    size = side.run.end - side.run.start;
    while (side.slideUp()) opposite.previous();
    highest = side.run.end;
    level = !isEmpty(opposite.run);
    while (side.slideDown()) {
      opposite.next();
      level ||= !isEmpty(opposite.run);
    }
    // A run that swallowed another one can slide further than either.
  } while (size !== side.run.end - side.run.start);
  if (side.run.end === highest || !level) return;
  while (isEmpty(opposite.run)) {
    side.slideUp();
    opposite.previous();
  }
}

function isEmpty(run: Run): boolean {
  return run.start === run.end;
}

/** A walk over the runs of one side. */
class Side {
  readonly lines: Int32Array;
  readonly changed: Uint8Array;
  readonly run: Run = { start: 0, end: 0 };

  constructor(marked: MarkedLines) {
    this.lines = marked.lines;
    this.changed = marked.changed;
    this.growDown();
  }

  next(): boolean {
    if (this.run.end === this.lines.length) return false;
    this.run.start = this.run.end + 1;
    this.run.end = this.run.start;
    this.growDown();
    return true;
  }

  previous(): void {
    this.run.end = this.run.start - 1;
    this.run.start = this.run.end;
    this.growUp();
  }

  slideDown(): boolean {
    const { run, lines, changed } = this;
    if (run.end >= lines.length || lines[run.start] !== lines[run.end]) return false;
    changed[run.start++] = 0;
    changed[run.end++] = 1;
    this.growDown();
    return true;
  }

  slideUp(): boolean {
    const { run, lines, changed } = this;
    if (run.start === 0 || lines[run.start - 1] !== lines[run.end - 1]) return false;
    changed[--run.start] = 1;
    changed[--run.end] = 0;
    this.growUp();
    return true;
  }

  private growDown(): void {
    while (this.changed[this.run.end] === 1) this.run.end++;
  }

  private growUp(): void {
    while (this.changed[this.run.start - 1] === 1) this.run.start--;
  }
}
