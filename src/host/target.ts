import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Gate, Reader } from "../store/gate/gate.ts";
import { withStateLock } from "../store/transaction/lock.ts";
import { recover } from "../store/transaction/recovery.ts";
import { lockWaitMs } from "./apply.ts";
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

/** What a host keeps besides its lock and journal. */
const kept = ["system", "mirrors"] as const;

/** Whether records of the system's units lie in another state directory than the one they belong in. */
export function liesElsewhere(former: string, stateDir: string): boolean {
  return former !== stateDir && existsSync(`${former}/system`) && !existsSync(`${stateDir}/system`);
}

/** Moves the records of the system's units to where they belong. An interrupted run is finished first. */
export async function takeOver(gate: Gate, former: string, stateDir: string): Promise<void> {
  if (!liesElsewhere(former, stateDir)) return;
  await withStateLock(gate, former, lockWaitMs, async (state) => {
    await recover(gate, state);
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    for (const name of kept) if (existsSync(`${former}/${name}`)) move(`${former}/${name}`, `${stateDir}/${name}`);
  });
}

/** At once where both are on one disk. Otherwise a whole copy gets its name last, and the old one goes if it can. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch {
    const copy = `${to}.copy`;
    rmSync(copy, { recursive: true, force: true });
    mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
    cpSync(from, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    renameSync(copy, to);
    try {
      rmSync(from, { recursive: true, force: true });
    } catch {
      // A home that may only be read: what is kept there is no longer looked at.
    }
  }
}
