import fs from "node:fs";
import type { FileAttributes } from "./gate.ts";
import { native } from "./native.ts";
import { errnoOf, storeError } from "./store-error.ts";

/**
 * Attributes that belong to the bytes or to the system and not to the file's owner: signatures of the old content, and
 * a mark that macOS sets by itself and lets nobody set.
 */
const notOurs: ReadonlySet<string> = new Set(["security.ima", "security.evm", "com.apple.provenance"]);

/**
 * Owner first, since changing it clears mode bits; then extended attributes, among which an access list is kept; the
 * mode last. Access lists of macOS and Windows are no extended attributes: a replaced file gets those its folder hands
 * down.
 */
export function applyAttributes(fd: number, attributes: FileAttributes): void {
  const { like, mode } = attributes;
  if (like !== undefined && process.platform !== "win32") {
    const original = fs.openSync(like, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    try {
      copyOwner(original, fd, like);
      copyExtended(original, fd, like);
    } finally {
      fs.closeSync(original);
    }
  }
  fs.fchmodSync(fd, mode);
}

function copyOwner(from: number, to: number, path: string): void {
  const wanted = fs.fstatSync(from);
  const actual = fs.fstatSync(to);
  if (wanted.uid === actual.uid && wanted.gid === actual.gid) return;
  try {
    fs.fchownSync(to, wanted.uid, wanted.gid);
  } catch (cause) {
    if (errnoOf(cause) !== "EPERM") throw cause;
    const message = `it belongs to user ${wanted.uid} and group ${wanted.gid}, and stet could not give its replacement to them; run as its owner`;
    throw storeError("foreign-owner", path, message);
  }
}

function copyExtended(from: number, to: number, path: string): void {
  const wanted = extendedOf(from);
  const actual = extendedOf(to);
  for (const [name, value] of wanted) {
    if (actual.get(name)?.equals(value)) continue;
    try {
      native().setAttrSync(to, name, value);
    } catch (cause) {
      const message = `its extended attribute ${name} can't be kept (${errnoOf(cause) ?? cause}); remove the attribute, or run as the file's owner`;
      throw storeError("attributes-lost", path, message);
    }
  }
  // A folder may hand down an access list that the original did not have.
  for (const name of actual.keys())
    if (!wanted.has(name) && !name.startsWith("security.")) native().removeAttrSync(to, name);
}

function extendedOf(fd: number): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const name of namesOf(fd)) {
    const value = notOurs.has(name) ? null : attributeOf(fd, name);
    if (value !== null) found.set(name, value);
  }
  return found;
}

/** What every name begins with on Linux. */
const namespaces = /^(?:user|security|system|trusted)\./;

/**
 * The library asks for the length of the list and then for the list. Where the second answer is shorter, as on
 * overlayfs, which keeps names of its own to itself, it goes on to read whatever memory held before. What can't be a
 * name is left out here; what is none of this file's has no value.
 */
function namesOf(fd: number): readonly string[] {
  const names = ifSupported(() => native().listAttrsSync(fd)) ?? [];
  return process.platform === "linux" ? [...new Set(names)].filter((name) => namespaces.test(name)) : names;
}

/** The same goes for a value that becomes shorter between the two questions: believed when it reads the same twice. */
function attributeOf(fd: number, name: string): Buffer | null {
  const read = () => ifSupported(() => native().getAttrSync(fd, name)) ?? null;
  for (let value = read(), attempt = 0; ; attempt++) {
    const again = read();
    if (value === null ? again === null : again?.equals(value)) return value;
    if (attempt === 8) throw new Error(`the extended attribute ${name} keeps changing`);
    value = again;
  }
}

/** undefined where the file system has no such attributes. */
function ifSupported<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (cause) {
    if (["ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errnoOf(cause) ?? "")) return undefined;
    throw cause;
  }
}

/**
 * POSIX access lists as Linux keeps them: a version, and then tag, permissions and number of each entry, little-endian.
 */
const entryBytes = 8;
const tags: Readonly<Record<number, string>> = { 2: "user", 8: "group" };
const maskTag = 0x10;

/** Whom an access list lets write, beside the owner and the group that the mode speaks of. */
export function writersByAccessList(path: string): readonly string[] {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  try {
    const list = attributeOf(fd, "system.posix_acl_access");
    const entries = list === null ? [] : entriesOf(list);
    const mask = entries.find(({ tag }) => tag === maskTag)?.permissions ?? 0o7;
    return entries.flatMap(({ tag, permissions, id }) =>
      tags[tag] && (permissions & mask & 0o2) !== 0 ? [`${tags[tag]} ${id}`] : [],
    );
  } finally {
    fs.closeSync(fd);
  }
}

function entriesOf(list: Buffer): { tag: number; permissions: number; id: number }[] {
  const count = Math.floor((list.length - 4) / entryBytes);
  return Array.from({ length: count }, (_, index) => {
    const at = 4 + index * entryBytes;
    return { tag: list.readUInt16LE(at), permissions: list.readUInt16LE(at + 2), id: list.readUInt32LE(at + 4) };
  });
}
