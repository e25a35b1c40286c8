import { basename, dirname, join } from "node:path";
import type { NextFile } from "../../core/content.ts";
import type { FileAttributes, Gate } from "../gate/gate.ts";
import { errnoOf, fileError, storeError } from "../gate/store-error.ts";
import { refuseTarget } from "../gate/target.ts";
import { makeFolders } from "../records/state-dir.ts";
import { removalMark } from "./outcome.ts";
import type { Change } from "./transaction.ts";

/**
 * A name for a temporary file beside a target: a rename within one folder is atomic, and never crosses file systems.
 */
export function tempBeside(gate: Gate, real: string): string {
  return join(dirname(real), `.stet-${gate.token()}.tmp`);
}

/** Writes the new content beside its place, complete and verified. All that is left is to rename it. */
export function stageBeside(gate: Gate, change: Pick<Change, "path" | "real" | "after">, temp: string): void {
  const { path, real, after } = change;
  try {
    if (after.kind === "link") gate.createLink(temp, after.target);
    else if (after.kind === "absent") createVerified(gate, temp, removalMark(temp), "private");
    else createVerified(gate, temp, after.bytes, attributesFor(gate, real, after.mode));
  } catch (cause) {
    throw inWordsOfTarget(path, temp, cause);
  }
}

/** A replacement takes over mode, owner and extended attributes of the file it replaces. */
function attributesFor(gate: Gate, real: string, mode: NextFile["mode"]): FileAttributes {
  return { like: gate.stat(real)?.kind === "file" ? real : undefined, mode: modeFor(gate, real, mode) };
}

export function modeFor(gate: Gate, real: string, mode: NextFile["mode"]): number {
  if ("exact" in mode) return mode.exact;
  const existing = gate.stat(real);
  return existing?.kind === "file" ? existing.mode : mode.created & ~gate.umask;
}

export function createVerified(
  gate: Gate,
  path: string,
  bytes: Uint8Array,
  attributes: FileAttributes | "private",
): void {
  gate.createFile(path, bytes, attributes);
  if (gate.whichOf(path, [{ bytes }]) !== undefined) return;
  throw storeError(
    "write-failed",
    path,
    "what was written does not read back the same; check the disk before you run again",
  );
}

/** Nobody knows our temporary files: errors name the target, or its folder where that is what can't be written. */
function inWordsOfTarget(path: string, temp: string, cause: unknown): unknown {
  const errno = errnoOf(cause);
  if (errno === undefined) return cause;
  if (errno !== "EACCES" && errno !== "EPERM" && errno !== "EROFS")
    return fileError("write", path, (cause as Error).cause ?? cause);
  const why = errno === "EROFS" ? "its disk is mounted read-only" : "you may not create files in it";
  const message = `${basename(path)} can't be replaced, because ${why}; make the folder writable and run again`;
  return storeError("read-only-folder", dirname(temp), message);
}

/**
 * One file, atomically, outside any transaction: for what stet makes on request, such as a saved plan. Links are
 * followed. Content that takes something to make is made when it is clear that it can be written.
 */
export function writeAtomically(
  gate: Gate,
  path: string,
  content: Uint8Array | (() => Uint8Array),
  mode: number,
): void {
  const real = gate.realPath(path);
  const empty: NextFile = { kind: "file", bytes: new Uint8Array(), mode: { created: mode } };
  refuseTarget(gate, { path, real, after: empty });
  const after: NextFile = { ...empty, bytes: typeof content === "function" ? content() : content };
  makeFolders(gate, dirname(real), 0o777);
  const temp = tempBeside(gate, real);
  gate.stage("begun");
  stageBeside(gate, { path, real, after }, temp);
  try {
    gate.rename(temp, real);
  } catch (cause) {
    gate.remove(temp);
    throw cause;
  }
  gate.syncFolder(dirname(real));
}
