import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Gate } from "../../store/gate/gate.ts";
import { withStateLock } from "../../store/transaction/lock.ts";
import { recover } from "../../store/transaction/recovery.ts";
import { lockWaitMs } from "../apply.ts";

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
