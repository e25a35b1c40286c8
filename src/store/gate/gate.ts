/**
 * The only way to the file system. What only reads takes a `Reader`; what writes takes a `Gate`. Tests wrap the real
 * one to let any call fail. Every method is synchronous; an error of the operating system comes as an `InputError` in
 * one clear line.
 *
 * Absent and unreadable are different answers: `undefined` means that nothing is there, anything in the way throws.
 */
export interface Reader {
  /**
   * The bytes of a regular file, symbolic links followed; undefined where there is none. A dangling link counts as none
   * while the folder it points into exists (a write creates the file there); without that folder it is an error, as is
   * a folder, a FIFO, a device, a socket, a circle of links, or a file that may not be read.
   */
  read(path: string): Buffer | undefined;
  /** What is at this very path; a final link is not followed. Undefined if there is nothing. */
  stat(path: string): FileStatus | undefined;
  /**
   * Where a path really leads: links resolved in the part that exists, the rest kept. Never throws: what can't be
   * resolved is kept.
   */
  realPath(path: string): string;
  /** The names in a folder, sorted; undefined if there is no folder. */
  list(path: string): readonly string[] | undefined;
  /** What a symbolic link holds, as written; undefined where there is no link. */
  readLink(path: string): string | undefined;
}

export interface Content {
  readonly bytes: Uint8Array;
}

export interface FileStatus {
  readonly kind: "file" | "folder" | "link" | "other";
  /** Permission bits only. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** How many names the file has. */
  readonly links: number;
  readonly size: number;
  /** When its content was last changed, in milliseconds since 1970. */
  readonly modified: number;
  /** When it was last changed in any way, including its mode and owner. Nobody can set this. */
  readonly changed: number;
  /** Which file on which disk it is. */
  readonly inode: number;
  readonly device: number;
}

export interface Gate extends Reader {
  /** Whom we act as; undefined where files have no owners (Windows). */
  readonly userId: number | undefined;
  /** The permissions that new files of this user do without. */
  readonly umask: number;
  /** The time by which files are dated, in milliseconds since 1970. */
  now(): number;
  pause(ms: number): Promise<void>;
  /** Sixteen hexadecimal digits that nobody can guess, for the names of temporary files. */
  token(): string;
  /**
   * Which of these contents a file has, links followed as `read` does; undefined where it has none of them, or there is
   * no file. Part by part: a large file that is only compared need not come into memory as a whole.
   */
  whichOf<T extends Content>(path: string, contents: readonly T[]): T | undefined;
  /**
   * Who, beside its owner and group, may write something by an access list: `user 12345`. Only Linux says; elsewhere it
   * is nobody.
   */
  writersByAccessList(path: string): readonly string[];
  /**
   * The name of another program that has a file open to write it, and its process; undefined where nobody has, or the
   * system does not say: only Linux does, and to an ordinary user only of their own programs. Takes a while: it looks
   * at all of them.
   */
  writerOf(path: string): string | undefined;
  /**
   * Why an existing file can't be replaced although its folder is writable, in words; undefined where it can. Changes
   * nothing.
   */
  obstacle(path: string): Obstacle | undefined;
  /**
   * A new file, safely on the disk. Only we can read it until its bytes and attributes are complete. Fails where
   * anything stands at the path, and leaves nothing behind when it fails.
   */
  createFile(path: string, bytes: Uint8Array, attributes: FileAttributes | "private"): void;
  createLink(path: string, target: string): void;
  /** One folder; its parent exists. False where there was one already. */
  createFolder(path: string, mode: number): boolean;
  /**
   * As `rename`, but false where something stands at `to` by now: what somebody has put there in the last moment is not
   * replaced.
   */
  place(from: string, to: string): boolean;
  /**
   * Each in the other's place, in one step. False where that can't be done, or one of them is gone: then nothing has
   * happened.
   */
  exchange(one: string, other: string): boolean;
  /** Replaces what is at `to`. On Windows it tries again while another program holds the file. */
  rename(from: string, to: string): void;
  /** A file or a link. False where there was nothing. */
  remove(path: string): boolean;
  /** False where it is not empty, not a folder, or gone. */
  removeFolder(path: string): boolean;
  /** Makes the names in a folder safe against loss of power. */
  syncFolder(path: string): void;
  /**
   * Told where a transaction is: `begun`, and nothing is written yet; `done`. In between it is written in one go,
   * without a turn of the event loop in which a signal could be noticed: whoever listens to signals finds it in one of
   * these two.
   */
  stage(stage: "begun" | "done"): void;
  /** One attempt, no waiting. The system frees the lock when its holder ends, however it ends. */
  tryLock(path: string): LockAttempt;
  /**
   * The same for a file that is not ours: the lock is on the file itself, so nothing is left behind, and whoever locks
   * what he edits is kept out whatever he knows of us. A file that was replaced while we reached for it counts as busy.
   * Held also where there is nothing to lock: no file, or no such locks on its disk or system; there the comparison
   * before each rename has to do.
   */
  tryLockFile(path: string): LockAttempt;
}

export type Obstacle =
  | { readonly kind: "mounted" }
  /** Another program has it open, on Windows: it can't be replaced, however it was opened. */
  | { readonly kind: "held" }
  | { readonly kind: "read-only"; readonly reason: string };

export interface FileAttributes {
  /** Owner and extended attributes are taken from this file; undefined: they stay as a new file has them. */
  readonly like: string | undefined;
  /** Exactly: the umask does not count. */
  readonly mode: number;
}

export type LockAttempt =
  | { readonly kind: "held"; release(): void }
  /** `holder`: the process that says it holds the lock, if it says so. */
  | { readonly kind: "busy"; readonly holder: number | undefined };
