import type { InputError } from "../../core/diagnostic.ts";
import type { FileStatus, Gate } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import type { KeptFile } from "../records/generations.ts";

/**
 * Many programs save by cutting their file off and writing it anew. Whoever replaces the file in between takes the save
 * away: its bytes go to a file without a name. So a file that changed a moment ago is watched until it rests.
 */
export const restTimes = {
  /** A file that looks whole rests once nothing has changed for this long. */
  quietMs: 20,
  /** The same for a file that is shorter than it was: it may be half written. */
  shorterMs: 80,
  /** The same for an empty file: somebody has begun to save it, most probably. */
  emptyMs: 250,
  /**
   * A file that changed since then and is shorter than it was, or empty, may be half written: whoever has it open to
   * write is waited for.
   */
  recentMs: 10_000,
  /** A file that does not rest for this long is refused. */
  limitMs: 2000,
} as const;

const stepMs = 10;

type RestGate = Pick<Gate, "stat" | "now" | "pause" | "writerOf">;

/** A file that a plan has read. */
export interface ReadFile {
  /** As the user says it. */
  readonly path: string;
  readonly real: string;
  /** How many bytes planning saw; undefined where it does not know any more. */
  readonly size: number | undefined;
  /** The hash of what planning saw; undefined where that was no file. Asked only of files that changed a moment ago. */
  sha256(): string | undefined;
}

/** A file at rest: what it looked like then, and whether it had to be waited for. */
export interface AtRest {
  readonly status: FileStatus | undefined;
  readonly hasWaited: boolean;
}

/**
 * Waits until nobody is about to save these files, one after the other. `lastLeft`: as we left a file the last time we
 * wrote it.
 */
export async function untilAtRest<T extends ReadFile>(
  gate: RestGate,
  files: readonly T[],
  lastLeft: (real: string) => KeptFile | undefined,
): Promise<readonly (T & AtRest)[]> {
  const resting: (T & AtRest)[] = [];
  for (const file of files) resting.push({ ...file, ...(await restOf(gate, file, lastLeft)) });
  return resting;
}

async function restOf(
  gate: RestGate,
  file: ReadFile,
  lastLeft: (real: string) => KeptFile | undefined,
): Promise<AtRest> {
  let status = gate.stat(file.real);
  let quiet = ageOf(status, gate.now());
  if (status?.kind !== "file" || (quiet >= restTimes.recentMs && status.size > 0)) return { status, hasWaited: false };
  const left = lastLeft(file.real);
  // What we wrote ourselves is whole.
  if (left?.kind === "file" && left.sha256 === file.sha256()) return { status, hasWaited: false };
  const wholeSize = Math.max(1, file.size ?? 0, left?.kind === "file" ? (left.size ?? 0) : 0);
  const writer = () => (status !== undefined && status.size < wholeSize ? gate.writerOf(file.real) : undefined);
  for (let waited = 0; ; ) {
    const isQuiet = quiet >= enough(status, wholeSize);
    const who = isQuiet ? writer() : undefined;
    const now = gate.stat(file.real);
    // Looking for writers takes a while, in which one may have ended and another begun.
    if (isQuiet && who === undefined && isSame(now, status)) return { status, hasWaited: waited > 0 };
    if (waited >= restTimes.limitMs) throw beingSaved(file.path, who);
    // Looking for writers takes longer than looking at the file.
    const step = isQuiet ? 5 * stepMs : stepMs;
    await gate.pause(step);
    waited += step;
    const next = gate.stat(file.real);
    quiet = isSame(next, status) ? quiet + step : 0;
    status = next;
  }
}

/** How long a file must not change to be taken for whole. */
function enough(status: FileStatus | undefined, wholeSize: number): number {
  if (status === undefined) return 0;
  if (status.size === 0) return restTimes.emptyMs;
  return status.size < wholeSize ? restTimes.shorterMs : restTimes.quietMs;
}

/** How long ago a file changed. One from the future may have changed just now; what is no file is saved by nobody. */
function ageOf(status: FileStatus | undefined, now: number): number {
  return status?.kind === "file" ? Math.max(0, now - status.modified) : Number.POSITIVE_INFINITY;
}

/** Whether a file is as it was, as far as its status says. */
export function isSame(a: FileStatus | undefined, b: FileStatus | undefined): boolean {
  return a?.kind === b?.kind && a?.modified === b?.modified && a?.size === b?.size;
}

function beingSaved(path: string, writer: string | undefined): InputError {
  const who = `another program${writer === undefined ? "" : ` (${writer})`}`;
  const message = `${who} is writing it and did not finish within ${restTimes.limitMs / 1000} s; nothing was changed, run again when it is`;
  return storeError("save-in-progress", path, message);
}
