import { InputError } from "../../core/diagnostic.ts";
import type { Machine } from "../../engine/machine.ts";
import { ownersIn } from "../../store/records/registry.ts";

/** The owner a command is about: the one named, or the only one there is. */
export function ownerArgument(name: string | undefined, machine: Machine): string {
  if (name !== undefined) return name;
  const owners = ownersIn(machine.gate, machine.stateDir);
  if (owners.length === 1) return owners[0]!;
  const message = owners.length === 0 ? "nothing is installed" : `say which owner: ${owners.join(", ")}`;
  throw new InputError({ code: "which-owner", message });
}
