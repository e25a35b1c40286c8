import { InputError } from "../core/diagnostic.ts";
import type { PlanEntry } from "../core/plan-document.ts";
import { summarise } from "../core/plan-document.ts";
import { observe, sameContent } from "../store/content.ts";
import { type Generation, type KeptFile, listGenerations, readObject } from "../store/generations.ts";
import { parseRegistry, type Registry, registryPath, renderRegistry } from "../store/registry.ts";
import type { Change } from "../store/transaction.ts";
import { applyPlanned } from "./apply.ts";
import { expandHome, type Machine } from "./machine.ts";
import { type OwnerState, readOwnerState } from "./owner-state.ts";
import { type FilesPlan, planOwner } from "./plan.ts";
import { lastWishes, placesOnRecord } from "./record-places.ts";
import { unknownOwner } from "./uninstall.ts";

/** Back to how generation `to` left things (the one before the last, unless told); 0 is before the first. */
export async function planRollback(name: string, machine: Machine, to?: number): Promise<FilesPlan> {
  const state = readOwnerState(machine, name);
  const generations = listGenerations(state.reader, machine.stateDir, name);
  const target = targetOf(generations, to, name, machine);
  const later = generations.filter((generation) => generation.number > target);
  const registry = registryAt(state, machine, later[0]!);
  const exact = exactChanges(state, machine, later, registry);
  const plan = await planEntrywise(state, machine, registry, new Set(exact.map((change) => change.path)));
  return withExactBytes(plan, exact, state, registry, machine);
}

export function rollback(name: string, machine: Machine, to?: number): Promise<FilesPlan> {
  return applyPlanned(machine, () => planRollback(name, machine, to));
}

function targetOf(generations: readonly Generation[], to: number | undefined, name: string, machine: Machine): number {
  const last = generations.at(-1);
  if (last === undefined) throw unknownOwner(name, machine);
  const first = generations[0]!.number - 1;
  const target = to ?? generations.at(-2)?.number ?? first;
  if (Number.isInteger(target) && target >= first && target < last.number) return target;
  const message = `there is no generation ${target} to go back to; the history of ${name} goes from ${first} to ${last.number - 1}: ${machine.program} history ${name}`;
  throw new InputError({ code: "unknown-generation", message });
}

/** The records as they were when the first of the later generations began. */
function registryAt(state: OwnerState, machine: Machine, next: Generation): Registry | undefined {
  if (next.registryBefore === null) return undefined;
  const text = readObject(state.reader, machine.stateDir, state.name, next.registryBefore).toString("utf8");
  return parseRegistry(text, registryPath(machine.stateDir, state.name));
}

/** Files that are just as we left them, and that nobody else wrote into since then: they get their old bytes back. */
function exactChanges(state: OwnerState, machine: Machine, later: readonly Generation[], registry: Registry | undefined): Change[] {
  const chains = new Map<string, { path: string; steps: { before: KeptFile; after: KeptFile }[] }>();
  for (const file of later.flatMap((generation) => generation.files)) {
    const chain = chains.get(file.real) ?? { path: file.path, steps: [] };
    chain.steps.push(file);
    chains.set(file.real, chain);
  }
  return [...chains].flatMap(([real, { path, steps }]) => {
    const unbroken = steps.every((step, i) => i === 0 || sameContent(steps[i - 1]!.after, step.before));
    if (!unbroken || !sameContent(observe(state.reader, real), steps.at(-1)!.after)) return [];
    const section = sectionFor(path, [registry, state.registry], machine);
    const change = { path, real, before: seenOf(steps.at(-1)!.after), section, removeFolders: [] };
    return [{ ...change, after: afterOf(steps[0]!.before, state, machine) }];
  });
}

function seenOf(kept: KeptFile): Change["before"] {
  return kept.kind === "file" ? { kind: "file", sha256: kept.sha256 } : kept;
}

function afterOf(kept: KeptFile, state: OwnerState, machine: Machine): Change["after"] {
  if (kept.kind !== "file") return kept;
  return { kind: "file", bytes: readObject(state.reader, machine.stateDir, state.name, kept.sha256), mode: { exact: kept.mode } };
}

function sectionFor(path: string, registries: readonly (Registry | undefined)[], machine: Machine): string | undefined {
  const sections = registries.flatMap((registry) => Object.keys(registry?.files ?? {}));
  return sections.find((section) => expandHome(section, machine.home) === path);
}

/** Everything else goes back entry by entry, so that later edits and other owners' entries stand. */
async function planEntrywise(
  state: OwnerState,
  machine: Machine,
  registry: Registry | undefined,
  exact: ReadonlySet<string>,
): Promise<FilesPlan> {
  const evaluated = await placesOnRecord(state, machine, lastWishes, registry ?? { ...state.registry!, files: {} });
  const places = evaluated.places.filter((place) => !exact.has(place.path));
  const from = state.registry?.version ?? registry!.version;
  const version = registry?.version ?? from;
  const hold = version === from && registry !== undefined ? undefined : from;
  return planOwner(state, machine, { places, untouched: new Set() }, { version, note: "rollback", hold });
}

function withExactBytes(
  plan: FilesPlan,
  exact: readonly Change[],
  state: OwnerState,
  registry: Registry | undefined,
  machine: Machine,
): FilesPlan {
  if (exact.length === 0) return plan;
  const planned = plan.transaction.registry.after;
  const merged = planned === undefined ? undefined : withSections(parseRegistry(planned, ""), exact, registry);
  const entries = [...plan.document.entries, ...exact.flatMap((change) => exactEntries(change, state, registry))];
  const files = exact.map((change) => {
    const action = change.after.kind === "absent" ? "delete" : change.before.kind === "absent" ? "create" : "modify";
    return { path: change.path, action, diff: "" } as const;
  });
  return {
    ...plan,
    document: {
      ...plan.document,
      changed: plan.document.changed + entries.length - plan.document.entries.length,
      summary: summarise(entries),
      entries,
      files: [...plan.document.files, ...files],
    },
    transaction: {
      ...plan.transaction,
      changes: [...plan.transaction.changes, ...exact],
      registry: { path: registryPath(machine.stateDir, state.name), before: state.registryText, after: merged && renderRegistry(merged) },
      generation: { version: plan.document.version, from: state.registry?.version, note: "rollback" },
    },
  };
}

function withSections(planned: Registry, exact: readonly Change[], registry: Registry | undefined): Registry {
  const files = { ...planned.files };
  for (const { section } of exact) {
    const old = section === undefined ? undefined : registry?.files[section];
    if (section !== undefined && old !== undefined) files[section] = old;
  }
  return { ...planned, files };
}

/** What putting old bytes back means for each entry on record, for the report. */
function exactEntries({ path, section }: Change, state: OwnerState, registry: Registry | undefined): PlanEntry[] {
  if (section === undefined) return [];
  const [before, after] = [state.registry?.files[section]?.entries ?? {}, registry?.files[section]?.entries ?? {}];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].sort().flatMap((key) => {
    const [now, then] = [before[key], after[key]];
    if (now?.value_hash === then?.value_hash) return [];
    const verdict = now === undefined ? "restore" : then === undefined ? "remove" : "update";
    const values = { ...(now && { base: now.value, actual: now.value }), ...(then && { desired: then.value, result: then.value }) };
    return [{ file: path, key, type: (now ?? then)!.entry_type, verdict, ...values } as const];
  });
}
