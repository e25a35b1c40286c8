import { join } from "node:path";
import type { Gate, Reader } from "../gate/gate.ts";
import type { Observations } from "./observations.ts";
import type { Moment } from "./record-observations.ts";

/**
 * What a run that changes nothing would say, kept by the run before it: who asks the same of the same program, and sees
 * the same, gets the same answer. A cache: a missing or torn one costs time and nothing else.
 */
export interface Fingerprint<Request, Answer> {
  /** Which program would answer: another build may see things differently. */
  readonly build: string;
  readonly request: Request;
  readonly observations: Observations;
  readonly answer: Answer;
}

export function fingerprintPath(stateDir: string, owner: string): string {
  return join(stateDir, owner, "fingerprint.json");
}

/** What is half written ends elsewhere. */
const end = "\n.\n";

/**
 * The fingerprint at a path; undefined where there is none that can be believed. What it holds is printed as it is, so
 * it has to be a file that only we can have written. `build` goes first: what follows has the shape that this program
 * gives it.
 */
export function readFingerprint<Request, Answer>(
  reader: Reader,
  path: string,
  { build, userId }: { readonly build: string; readonly userId: number | undefined },
): Fingerprint<Request, Answer> | undefined {
  const status = reader.stat(path);
  if (status?.kind !== "file") return undefined;
  if (userId !== undefined && (status.uid !== userId || (status.mode & 0o077) !== 0)) return undefined;
  const text = reader.read(path)?.toString("utf8");
  if (!text?.endsWith(end)) return undefined;
  const fingerprint = JSON.parse(text.slice(0, -end.length)) as Fingerprint<Request, Answer>;
  return fingerprint.build === build ? fingerprint : undefined;
}

/**
 * Where a fingerprint is going to be, an empty file, which is none: it is dated by the disk's own clock, after what the
 * run wrote last. Clocks of disks are slow, so that may take a few of their ticks; one that takes seconds is not waited
 * for.
 */
export async function beginFingerprint(gate: Gate, path: string, writtenLast: string): Promise<Moment> {
  for (let ticks = 0; ; ticks++) {
    gate.remove(path);
    gate.createFile(path, new Uint8Array(), "private");
    const moment = gate.stat(path)!;
    const last = gate.stat(writtenLast);
    const isLater = last === undefined || last.device !== moment.device || last.changed < moment.changed;
    if (isLater || ticks === 3) return moment;
    await gate.pause(10);
  }
}

/** In place, since what is half written is noticed: JSON that is cut off is none. */
export function writeFingerprint(gate: Gate, path: string, fingerprint: Fingerprint<unknown, unknown>): void {
  gate.remove(path);
  gate.createFile(path, Buffer.from(`${JSON.stringify(fingerprint)}${end}`), "private");
}
