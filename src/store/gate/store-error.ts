import { InputError } from "../../core/diagnostic.ts";

/** Everything the store can refuse or fail with. `docs/diagnostics.md` explains each. */
export const storeCodes = [
  "unreadable-file",
  "not-a-regular-file",
  "not-a-folder",
  "dangling-link",
  "link-loop",
  "foreign-link",
  "file-too-large",
  "hard-linked-file",
  "mounted-file",
  "read-only-file",
  "read-only-folder",
  "foreign-owner",
  "attributes-lost",
  "same-file-twice",
  "unsafe-path",
  "disk-full",
  "write-failed",
  "not-finished",
  "state-dir-unusable",
  "state-busy",
  "lock-failed",
  "file-busy",
  "save-in-progress",
  "journal-malformed",
  "generation-damaged",
] as const;
export type StoreCode = (typeof storeCodes)[number];

/** One line for a person: what, where, why, what to do. */
export function storeError(code: StoreCode, file: string, message: string): InputError {
  return new InputError({ code, file, message });
}

/** The operating system's code of an error, even of one that `fileError` has already put into words. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // An error in words has a code of ours.
  if (error instanceof InputError) return errnoOf(error.cause);
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === "string" ? code : errnoOf(error.cause);
}

/** Why, and what to do about it, for the errors of the operating system that people meet. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied; check its permissions and those of the folders above it",
  EBUSY: "another program holds it; close that program and run again",
  EDQUOT: "your disk quota is used up; free some space and run again",
  EEXIST: "something else stands there; move it away and run again",
  EIO: "the disk reports an error; check the disk before you run again",
  EISDIR: "it is a folder; move it away or name a file",
  ELOOP: "its symbolic links lead in a circle; correct the links",
  EMFILE: "too many files are open; close some or raise the limit (ulimit -n)",
  ENAMETOOLONG: "the name is too long for this file system; choose a shorter one",
  ENFILE: "too many files are open on this machine; close some programs and run again",
  ENOENT: "something else removed it in the meantime; run again",
  ENOSPC: "no space is left on the disk; free some and run again",
  ENOTDIR: "a part of the path is a file where a folder should be; move it away or correct the path",
  EPERM: "the system does not permit it; check its owner and attributes, and that no program uses it",
  EROFS: "the file system is mounted read-only; mount it writable and run again",
  ETXTBSY: "it is a program that is running; stop it and run again",
  EXDEV: "it lies on another file system than its folder; mount the folder instead of the file",
};

/** An error of the operating system in words, its original as the cause. */
export function fileError(action: "read" | "write", path: string, cause: unknown): InputError {
  if (cause instanceof InputError) return cause;
  const errno = errnoOf(cause);
  const reason = (errno && reasons[errno]) ?? `the system says ${errno ?? String(cause)}`;
  const error = storeError(codeOf(action, errno), path, `can't ${action} it: ${reason}`);
  error.cause = cause;
  return error;
}

function codeOf(action: "read" | "write", errno: string | undefined): StoreCode {
  if (errno === "ENOTDIR") return "not-a-folder";
  if (errno === "ELOOP") return "link-loop";
  if (action === "read") return errno === "EISDIR" ? "not-a-regular-file" : "unreadable-file";
  if (errno === "ENOSPC" || errno === "EDQUOT") return "disk-full";
  return errno === "EROFS" ? "read-only-folder" : "write-failed";
}
