import type { Policy } from "../core/policy.ts";
import type { PathContext } from "../identity/path-context.ts";
import type { Reader } from "../store/gate.ts";
import { pendingJournal } from "../store/pending.ts";
import { ownersIn, type Registry, readRegistry } from "../store/registry.ts";
import { readUserPolicies } from "./load-manifest.ts";
import { type Machine, pathContext, xdgFolder } from "./machine.ts";

/** All that is remembered, read once for a plan: this owner's records, those of others, and the user's own policies. */
export interface OwnerState {
  readonly name: string;
  /** The files as an unfinished run will leave them: planning never writes, also with a journal pending. */
  readonly reader: Reader;
  readonly registry: Registry | undefined;
  readonly registryText: string | undefined;
  readonly others: readonly Registry[];
  readonly userPolicies: readonly Policy[];
  readonly context: PathContext;
}

export function readOwnerState(machine: Machine, name: string): OwnerState {
  const reader = pendingJournal(machine.gate, machine.stateDir)?.reader ?? machine.gate;
  const own = readRegistry(reader, machine.stateDir, name);
  const others = ownersIn(reader, machine.stateDir)
    .filter((other) => other !== name)
    .map((other) => readRegistry(reader, machine.stateDir, other)!.registry);
  return {
    name,
    reader,
    registry: own?.registry,
    registryText: own?.text,
    others,
    userPolicies: readUserPolicies(reader, xdgFolder("CONFIG", machine)),
    context: pathContext(machine, own?.registry.homes ?? []),
  };
}
