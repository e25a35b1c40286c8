import { dirname } from "node:path";
import type { FileStatus, Gate } from "../../src/store/gate/gate.ts";

/**
 * A file system in memory, for many short histories: it can be kept as it is, and gone back to. Links are not needed
 * there.
 */
export interface MemoryGate extends Gate {
  contents(): ReadonlyMap<string, Buffer>;
  reset(contents: ReadonlyMap<string, Buffer>): void;
}

export function memoryGate(): MemoryGate {
  const files = new Map<string, Buffer>();
  const folders = new Set<string>(["/"]);
  let tokens = 0;
  const status = (kind: FileStatus["kind"], size: number): FileStatus => ({
    kind,
    mode: kind === "folder" ? 0o700 : 0o600,
    uid: 0,
    gid: 0,
    links: 1,
    size,
    modified: 0,
    changed: 0,
    inode: 0,
    device: 0,
  });
  const names = (path: string) =>
    [...files.keys(), ...folders]
      .filter((each) => each !== "/" && dirname(each) === path)
      .map((each) => each.slice(path === "/" ? 1 : path.length + 1));
  return {
    contents: () => new Map(files),
    reset: (contents) => {
      files.clear();
      for (const [path, bytes] of contents) files.set(path, bytes);
    },
    userId: 0,
    umask: 0o22,
    now: () => 0,
    pause: async () => {},
    token: () => (tokens++).toString(16).padStart(16, "0"),
    read: (path) => files.get(path),
    whichOf: (path, contents) => contents.find(({ bytes }) => files.get(path)?.equals(bytes)),
    stat: (path) =>
      folders.has(path) ? status("folder", 0) : files.has(path) ? status("file", files.get(path)!.length) : undefined,
    realPath: (path) => path,
    list: (path) => (folders.has(path) ? names(path).sort() : undefined),
    readLink: () => undefined,
    writersByAccessList: () => [],
    writerOf: () => undefined,
    obstacle: () => undefined,
    createFile: (path, bytes) => {
      if (files.has(path)) throw new Error(`${path} exists`);
      files.set(path, Buffer.from(bytes));
    },
    createLink: () => {
      throw new Error("no links here");
    },
    createFolder: (path) => !folders.has(path) && folders.add(path) !== undefined,
    rename: (from, to) => {
      files.set(to, files.get(from)!);
      files.delete(from);
    },
    exchange: (one, other) => {
      const [first, second] = [files.get(one), files.get(other)];
      if (first === undefined || second === undefined) return false;
      files.set(one, second).set(other, first);
      return true;
    },
    place: (from, to) => {
      if (files.has(to)) return false;
      files.set(to, files.get(from)!);
      return files.delete(from);
    },
    remove: (path) => files.delete(path),
    removeFolder: (path) => folders.has(path) && names(path).length === 0 && folders.delete(path),
    syncFolder: () => {},
    stage: () => {},
    tryLock: () => ({ kind: "held", release: () => {} }),
    tryLockFile: () => ({ kind: "held", release: () => {} }),
  };
}
