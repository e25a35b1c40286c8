import { InputError } from "../core/diagnostic.ts";
import { heldVersions } from "../engine/hold.ts";
import {
  type Generation,
  listGenerations,
  registryBefore,
  rollbackNote,
  rollbackTarget,
} from "../store/records/generations.ts";
import type { HostRecords } from "./observe.ts";
import type { HostDesired } from "./plan.ts";
import { recordedState } from "./recorded-state.ts";
import type { HostTarget } from "./target.ts";

/** What `stet host history --json` prints. */
export interface HostHistory {
  readonly format_version: 1;
  readonly name: string;
  /** Oldest first. */
  readonly generations: readonly HostGeneration[];
}

export interface HostGeneration {
  readonly number: number;
  readonly time: string;
  readonly command: "apply" | "rollback";
  /** The commit that it brought. */
  readonly rev: string;
  /** The commit before it; null at the first. */
  readonly from: string | null;
  readonly files: readonly { readonly path: string; readonly action: "create" | "modify" | "delete" }[];
  /** This commit was rolled back from, and waits. */
  readonly held: boolean;
  /** This commit runs now. */
  readonly running: boolean;
}

export function hostHistory(target: HostTarget, { registry, reader, name }: HostRecords): HostHistory {
  const held = registry === undefined ? [] : heldVersions(registry);
  const generations = listGenerations(reader, target.stateDir, name).map(
    (generation): HostGeneration => ({
      number: generation.number,
      time: generation.time,
      command: rollbackTarget(generation) === undefined ? "apply" : "rollback",
      rev: generation.version,
      from: generation.from,
      files: generation.files.map(changeOf),
      held: held.includes(generation.version),
      running: registry?.version === generation.version,
    }),
  );
  return { format_version: 1, name, generations };
}

function changeOf({ path, before, after }: Generation["files"][number]): HostGeneration["files"][number] {
  return { path, action: before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "modify" };
}

/** An earlier state of this host, as its commit wanted it: to go back is to apply it like any other. */
export interface EarlierState extends HostDesired {
  /** The generation whose outcome it is; 0 is before the first. */
  readonly to: number;
}

export interface GoingBack {
  /** To the state after this generation; undefined: before the commit that is applied now. */
  readonly to: number | undefined;
  /** Also where nothing would be left. */
  readonly allowEmpty: boolean;
}

export function earlierState(target: HostTarget, records: HostRecords, { to, allowEmpty }: GoingBack): EarlierState {
  const { registry: current, reader, name } = records;
  const generations = listGenerations(reader, target.stateDir, name);
  const undone = current && generationsToUndo(generations, current.version, to);
  if (current === undefined || undone === undefined || undone.length === 0) {
    const message =
      to === undefined
        ? "there is no earlier state of this host to go back to"
        : `there is no generation after ${to} to go back from`;
    throw new InputError({ code: "no-generation", message });
  }
  const first = undone[0]!;
  const evaluation = {
    ...recordedState(reader, target, registryBefore(reader, target.stateDir, name, first)),
    host: current.host ?? "",
  };
  const count = Object.keys(current.files).length;
  if (evaluation.files.length === 0 && count > 0 && !allowEmpty) {
    const message = `before that nothing was applied to this host: all ${count} files and their units would go; --yes if that is meant`;
    throw new InputError({ code: "empties-host", message });
  }
  const version = first.from ?? "none";
  const hold = version === current.version ? current.held : current.version;
  return { evaluation, version, note: rollbackNote(first.number - 1), hold, to: first.number - 1 };
}

function generationsToUndo(
  generations: readonly Generation[],
  version: string,
  to: number | undefined,
): readonly Generation[] {
  if (to !== undefined) return generations.filter((generation) => generation.number > to);
  // Later ones of the same commit undid edits. A commit that changed nothing here has none: then it is the last that
  // changed something.
  const bringsAny = ({ note, version: brought, from }: Generation) => note === "apply" && brought !== from;
  const last =
    generations.findLast((each) => bringsAny(each) && each.version === version) ?? generations.findLast(bringsAny);
  const brings = (generation: Generation | undefined) =>
    generation !== undefined && bringsAny(generation) && generation.version === last?.version;
  let first = generations.findLastIndex(brings);
  if (first === -1) return [];
  // A commit may have taken several: to replace a file by a folder.
  while (brings(generations[first - 1])) first--;
  return generations.slice(first);
}
