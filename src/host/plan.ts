import type { Diagnostic } from "../core/diagnostic.ts";
import { planPlace } from "../core/plan.ts";
import { changesBytes, type PlanDocument, planEntry, summarise } from "../core/plan-document.ts";
import { cachingReader } from "../store/gate/caching-reader.ts";
import type { Reader } from "../store/gate/gate.ts";
import { readRegistry, registryPath, renderRegistry } from "../store/records/registry.ts";
import { refuseShared } from "../store/records/state-dir.ts";
import { pendingJournal } from "../store/transaction/pending.ts";
import type { Change, Transaction } from "../store/transaction/transaction.ts";
import { hasErrors } from "./diagnostics.ts";
import type { Evaluation } from "./evaluate/evaluation.ts";
import { changesOf } from "./file-changes.ts";
import { type FileDecision, pathOf } from "./file-decision.ts";
import { planFile } from "./file-diff.ts";
import { actualEntries, desiredEntries, goingPaths, policiesFor, recordedEntries } from "./file-entries.ts";
import { diagnoseDecisions, findForeign } from "./plan-diagnostics.ts";
import { unitActions } from "./plan-units.ts";
import { nextRecords, type RootReader } from "./records.ts";
import type { HostRegistry } from "./registry.ts";
import { type HostTarget, ownerName, placeUnder } from "./target.ts";
import type { UnitAction } from "./units/unit-actions.ts";

export interface PlanOptions {
  /** The commit, or what stands for one. */
  readonly version: string;
  /** Files that were edited on the host stay as they are. */
  readonly keepDrift: boolean;
  /** Apply a commit although it was rolled back from. */
  readonly unhold: boolean;
  /** False: files only, no unit is touched. */
  readonly activate: boolean;
  /** What the history calls it: apply, or where it goes back to. */
  readonly note: string;
  /** A commit to hold from now on, because it was rolled back from. */
  readonly hold: string | undefined;
}

/** What `--json` prints: the document of every domain, and what happens to units. */
export interface HostPlanDocument extends PlanDocument {
  readonly host: string;
  readonly services: readonly string[];
  /** What follows for units; only done where `activate` says so. */
  readonly actions: readonly UnitAction[];
  readonly activate: boolean;
}

/** A plan: a value, made without writing anything. */
export interface HostPlan {
  readonly document: HostPlanDocument;
  readonly evaluation: Evaluation;
  readonly actions: readonly UnitAction[];
  readonly transaction: Omit<Transaction, "time">;
  /** The registry after the files are in place and before the actions are done; undefined where nothing is recorded. */
  readonly registry: HostRegistry | undefined;
}

export type PlanResult =
  | { readonly kind: "planned"; readonly plan: HostPlan }
  /** Errors in the repository, or files of somebody else in the way. Nothing can be applied. */
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] };

export function planHost(evaluation: Evaluation, target: HostTarget, options: PlanOptions): PlanResult {
  if (hasErrors(evaluation.diagnostics)) return { kind: "refused", diagnostics: evaluation.diagnostics };
  const name = ownerName(target);
  refuseShared(target.gate, target.stateDir);
  const reader = cachingReader(pendingJournal(target.gate, target.stateDir)?.reader ?? target.gate);
  const known = readRegistry(reader, target.stateDir, name);
  const registry = known?.registry as HostRegistry | undefined;
  const foreign = findForeign(evaluation, reader, target, registry);
  if (foreign.length > 0) return { kind: "refused", diagnostics: [...evaluation.diagnostics, ...foreign] };
  if (options.note === "apply" && registry?.held === options.version && !options.unhold)
    return { kind: "planned", plan: heldPlan(evaluation, target, registry, known!.text) };
  const decisions = decide(evaluation, reader, target, registry, options);
  const following = unitActions(evaluation, decisions, registry);
  const actions = options.activate ? following : [];
  const next = nextRegistry(evaluation, decisions, { reader, root: target.root }, registry, { ...options, name, actions });
  const changes = changesOf(evaluation, decisions, reader, target, registry);
  const after = next && renderRegistry(next);
  return {
    kind: "planned",
    plan: {
      document: planDocument({ evaluation, decisions, reader, target, actions: following, name, options, registry }),
      evaluation,
      actions,
      registry: next,
      transaction: {
        stateDir: target.stateDir,
        name,
        changes,
        registry: { path: registryPath(target.stateDir, name), before: known?.text, after },
        generation: changes.length > 0 ? { version: options.version, from: registry?.version, note: options.note } : undefined,
      },
    },
  };
}

/** Whether applying would write or do anything. */
export function changesAnything(plan: HostPlan): boolean {
  const { changes, registry } = plan.transaction;
  return changes.length > 0 || registry.before !== registry.after || plan.actions.length > 0;
}

function decide(
  evaluation: Evaluation,
  reader: Reader,
  target: HostTarget,
  registry: HostRegistry | undefined,
  options: PlanOptions,
): FileDecision[] {
  const recorded = recordedEntries(registry);
  const desired = desiredEntries(evaluation);
  return planPlace({
    desired,
    recorded,
    actual: actualEntries(reader, target, { desired, recorded, going: goingPaths(evaluation, registry) }),
    claims: [],
    moves: [],
    earlier: new Map(),
    policies: policiesFor(options.keepDrift),
    prune: true,
  });
}

interface NextRegistry extends PlanOptions {
  readonly name: string;
  readonly actions: readonly UnitAction[];
}

function nextRegistry(
  evaluation: Evaluation,
  decisions: readonly FileDecision[],
  place: RootReader,
  registry: HostRegistry | undefined,
  { name, version, actions, hold, activate }: NextRegistry,
): HostRegistry | undefined {
  const files = nextRecords(evaluation, decisions, place, registry, version);
  if (registry === undefined && Object.keys(files).length === 0) return undefined;
  const homes = registry?.homes ?? [];
  // Stopping happens before the files change: what is owed after a crash is the rest.
  const owed = actions.filter((action) => action.action !== "stop" && action.action !== "disable");
  const pending = activate ? (owed.length > 0 ? owed : undefined) : registry?.pending;
  return { ...registry, format_version: 1, name, version, homes, host: evaluation.host, held: hold, pending, files };
}

interface DocumentInput {
  readonly evaluation: Evaluation;
  readonly decisions: readonly FileDecision[];
  readonly reader: Reader;
  readonly target: HostTarget;
  readonly actions: readonly UnitAction[];
  readonly name: string;
  readonly options: PlanOptions;
  readonly registry: HostRegistry | undefined;
}

function planDocument({ evaluation, decisions, reader, target, actions, name, options, registry }: DocumentInput): HostPlanDocument {
  const entries = decisions.map((decision) => planEntry(placeUnder(target.root, pathOf(decision)), decision));
  const contents = new Map(evaluation.files.map((file) => [file.path, file.content]));
  return {
    format_version: 1,
    name,
    version: options.version,
    from: registry?.version ?? null,
    host: evaluation.host,
    services: evaluation.services,
    changed: decisions.filter((decision) => changesBytes(decision)).length,
    summary: summarise(entries),
    entries,
    files: decisions.map((decision) => planFile(decision, contents.get(pathOf(decision)), reader, target)),
    actions,
    activate: options.activate,
    diagnostics: [...evaluation.diagnostics, ...diagnoseDecisions(decisions, evaluation, registry)],
  };
}

function heldPlan(evaluation: Evaluation, target: HostTarget, registry: HostRegistry, text: string): HostPlan {
  const name = ownerName(target);
  const message = `${registry.held} was rolled back from on this host and is held; nothing is changed until another commit, or: ${target.program} host apply --unhold`;
  const document: HostPlanDocument = {
    format_version: 1,
    name,
    version: registry.held!,
    from: registry.version,
    host: evaluation.host,
    services: evaluation.services,
    changed: 0,
    summary: {},
    entries: [],
    files: [],
    actions: [],
    activate: false,
    diagnostics: [...evaluation.diagnostics, { code: "held", severity: "warning", message }],
  };
  const path = registryPath(target.stateDir, name);
  const changes: Change[] = [];
  return {
    document,
    evaluation,
    actions: [],
    registry,
    transaction: { stateDir: target.stateDir, name, changes, registry: { path, before: text, after: text }, generation: undefined },
  };
}
