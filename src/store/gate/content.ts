import crypto from "node:crypto";
import type { Content, Reader } from "./gate.ts";

/** What planning saw at a place, or what will be there. Files by the sha256 of their bytes, in hexadecimal. */
export type Seen =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly sha256: string }
  | { readonly kind: "link"; readonly target: string };

/**
 * Since Node 20.12: without an object for each of many short texts, which takes as long again to make and to collect.
 */
export function sha256(bytes: Uint8Array | string): string {
  const hashAtOnce: typeof crypto.hash | undefined = crypto.hash;
  return hashAtOnce?.("sha256", bytes) ?? crypto.createHash("sha256").update(bytes).digest("hex");
}

/** Contents mostly begin alike if one is made from the other; what they have in common is hashed once. */
export function hashBoth(a: Uint8Array, b: Uint8Array): [string, string] {
  const shared = sharedStart(a, b);
  if (shared === 0) return [sha256(a), sha256(b)];
  const first = crypto.createHash("sha256").update(a.subarray(0, shared));
  const second = first.copy();
  return [first.update(a.subarray(shared)).digest("hex"), second.update(b.subarray(shared)).digest("hex")];
}

const block = 1 << 18;

/** How many bytes two contents begin with alike, in whole blocks. */
function sharedStart(a: Uint8Array, b: Uint8Array): number {
  let end = 0;
  while (end + block <= Math.min(a.length, b.length) && isSameAt(a, b, end)) end += block;
  return end;
}

function isSameAt(a: Uint8Array, b: Uint8Array, start: number): boolean {
  return Buffer.compare(a.subarray(start, start + block), b.subarray(start, start + block)) === 0;
}

/** A file that planning has read but nobody has hashed yet. */
export interface Unhashed extends Content {
  readonly kind: "file";
}

export function hashedContent(content: Seen | Unhashed): Seen {
  return "bytes" in content ? { kind: "file", sha256: sha256(content.bytes) } : content;
}

/**
 * Bytes in hand whose hash is known. What reads the same need not be hashed again: comparing takes a tenth of the time.
 */
export interface Hashed extends Content {
  readonly sha256: string;
}

/** The content in hand that a file has, if it has one of them. */
export type Recognise = (real: string) => Hashed | undefined;

export function hashed(text: string): Hashed {
  const bytes = Buffer.from(text);
  return { sha256: sha256(bytes), bytes };
}

/**
 * What stands at a real path, as plans and journals say it; `other` is a folder or a device. What can't be read throws:
 * to take it for an edit would decide its fate by a disk's bad moment.
 */
export function observe(reader: Reader, real: string, recognise?: Recognise): Seen | { readonly kind: "other" } {
  const status = reader.stat(real);
  if (status === undefined) return { kind: "absent" };
  if (status.kind === "link") return { kind: "link", target: reader.readLink(real) ?? "" };
  if (status.kind !== "file") return { kind: "other" };
  const same = recognise?.(real);
  if (same !== undefined) return { kind: "file", sha256: same.sha256 };
  const bytes = reader.read(real);
  return bytes === undefined ? { kind: "absent" } : { kind: "file", sha256: sha256(bytes) };
}

export function sameContent(a: Seen | { readonly kind: "other" }, b: Seen | { readonly kind: "other" }): boolean {
  if (a.kind === "file") return b.kind === "file" && a.sha256 === b.sha256;
  if (a.kind === "link") return b.kind === "link" && a.target === b.target;
  return a.kind === "absent" && b.kind === "absent";
}
