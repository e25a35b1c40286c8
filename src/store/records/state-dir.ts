import { dirname, join } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type LinkReader, refuseForeignLinks } from "../gate/foreign-links.ts";
import type { Gate, Reader } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";

/** The files of a state directory that belong to no owner. */
export function lockFile(stateDir: string): string {
  return join(stateDir, "lock");
}
export function journalFile(stateDir: string): string {
  return join(stateDir, "journal.json");
}
/** The journal while it is being written. */
export function journalDraft(stateDir: string): string {
  return join(stateDir, "journal.tmp");
}

/** What saved plans are sealed with. */
export const sealKeyName = "seal-key";

const taken: ReadonlySet<string> = new Set(["lock", "journal.json", "journal.tmp", sealKeyName, "projects"]);

const ownerName = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/;

/** What Windows takes for a device, in whatever folder. */
const device = /^(?:con|prn|aux|nul|(?:com|lpt)[0-9])(?:\.|$)/i;

/** Whether a name can be an owner's: it is the name of a folder on every system. */
export function isOwnerName(name: string): boolean {
  return ownerName.test(name) && !name.endsWith(".") && !device.test(name) && !taken.has(name.toLowerCase());
}

/** A pack's folder in place of its name is the usual mistake. */
export function refuseNoName(name: string): void {
  if (isOwnerName(name)) return;
  const message = `nothing is installed under the name ${name}, which can't be an owner's name`;
  throw new InputError({ code: "unknown-owner", message });
}

export function ownerFolder(stateDir: string, name: string): string {
  refuseNoName(name);
  return join(stateDir, name);
}

/**
 * Makes the state directory where it is missing, for us alone, and returns where it really is. What it holds is acted
 * upon (a journal names files to replace), so one that others own or anyone may write into is refused.
 */
export function prepareStateDir(gate: Gate, stateDir: string): string {
  refuseForeignLinks(gate, stateDir);
  const real = gate.realPath(stateDir);
  try {
    makeFolders(gate, real, 0o700);
  } catch (cause) {
    throw unusable(stateDir, `can't be made: ${(cause as Error).message}`);
  }
  const status = gate.stat(real);
  if (status?.kind !== "folder") throw unusable(stateDir, "is not a folder");
  refuseShared(gate, stateDir);
  return real;
}

type StateReader = LinkReader & Pick<Gate, "list" | "writersByAccessList">;

/**
 * Refuses a state directory that others may have written into: what it holds is acted upon, and planning shows what
 * would be done.
 */
export function refuseShared(gate: StateReader, stateDir: string): void {
  const { userId } = gate;
  if (userId === undefined) return;
  refuseForeignLinks(gate, stateDir);
  const real = gate.realPath(stateDir);
  const status = gate.stat(real);
  if (status === undefined) return;
  const why = sharing(gate, real, userId);
  if (why !== undefined) throw unusable(stateDir, why);
  // Whom the folder itself keeps out reaches nothing in it.
  if ((status.mode & 0o011) === 0) return;
  for (const path of below(gate, real, 2)) {
    const within = sharing(gate, path, userId);
    if (within !== undefined) throw unusable(path, `holds this, which ${within}`);
  }
}

/** Refuses what others than we and root may have written, where what it says is done. */
export function refuseOthersFile(gate: StateReader, path: string, refuse: (why: string) => InputError): void {
  const { userId } = gate;
  if (userId === undefined) return;
  refuseForeignLinks(gate, path);
  const real = gate.realPath(path);
  const why = sharing(gate, real, gate.stat(real)?.uid === 0 ? 0 : userId);
  if (why !== undefined) throw refuse(why);
}

/**
 * How others may have written something; undefined where only we can have. A group that has its owner's number is that
 * user's alone.
 */
function sharing(gate: StateReader, path: string, userId: number): string | undefined {
  const status = gate.stat(path);
  // A link has no mode of its own, and is not followed without a look at where it leads.
  if (status === undefined || status.kind === "link") return undefined;
  if (status.uid !== userId) return `belongs to user ${status.uid}, but stet runs as user ${userId}`;
  if ((status.mode & 0o002) !== 0) return "may be written by everyone (chmod o-w)";
  // What an access list grants shows as the group's permissions.
  if ((status.mode & 0o020) === 0) return undefined;
  if (status.gid !== status.uid) return `may be written by group ${status.gid} (chmod g-w)`;
  const writers = gate.writersByAccessList(path);
  return writers.length > 0 ? `may be written by ${writers.join(", ")} by its access list (setfacl -b)` : undefined;
}

/** What is in a folder, and in its folders as deep as owners keep their records. */
function below(reader: Pick<Reader, "stat" | "list">, folder: string, depth: number): string[] {
  if (depth === 0 || reader.stat(folder)?.kind !== "folder") return [];
  const paths = (reader.list(folder) ?? []).map((name) => join(folder, name));
  return paths.flatMap((path) => [path, ...below(reader, path, depth - 1)]);
}

function unusable(stateDir: string, why: string): InputError {
  return storeError(
    "state-dir-unusable",
    stateDir,
    `the state directory ${why}; correct that, or name another with --state-dir`,
  );
}

/** The folders that are missing on the way to `folder` and itself, outermost first. */
export function missingFolders(reader: Reader, folder: string): readonly string[] {
  const missing: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const status = reader.stat(at);
    if (status !== undefined || dirname(at) === at) {
      if (status === undefined) throw storeError("not-a-folder", at, "there is no such drive or share");
      if (status.kind !== "folder")
        throw storeError("not-a-folder", at, "a file stands where a folder is needed; move it away");
      return missing.reverse();
    }
    missing.push(at);
  }
}

/** On the disk when this returns: a folder that a power cut takes would take along all that is put into it. */
export function makeFolders(gate: Gate, folder: string, mode: number): void {
  for (const missing of missingFolders(gate, folder)) {
    gate.createFolder(missing, mode);
    gate.syncFolder(dirname(missing));
  }
}
