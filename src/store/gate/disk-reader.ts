import fs from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { InputError } from "../../core/diagnostic.ts";
import type { Content, FileStatus, Reader } from "./gate.ts";
import { errnoOf, fileError, storeError } from "./store-error.ts";

/** The largest file that is read: beyond it texts no longer fit into memory several times over. */
export const maxFileBytes = 128 * 1024 * 1024;

/** More links on one way than any system follows. */
const maxLinks = 40;

/** The real file system, for reading. */
export function diskReader(platform: NodeJS.Platform = process.platform): Reader {
  const readPatiently = (path: string) => patiently(() => read(path), ["EBUSY"]);
  return { read: platform === "win32" ? readPatiently : read, stat, realPath, list, readLink };
}

/**
 * On Windows, virus scanners and editors hold files for moments. What lasts longer than two seconds is not one of those.
 */
export function patiently<T>(run: () => T, passing: readonly string[]): T {
  for (let wait = 10; ; wait *= 2) {
    try {
      return run();
    } catch (cause) {
      if (wait > 1000 || !passing.includes(errnoOf(cause) ?? "")) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
}

function read(path: string): Buffer | undefined {
  return opened(path, (fd, size) => readWhole(path, fd, size));
}

/** What an open file can tell; undefined if there is none. */
function opened<T>(path: string, learn: (fd: number, size: number) => T): T | undefined {
  try {
    // Look before opening: opening a FIFO waits, and opening a device can do things.
    refuseOthers(path, fs.statSync(path));
    const fd = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const status = fs.fstatSync(fd);
      refuseOthers(path, status);
      return learn(fd, status.size);
    } finally {
      fs.closeSync(fd);
    }
  } catch (cause) {
    if (errnoOf(cause) !== "ENOENT") throw fileError("read", path, cause);
    refuseLost(path);
    return undefined;
  }
}

/** As many bytes as the file says it has. One that says it has none may be made as it is read, and never end. */
function readWhole(path: string, fd: number, size: number): Buffer {
  if (size > maxFileBytes) throw tooLarge(path);
  if (size > 0) return fs.readFileSync(fd);
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = Buffer.alloc(1 << 16);
    const read = fs.readSync(fd, chunk);
    if (read === 0) return Buffer.concat(chunks);
    length += read;
    if (length > maxFileBytes) throw tooLarge(path);
    chunks.push(chunk.subarray(0, read));
  }
}

/** Small enough to stay in the processor's cache, from where it is compared. */
const partBytes = 1 << 18;

export function whichOf<T extends Content>(path: string, contents: readonly T[]): T | undefined {
  if (contents.length === 0) return undefined;
  return opened(path, (fd, size) => {
    // Also of what was just written: nobody could read it again.
    if (size > maxFileBytes) throw tooLarge(path);
    let possible = contents.filter(({ bytes }) => bytes.length === size);
    const part = Buffer.allocUnsafe(Math.min(size + 1, partBytes));
    // To its end, also where it has more or less by now than it said.
    for (let at = 0; possible.length > 0; ) {
      const read = fs.readSync(fd, part);
      if (read === 0) return at === size ? possible[0] : undefined;
      const end = at + read;
      possible = possible.filter(({ bytes }) => end <= size && part.compare(bytes, at, end, 0, read) === 0);
      at = end;
    }
    return undefined;
  });
}

function tooLarge(path: string): InputError {
  const message = `it is larger than ${maxFileBytes / 1024 ** 2} MiB, which is too large for configuration; name another file`;
  return storeError("file-too-large", path, message);
}

function refuseOthers(path: string, status: fs.Stats): void {
  if (status.isFile()) return;
  const kind = status.isDirectory()
    ? "a folder"
    : status.isFIFO()
      ? "a FIFO"
      : status.isSocket()
        ? "a socket"
        : "a device";
  throw storeError("not-a-regular-file", path, `it is ${kind}, not a file; move it away or name another file`);
}

/**
 * Nothing to read: fine, unless a link points into a folder that is not there, such as that of a disk that is not
 * mounted.
 */
function refuseLost(path: string): void {
  if (stat(path)?.kind !== "link") return;
  const real = realPath(path);
  if (fs.existsSync(dirname(real))) return;
  const message = `it is a link to ${real}, and there is no folder ${dirname(real)}; make the folder (or mount its disk), or remove the link`;
  throw storeError("dangling-link", path, message);
}

function stat(path: string): FileStatus | undefined {
  try {
    // Asked for many paths that are not there: an error for each would cost ten times as much.
    const found = fs.lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : found.isSymbolicLink() ? "link" : "other";
    return {
      kind,
      mode: found.mode & 0o7777,
      uid: found.uid,
      gid: found.gid,
      links: found.nlink,
      size: found.size,
      modified: found.mtimeMs,
      changed: found.ctimeMs,
      inode: found.ino,
      device: found.dev,
    };
  } catch (cause) {
    return absentOrThrow(path, cause);
  }
}

function list(path: string): readonly string[] | undefined {
  try {
    return fs.readdirSync(path).sort();
  } catch (cause) {
    return errnoOf(cause) === "ENOENT" ? undefined : raise(path, cause);
  }
}

function readLink(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch (cause) {
    // EINVAL: it is there and no link. UNKNOWN: the same on Windows.
    return ["EINVAL", "UNKNOWN"].includes(errnoOf(cause) ?? "") ? undefined : absentOrThrow(path, cause);
  }
}

/** Below a file there is nothing, just as in a folder that is not there; nor can anything have a NUL in its name. */
function absentOrThrow(path: string, cause: unknown): undefined {
  const errno = errnoOf(cause);
  return errno === "ENOENT" || errno === "ENOTDIR" || path.includes("\0") ? undefined : raise(path, cause);
}

function raise(path: string, cause: unknown): never {
  throw fileError("read", path, cause);
}

function realPath(path: string): string {
  return resolveLinks(resolve(path), 0);
}

function resolveLinks(path: string, links: number): string {
  try {
    return fs.realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const realParent = resolveLinks(parent, links);
    const here = join(realParent, basename(path));
    const target = links < maxLinks ? danglingTarget(here) : undefined;
    return target === undefined ? here : resolveLinks(resolve(realParent, target), links + 1);
  }
}

function danglingTarget(path: string): string | undefined {
  try {
    return fs.readlinkSync(path);
  } catch {
    return undefined;
  }
}
