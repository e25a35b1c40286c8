import { createHash } from "node:crypto";
import { maskLines } from "../../report/mask/lines.ts";
import { diffLines } from "../../text/diff-lines.ts";
import { splitLines } from "../../text/lines.ts";

/** What somebody did by hand to a text that is generated. It will be overwritten, but not silently. */
export interface Drift {
  /** The data key it is about. */
  readonly key: string;
  /** Lines as they are now (-) and as they will be (+), without those in between. */
  readonly diff: string;
}

export function textHash(text: string): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

const longestDiff = 4000;

/** What is known of one generated text. */
export interface GeneratedText {
  readonly key: string;
  /** As it stands there; undefined: it does not. */
  readonly seen: string | undefined;
  /** Of what we wrote last; undefined: nothing was ever written. */
  readonly recordedHash: string | undefined;
  /** What will stand there. */
  readonly next: string;
  /** Exactly what we wrote last, if this process still knows: makes the difference exact. */
  readonly last: string | undefined;
}

/**
 * Whether a generated text is not what we wrote. The difference goes into logs and Events, so secrets in it are masked.
 */
export function findDrift({ key, seen, recordedHash, next, last }: GeneratedText): Drift | undefined {
  if (recordedHash === undefined || (seen !== undefined && textHash(seen) === recordedHash)) return undefined;
  const wrote = last !== undefined && textHash(last) === recordedHash ? last : next;
  return { key, diff: maskLines(changedLines(seen ?? "", wrote)) };
}

/** Short, as it has to fit into an Event. */
function changedLines(before: string, after: string): string {
  const [left, right] = [splitLines(before), splitLines(after)];
  const lines = diffLines(before, after).flatMap((change) => [
    ...left.slice(change.beforeStart, change.beforeEnd).map((line) => `-${line.trimEnd()}`),
    ...right.slice(change.afterStart, change.afterEnd).map((line) => `+${line.trimEnd()}`),
  ]);
  const text = lines.join("\n");
  return text.length <= longestDiff ? text : `${text.slice(0, longestDiff)}\n… (${lines.length} lines in all)`;
}
