import type { Diagnostic } from "../core/diagnostic.ts";
import { type PlanDocument, type PlanEntry, planEntry, summarise } from "../core/plan-document.ts";
import { isOlder } from "../core/version.ts";
import type { FileDecision } from "../readings/reading.ts";
import { type Seen, sha256 } from "../store/gate/content.ts";
import { type Registry, registryPath, renderRegistry } from "../store/records/registry.ts";
import type { Transaction } from "../store/transaction/transaction.ts";
import { heldAfter, heldVersions } from "./held.ts";
import type { Machine } from "./machine.ts";
import type { Pack } from "./manifest/pack.ts";
import { type OwnerState, readOwnerState } from "./owner-state.ts";
import { type Evaluated, evaluate, type Place } from "./places/places.ts";
import { type PlannedPlace, planOnePlace } from "./places/plan-place.ts";
import { heldBack } from "./revise.ts";

export interface PlanOptions {
  /** False: entries that are no longer wanted stay. */
  readonly prune?: boolean | undefined;
  /** Apply a version although it was rolled back from. */
  readonly unhold?: boolean | undefined;
}

/** A plan: what `--json` prints, and what `apply` needs. A value, made without writing anything. */
export interface FilesPlan {
  readonly document: PlanDocument;
  /** All of it, or none. */
  readonly transaction: Omit<Transaction, "time">;
  readonly places: readonly PlannedPlace[];
  /** The files that planning read and leaves as they are. */
  readonly seen: readonly SeenFile[];
}

export interface SeenFile {
  readonly path: string;
  readonly content: Seen;
}

/** What making a pack true on this machine would change, and why. */
export async function planPack(pack: Pack, machine: Machine, options: PlanOptions = {}): Promise<FilesPlan> {
  const state = readOwnerState(machine, pack.name);
  const evaluated = await evaluate(pack, machine, state);
  return planOwner(state, machine, evaluated, { ...options, version: pack.version, note: "apply" });
}

export interface OwnerPlanOptions extends PlanOptions {
  readonly version: string;
  /** What the history calls it: apply, rollback, … */
  readonly note: string;
  /** Leave no records behind: the owner goes. */
  readonly leave?: boolean | undefined;
  /** A last word on each decision. */
  readonly revise?: ((decision: FileDecision, place: Place) => FileDecision) | undefined;
  /** A version to hold from now on. */
  readonly hold?: string | undefined;
}

/** The same for any wishes: a pack's, or those that records hold. */
export function planOwner(state: OwnerState, machine: Machine, { places, untouched }: Evaluated, options: OwnerPlanOptions): FilesPlan {
  const { registry } = state;
  const isHeld = registry !== undefined && heldVersions(registry).includes(options.version);
  const held = isHeld && options.unhold !== true && options.note === "apply";
  const revise = held ? heldBack : options.revise;
  const planned = places.map((place) =>
    planOnePlace(place, state, machine, { version: options.version, prune: options.prune !== false, revise }),
  );
  const next = held ? registry : nextRegistry(state, machine, planned, untouched, options);
  const after = next && renderRegistry(next);
  let entries: readonly PlanEntry[] | undefined;
  const document: PlanDocument = {
    format_version: 1,
    name: state.name,
    version: options.version,
    from: registry?.version ?? null,
    changed: planned.reduce((sum, place) => sum + place.changed, 0),
    summary: summarise(planned.flatMap(({ decisions }) => decisions.map(({ outcome }) => outcome))),
    // Made when somebody looks at them: a program that upgrades on its own mostly counts.
    get entries() {
      entries ??= planned.flatMap(({ path, decisions }) => decisions.map((decision) => planEntry(path, decision)));
      return entries;
    },
    files: planned.map((place) => place.file),
    diagnostics: [...versionDiagnostics(state, options, held, machine), ...planned.flatMap((place) => place.diagnostics)],
  };
  const changes = planned.flatMap((place) => (place.change ? [place.change] : []));
  const generation = { version: options.version, from: registry?.version, note: options.note };
  const path = registryPath(machine.stateDir, state.name);
  return {
    document,
    places: planned,
    // Hashed when somebody asks: most plans are applied at once.
    get seen() {
      return planned.filter((place) => place.change === undefined).map(({ path, text }) => ({ path, content: contentOf(text) }));
    },
    transaction: {
      stateDir: machine.stateDir,
      name: state.name,
      changes,
      registry: { path, before: state.registryText, after },
      generation: changes.length > 0 || after !== state.registryText ? generation : undefined,
    },
  };
}

function contentOf(text: string | undefined): Seen {
  return text === undefined ? { kind: "absent" } : { kind: "file", sha256: sha256(text) };
}

/** Whether applying a plan would write anything: files, or records. */
export function changesAnything(plan: FilesPlan): boolean {
  const { changes, registry } = plan.transaction;
  return changes.length > 0 || registry.before !== registry.after;
}

function nextRegistry(
  { registry, name }: OwnerState,
  machine: Machine,
  planned: readonly PlannedPlace[],
  untouched: ReadonlySet<string>,
  options: OwnerPlanOptions,
): Registry | undefined {
  if (options.leave) return undefined;
  const kept = Object.entries(registry?.files ?? {}).filter(([section]) => untouched.has(section));
  const recorded = planned.flatMap((place) => (place.record ? [[place.section, place.record] as const] : []));
  const files = Object.fromEntries([...kept, ...recorded].sort(([a], [b]) => (a < b ? -1 : 1)));
  if (registry === undefined && Object.keys(files).length === 0) return undefined;
  const homes = registry?.homes.includes(machine.home) ? registry.homes : [...(registry?.homes ?? []), machine.home];
  return { ...registry, format_version: 1, name, version: options.version, homes, ...heldAfter(registry, options), files };
}

function versionDiagnostics({ registry, name }: OwnerState, options: OwnerPlanOptions, held: boolean, machine: Machine): Diagnostic[] {
  if (held) {
    const message = `version ${options.version} of ${name} was rolled back from and is held; nothing is changed until a newer version, or: ${machine.program} apply --unhold`;
    return [{ code: "held", severity: "warning", message }];
  }
  if (options.note !== "apply" || registry === undefined || !isOlder(options.version, registry.version)) return [];
  return [{ code: "downgrade", severity: "warning", message: `${name} goes back from ${registry.version} to ${options.version}` }];
}
