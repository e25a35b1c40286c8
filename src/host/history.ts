import { type Generation, listGenerations, rollbackTarget } from "../store/records/generations.ts";
import type { HostRecords } from "./observe-host.ts";
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

export function historyOf(target: HostTarget, { registry, reader, name }: HostRecords): HostHistory {
  const generations = listGenerations(reader, target.stateDir, name).map(
    (generation): HostGeneration => ({
      number: generation.number,
      time: generation.time,
      command: rollbackTarget(generation) === undefined ? "apply" : "rollback",
      rev: generation.version,
      from: generation.from,
      files: generation.files.map(changeOf),
      held: registry?.held === generation.version,
      running: registry?.version === generation.version,
    }),
  );
  return { format_version: 1, name, generations };
}

function changeOf({ path, before, after }: Generation["files"][number]): HostGeneration["files"][number] {
  return { path, action: before.kind === "absent" ? "create" : after.kind === "absent" ? "delete" : "modify" };
}
