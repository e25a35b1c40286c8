import fs from "node:fs";
import type { LockAttempt } from "./gate.ts";
import { native } from "./native.ts";
import { errnoOf, storeError } from "./store-error.ts";

/**
 * Beyond the file's content: on Windows what is locked can't be read, and a waiting process wants to read who holds it.
 */
const lockedByte = 2 ** 30;

export function tryLock(path: string): LockAttempt {
  const fd = openOwn(path);
  try {
    if (!lockByte(fd, path)) {
      const holder = Number.parseInt(fs.readFileSync(fd, "latin1"), 10);
      letGo(fd);
      return { kind: "busy", holder: Number.isNaN(holder) ? undefined : holder };
    }
    fs.ftruncateSync(fd);
    fs.writeSync(fd, `${process.pid}\n`, 0);
  } catch (cause) {
    letGo(fd);
    throw cause;
  }
  return { kind: "held", release: () => letGo(fd) };
}

/** A lock that is let go of is no reason to fail: it ends with the process at the latest. */
function letGo(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch {
    return;
  }
}

/** The lock's content is overwritten: by way of a link, or under a second name, it would be somebody's file. */
function openOwn(path: string): number {
  const refused = () =>
    storeError(
      "lock-failed",
      path,
      "it is not a plain file of its own, so nothing is written; remove it and run again",
    );
  const flags =
    fs.constants.O_RDWR | fs.constants.O_CREAT | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
  let fd: number;
  try {
    fd = fs.openSync(path, flags, 0o600);
  } catch (cause) {
    throw errnoOf(cause) === "ELOOP" ? refused() : cause;
  }
  const status = fs.fstatSync(fd);
  if (status.isFile() && status.nlink <= 1) return fd;
  fs.closeSync(fd);
  throw refused();
}

function lockByte(fd: number, path: string): boolean {
  const addon = loadNative(path);
  try {
    return addon.tryLock(fd, lockedByte, 1);
  } catch (cause) {
    const message = `it can't be locked (${errnoOf(cause) ?? cause}), so nothing is written; use a state directory on a local disk`;
    throw storeError("lock-failed", path, message);
  }
}

const unlocked: LockAttempt = { kind: "held", release: () => {} };

export function tryLockFile(path: string): LockAttempt {
  if (!fs.lstatSync(path, { throwIfNoEntry: false })?.isFile()) return unlocked;
  const fd = openForLock(path);
  if (fd === undefined) return unlocked;
  try {
    const held = lockWhole(fd, path);
    // A run that held the lock has put another file in this one's place: what we have locked is nobody's any more.
    if (held && isStill(fd, path)) return { kind: "held", release: () => letGo(fd) };
  } catch (cause) {
    letGo(fd);
    throw cause;
  }
  letGo(fd);
  return { kind: "busy", holder: undefined };
}

function openForLock(path: string): number | undefined {
  try {
    return fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NONBLOCK | fs.constants.O_NOFOLLOW);
  } catch (cause) {
    // Gone, no longer a file, or not to be written: what comes next looks again and says so.
    if (
      ["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM", "EROFS", "ETXTBSY", "EISDIR", "ENXIO"].includes(
        errnoOf(cause) ?? "",
      )
    )
      return undefined;
    throw cause;
  }
}

/** All of it, as other programs lock it. */
function lockWhole(fd: number, path: string): boolean {
  const addon = loadNative(path);
  try {
    return addon.tryLock(fd, 0, 0);
  } catch (cause) {
    if (["ENOLCK", "ENOTSUP", "EOPNOTSUPP", "EINVAL", "ENOSYS"].includes(errnoOf(cause) ?? "")) return true;
    throw cause;
  }
}

function isStill(fd: number, path: string): boolean {
  const [ours, there] = [
    fs.fstatSync(fd, { bigint: true }),
    fs.lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  ];
  return there !== undefined && ours.ino === there.ino && ours.dev === there.dev;
}

function loadNative(path: string): ReturnType<typeof native> {
  try {
    return native();
  } catch (cause) {
    const system = `${process.platform}-${process.arch}`;
    const message = `it can't be locked, so nothing is written: fs-native-extensions does not load on ${system} (${errnoOf(cause) ?? cause})`;
    throw storeError(
      "lock-failed",
      path,
      `${message}; install the dependencies again on this machine, or ship node_modules/fs-native-extensions beside a bundled program`,
    );
  }
}
