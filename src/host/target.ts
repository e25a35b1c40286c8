import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import type { Gate, Reader } from "../store/gate/gate.ts";
import type { Layout } from "./evaluate/evaluation.ts";

/** The host that is acted upon: a file system, and where on it things go. */
export interface HostTarget {
  /** `/`, or the root file system of another machine or image. */
  readonly root: string;
  readonly scope: "system" | "user";
  /** Paths as the host sees them, without the root. */
  readonly layout: Layout;
  /** Ours alone: no other domain keeps records in it. */
  readonly stateDir: string;
  readonly gate: Gate;
  /** How hints call the program. */
  readonly program: string;
  now(): Date;
}

/** One owner per root and kind of units: two roots, or the system and a user, never know of each other's files. */
export function ownerName(target: Pick<HostTarget, "root" | "scope" | "gate">): string {
  if (target.root === "/") return target.scope;
  const id = createHash("sha256").update(target.gate.realPath(target.root)).digest("hex").slice(0, 12);
  return `${target.scope}-${id}`;
}

/** Where a path of the host is from here. */
export function placeUnder(root: string, path: string): string {
  return root === "/" ? path : join(root, path);
}

/**
 * The same with the links of its folders resolved, itself not followed: we replace what stands there, never what it
 * leads to.
 */
export function realPlace(reader: Reader, root: string, path: string): string {
  const place = placeUnder(root, path);
  return join(reader.realPath(dirname(place)), basename(place));
}

/** Whether links on the way lead out of the root: an image's `etc -> /etc` would make us write into this machine. */
export function leavesRoot(reader: Reader, root: string, path: string): boolean {
  if (root === "/") return false;
  const real = reader.realPath(root);
  return !realPlace(reader, root, path).startsWith(real.endsWith("/") ? real : `${real}/`);
}
