import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { join } from "node:path";
import { createVerified, tempBeside } from "../gate/atomic.ts";
import type { Gate, Reader } from "../gate/gate.ts";
import { prepareStateDir, sealKeyName } from "./state-dir.ts";

/**
 * What seals artefacts of this user on this machine: whoever can't read the state directory can't make or change one.
 */
export type SealKey = string & { readonly sealKey: true };

const shape = /^[0-9a-f]{64}\n$/;

/** The key of a state directory; undefined where there is none, or one that others can know. */
export function readSealKey(reader: Reader & Pick<Gate, "userId">, stateDir: string): SealKey | undefined {
  const path = join(reader.realPath(stateDir), sealKeyName);
  const status = reader.stat(path);
  if (status?.kind !== "file") return undefined;
  if (reader.userId !== undefined && (status.uid !== reader.userId || (status.mode & 0o077) !== 0)) return undefined;
  const text = reader.read(path)?.toString("latin1") ?? "";
  return shape.test(text) ? (text as SealKey) : undefined;
}

/**
 * The same, made where there is none. Whoever makes one in the same moment makes the one that counts, or takes ours.
 */
export function sealKey(gate: Gate, stateDir: string): SealKey | undefined {
  const dir = prepareStateDir(gate, stateDir);
  if (gate.stat(join(dir, sealKeyName)) === undefined) {
    const temp = tempBeside(gate, join(dir, sealKeyName));
    gate.stage("begun");
    createVerified(gate, temp, Buffer.from(`${randomBytes(32).toString("hex")}\n`), "private");
    if (!gate.place(temp, join(dir, sealKeyName))) gate.remove(temp);
    gate.syncFolder(dir);
  }
  return readSealKey(gate, dir);
}

export function sealOf(key: SealKey, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

export function isSealOf(key: SealKey, text: string, seal: string): boolean {
  return timingSafeEqual(Buffer.from(sealOf(key, text), "hex"), Buffer.from(seal, "hex"));
}
