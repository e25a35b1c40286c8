import { join } from "node:path";
import type { Gate, Reader } from "../gate/gate.ts";
import type { Observations } from "./observations.ts";

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

/** In place, since what is half written is noticed: JSON that is cut off is none. The same again is not written. */
export function writeFingerprint(gate: Gate, path: string, fingerprint: Fingerprint<unknown, unknown>): void {
  const bytes = Buffer.from(`${JSON.stringify(fingerprint)}${end}`);
  if (gate.stat(path)?.kind === "file" && gate.whichOf(path, [{ bytes }]) !== undefined) return;
  gate.remove(path);
  gate.createFile(path, bytes, "private");
}
