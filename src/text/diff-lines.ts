import { findComparable } from "./comparable-lines.ts";
import { LineNumbers, TextLines } from "./lines.ts";
import { findShortestEdit } from "./shortest-edit.ts";
import { type MarkedLines, slideChanges } from "./slide-changes.ts";

/** Lines (counted from 0, ends exclusive) that stand in place of each other. One side may be empty, never both. */
export interface LineChange {
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

/**
 * What changed between two texts, line by line, in order; a line counts with its ending. Cost is bounded, also for
 * hostile input.
 */
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

/**
 * Lines from 1 and their number, which is left out when it is one; an empty span is said to stand behind the line
 * before it.
 */
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
