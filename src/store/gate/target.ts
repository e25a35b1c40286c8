import { basename, dirname, sep } from "node:path";
import type { Change } from "../transaction/transaction.ts";
import { inFolder } from "./caching-reader.ts";
import { refuseForeignLinks } from "./foreign-links.ts";
import type { Gate, Reader } from "./gate.ts";
import { storeError } from "./store-error.ts";

/** Where a path really is. A file is where its links lead; a link that is itself managed stays where it stands. */
export function realTarget(reader: Reader, path: string, kind: "file" | "link"): string {
  return kind === "file" ? reader.realPath(path) : inFolder(reader.realPath(dirname(path)), basename(path));
}

/** Whether a change is about a link itself and not about the file it leads to. */
export function kindOfChange(change: Pick<Change, "before" | "after">): "file" | "link" {
  return change.before.kind === "link" || change.after.kind === "link" ? "link" : "file";
}

/**
 * Refuses a target among our own records, or in their way: a pack that could write them would decide about every other
 * owner's files.
 */
export function refuseOwnState(
  stateDir: string,
  { path, real }: Pick<Change, "path" | "real">,
  platform: NodeJS.Platform,
): void {
  if (!standsInTheWay(real, stateDir, platform)) return;
  const where =
    real !== stateDir && isBelow(real, stateDir, platform)
      ? "lies in the state directory"
      : "is the state directory, or a folder around it";
  throw storeError("unsafe-path", path, `it ${where}, which only stet itself writes; name another target`);
}

/** Whether a file is a folder, is inside it, or would have to be a folder around it. Both are real paths. */
export function standsInTheWay(file: string, folder: string, platform: NodeJS.Platform): boolean {
  return isBelow(file, folder, platform) || isBelow(folder, file, platform);
}

/** If a file system may fold case, a name that is not there yet may be the same as one that comes later. */
function isBelow(inner: string, outer: string, platform: NodeJS.Platform): boolean {
  const [a, b] = platform === "linux" ? [inner, outer] : [inner.toLowerCase(), outer.toLowerCase()];
  return a === b || a.startsWith(b.endsWith(sep) ? b : `${b}${sep}`);
}

/** Refuses what can't be replaced, or what somebody meant not to be. Before anything is written. */
export function refuseTarget(gate: Gate, change: Pick<Change, "path" | "real" | "after">): void {
  const { path, real, after } = change;
  const status = gate.stat(real);
  // A link at the place itself is not followed if it is ours to replace.
  if (real !== path) refuseForeignLinks(gate, status?.kind === "link" || after.kind === "link" ? dirname(path) : path);
  if (status === undefined || status.kind === "link") return;
  if (status.kind !== "file")
    throw storeError("not-a-regular-file", path, "it is not a regular file; move it away or name another file");
  if (status.links > 1 && after.kind !== "absent") {
    const message = `it has ${status.links} names (hard links), and replacing it would separate them; remove the others or make them symbolic links`;
    throw storeError("hard-linked-file", path, message);
  }
  const ownMode = after.kind === "file" && "exact" in after.mode;
  if ((status.mode & 0o222) === 0 && !ownMode) {
    throw storeError(
      "read-only-file",
      path,
      `it is read-only, so somebody wants it to stay; make it writable (${gate.userId === undefined ? "attrib -R" : "chmod u+w"}) and run again`,
    );
  }
  // Where we manage the mode, the mode is no obstacle: the file is replaced, not opened.
  const obstacle = gate.obstacle(real);
  if (obstacle?.kind === "mounted") {
    throw storeError(
      "mounted-file",
      path,
      "it is mounted as a single file and can't be replaced; mount the folder it is in instead",
    );
  }
  if (obstacle?.kind === "held") {
    throw storeError("file-busy", path, "another program has it open; close that program and run again");
  }
  if (obstacle !== undefined && !(ownMode && (status.mode & 0o222) === 0)) {
    throw storeError("read-only-file", path, `it can't be replaced: ${obstacle.reason}; change that and run again`);
  }
}
