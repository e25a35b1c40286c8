import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Whether a process is left in a cgroup or below it. */
function isPopulated(cgroup: string): boolean {
  return existsSync(cgroup) && /^populated 1$/m.test(readFileSync(join(cgroup, "cgroup.events"), "utf8"));
}

/** Waits for the last process to go; false when one stays beyond the limit. */
export async function becomesEmpty(cgroup: string, limitMs: number): Promise<boolean> {
  for (const deadline = performance.now() + limitMs; isPopulated(cgroup); await sleep(50)) {
    if (performance.now() > deadline) return false;
  }
  return true;
}

/** An empty cgroup and those below it. */
export function removeCgroup(cgroup: string): void {
  if (existsSync(cgroup)) execFileSync("find", [cgroup, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"]);
}
