import { InputError } from "../core/diagnostic.ts";
import { writeRecords } from "../engine/apply.ts";
import { registryPath, renderRegistry } from "../store/records/registry.ts";
import { withStateLock } from "../store/transaction/lock.ts";
import { recover } from "../store/transaction/recovery.ts";
import { lockWaitMs } from "./apply.ts";
import { readHostRecords } from "./observe.ts";
import { type HostRegistry, memoryOf, type Pause, pausesOf } from "./registry.ts";
import type { HostTarget } from "./target.ts";

/** Until it is over, nothing is started, stopped or undone: on the whole host, or for one unit. */
export function pauseHost(
  target: HostTarget,
  unit: string | undefined,
  forMs: number | undefined,
): Promise<readonly Pause[]> {
  const until = forMs === undefined ? null : new Date(target.now().getTime() + forMs).toISOString();
  return changePauses(target, unit, (pauses, named) => [
    ...pauses.filter((pause) => pause.unit !== named),
    { unit: named, until },
  ]);
}

/** Ends the pause of a unit, or without one all there are. */
export function resumeHost(target: HostTarget, unit: string | undefined): Promise<readonly Pause[]> {
  return changePauses(target, unit, (pauses, named) =>
    named === null ? [] : pauses.filter((pause) => pause.unit !== named),
  );
}

function changePauses(
  target: HostTarget,
  unit: string | undefined,
  change: (pauses: readonly Pause[], named: string | null) => readonly Pause[],
): Promise<readonly Pause[]> {
  return withStateLock(target.gate, target.stateDir, lockWaitMs, async (state) => {
    await recover(target.gate, state);
    const { registry, registryText: text, name } = readHostRecords(target);
    if (registry === undefined)
      throw new InputError({
        code: "nothing-applied",
        message: "nothing is applied to this host that could be paused",
      });
    const named = unit === undefined ? null : unitNamed(registry, unit);
    const paused = change(pausesOf(registry, target.now()), named);
    const after = renderRegistry({ ...registry, paused: paused.length > 0 ? paused : undefined } as HostRegistry);
    const path = registryPath(target.stateDir, name);
    await writeRecords({ name, path, before: text, after }, target, state);
    return paused;
  });
}

/** A unit as people call it (`web`, `web.container`, `web.service`), as systemd knows it. */
function unitNamed(registry: HostRegistry, name: string): string {
  const units = Object.entries(registry.files).flatMap(([path, place]) => {
    const memory = memoryOf(place);
    const isUnit = memory?.kind === "quadlet" || memory?.kind === "unit";
    return isUnit && memory.runtime !== undefined
      ? [{ file: path.slice(path.lastIndexOf("/") + 1), ...memory, runtime: memory.runtime }]
      : [];
  });
  const found = units.find(
    ({ file, runtime, runs }) => [file, runtime, runs].includes(name) || runtime === `${name}.service`,
  );
  if (found !== undefined) return found.runtime;
  const known = units.map(({ file }) => file).join(", ");
  throw new InputError({ code: "unknown-unit", message: `this host has no unit ${name}; it has ${known || "none"}` });
}
