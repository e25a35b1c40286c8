import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { applyAttributes, writersByAccessList } from "./attributes.ts";
import { tryLock, tryLockFile } from "./disk-lock.ts";
import { diskReader, patiently, whichOf } from "./disk-reader.ts";
import type { FileAttributes, Gate, LockAttempt, Obstacle } from "./gate.ts";
import { native } from "./native.ts";
import { errnoOf, fileError } from "./store-error.ts";

/** Opened to write, or to read and write: the last two bits of the flags that a file was opened with. */
const accessMode = 0o3;

/**
 * What Linux tells of the files that programs have open. What ends or is not ours to see while we look is passed over.
 */
function writerOf(path: string): string | undefined {
  for (const pid of namesIn("/proc")) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const fd = namesIn(`/proc/${pid}/fd`).find(
      (each) => linkOf(`/proc/${pid}/fd/${each}`) === path && isWritable(pid, each),
    );
    if (fd !== undefined) return `${textOf(`/proc/${pid}/comm`).trim()}, process ${pid}`;
  }
  return undefined;
}

function isWritable(pid: string, fd: string): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(textOf(`/proc/${pid}/fdinfo/${fd}`))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & accessMode) !== 0;
}

function namesIn(folder: string): readonly string[] {
  return orNothing(() => fs.readdirSync(folder)) ?? [];
}

function linkOf(path: string): string | undefined {
  return orNothing(() => fs.readlinkSync(path));
}

function textOf(path: string): string {
  return orNothing(() => fs.readFileSync(path, "utf8")) ?? "";
}

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The real file system. The platform is an argument so that the rules of Windows can be tested anywhere. */
export function diskGate(platform: NodeJS.Platform = process.platform): Gate {
  const windows = platform === "win32";
  const rename = writing(
    (from: string, to: string) =>
      windows ? patiently(() => fs.renameSync(from, to), anyHold) : fs.renameSync(from, to),
    1,
  );
  // Locks of Windows keep others from reading, and what is open there can't be replaced.
  const lockFile = windows ? (): LockAttempt => ({ kind: "held", release: () => {} }) : writing(tryLockFile);
  return {
    ...diskReader(platform),
    userId: process.geteuid?.(),
    umask: process.umask(),
    now: Date.now,
    pause: (ms) => sleep(ms),
    token: () => randomBytes(8).toString("hex"),
    whichOf,
    writersByAccessList: platform === "linux" ? writing(writersByAccessList) : () => [],
    writerOf: platform === "linux" ? writerOf : () => undefined,
    obstacle: writing((path) =>
      windows ? heldObstacle(path) : (mountObstacle(path, platform) ?? permissionObstacle(path)),
    ),
    createFile: writing(createFile),
    createLink: writing((path, target) => fs.symlinkSync(target, path)),
    createFolder: writing(createFolder),
    rename,
    exchange: windows ? () => false : writing(exchange, 1),
    place: (from, to) => place(from, to, { rename, tryLockFile: lockFile }),
    remove: writing(removeFile),
    removeFolder,
    syncFolder: windows ? () => {} : writing(syncFolder),
    stage: () => {},
    tryLock: writing(tryLock),
    tryLockFile: lockFile,
  };
}

/** A step that writes. What the system says against it is put into words, about the argument that is its target. */
function writing<A extends readonly [string, ...unknown[]], T>(step: (...args: A) => T, target = 0): (...args: A) => T {
  return (...args) => {
    try {
      return step(...args);
    } catch (cause) {
      throw fileError("write", String(args[target]), cause);
    }
  };
}

function createFile(path: string, bytes: Uint8Array, attributes: FileAttributes | "private"): void {
  const fd = fs.openSync(path, "wx", 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at);
    if (attributes !== "private") applyAttributes(fd, attributes);
    fs.fsyncSync(fd);
  } catch (cause) {
    removeFile(path);
    fs.closeSync(fd);
    throw cause;
  }
  fs.closeSync(fd);
}

/** A file system may not know how (EINVAL, ENOSYS), and so may a system. */
function exchange(one: string, other: string): boolean {
  try {
    native().swapSync(one, other);
    return true;
  } catch (cause) {
    if (["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "ENOENT"].includes(errnoOf(cause) ?? "")) return false;
    throw cause;
  }
}

function removeFile(path: string): boolean {
  try {
    fs.unlinkSync(path);
    return true;
  } catch (cause) {
    if (["ENOENT", "ENOTDIR"].includes(errnoOf(cause) ?? "")) return false;
    throw cause;
  }
}

function createFolder(path: string, mode: number): boolean {
  try {
    fs.mkdirSync(path, { mode });
    return true;
  } catch (cause) {
    if (errnoOf(cause) === "EEXIST" && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw cause;
  }
}

function removeFolder(path: string): boolean {
  try {
    fs.rmdirSync(path);
    return true;
  } catch (cause) {
    if (["ENOTEMPTY", "EEXIST", "ENOTDIR", "ENOENT"].includes(errnoOf(cause) ?? "")) return false;
    throw fileError("write", path, cause);
  }
}

/** A second name and then one less: unlike renaming it fails where somebody has put a file meanwhile. */
function place(from: string, to: string, gate: Pick<Gate, "rename" | "tryLockFile">): boolean {
  // Locked: another run must not come upon the file while it has two names, and refuse it for that.
  const lock = gate.tryLockFile(from);
  try {
    fs.linkSync(from, to);
    fs.unlinkSync(from);
  } catch (cause) {
    const errno = errnoOf(cause) ?? "";
    if (errno === "EEXIST") return false;
    // A disk without hard links: the caller has looked a moment ago.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errno)) throw fileError("write", to, cause);
    gate.rename(from, to);
  } finally {
    if (lock.kind === "held") lock.release();
  }
  return true;
}

/** What Windows says where another program has a file open, whether or not it lets others read it. */
const anyHold = ["EPERM", "EBUSY", "EACCES"];

/** Opens a file for ourselves alone: Windows refuses while anybody else has it open (libuv's UV_FS_O_EXLOCK). */
const alone = fs.constants.O_RDONLY | 0x10000000;

/** Found before anything is written: of several files, some would otherwise be replaced and this one not. */
function heldObstacle(path: string): Obstacle | undefined {
  try {
    patiently(() => fs.closeSync(fs.openSync(path, alone)), ["EBUSY"]);
    return undefined;
  } catch (cause) {
    if (errnoOf(cause) === "EBUSY") return { kind: "held" };
    throw cause;
  }
}

function syncFolder(path: string): void {
  let fd: number | undefined;
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY);
    fs.fsyncSync(fd);
  } catch (cause) {
    // Some file systems can't sync a folder, and one that may be written but not read can't be opened: names are as
    // safe as they get.
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EACCES"].includes(errnoOf(cause) ?? "")) throw cause;
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

/** A file that is a mount of its own (as container tools make them) can't be renamed over. */
function mountObstacle(path: string, platform: NodeJS.Platform): Obstacle | undefined {
  if (platform !== "linux") return undefined;
  const table = fs.existsSync("/proc/self/mountinfo") ? fs.readFileSync("/proc/self/mountinfo", "utf8") : "";
  // Its fifth column is the place, with blanks and backslashes as octal numbers.
  const escaped = path.replace(/[ \t\n\\]/g, (sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return table.split("\n").some((line) => line.split(" ")[4] === escaped) ? { kind: "mounted" } : undefined;
}

/**
 * Opening for writing finds what mode bits don't say: another owner, a file marked immutable, a disk mounted read-only.
 */
function permissionObstacle(path: string): Obstacle | undefined {
  try {
    fs.closeSync(fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK));
  } catch (cause) {
    const errno = errnoOf(cause) ?? "";
    const reason = {
      EACCES: "you may not write it",
      EPERM: "it is marked immutable or append-only",
      EROFS: "its disk is read-only",
    }[errno];
    if (reason === undefined) throw fileError("write", path, cause);
    return { kind: "read-only", reason };
  }
  return stickyObstacle(path);
}

/** In a folder like /tmp only a file's owner may replace it, whoever may write it. */
function stickyObstacle(path: string): Obstacle | undefined {
  const user = process.geteuid?.();
  const folder = fs.statSync(dirname(path));
  const free =
    user === undefined ||
    user === 0 ||
    (folder.mode & 0o1000) === 0 ||
    folder.uid === user ||
    fs.statSync(path).uid === user;
  return free ? undefined : { kind: "read-only", reason: "its folder lets only the file's owner replace it" };
}
