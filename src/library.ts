import { isAbsolute, resolve as resolvePath } from "node:path";
import { InputError } from "./core/diagnostic.ts";
import type { PlanDocument } from "./core/plan-document.ts";
import { applySaved, planAndApply } from "./engine/apply.ts";
import { defaultStateDir, inProject, type Machine, requireHome } from "./engine/machine.ts";
import { generationsOf } from "./engine/owner-state.ts";
import type { OwnerPlan, PlanOptions } from "./engine/plan-owner.ts";
import { loadSavedPlan, renderSavedPlan } from "./engine/saved-plan.ts";
import { type Blame, blame as blameFile } from "./files/blame/blame.ts";
import { type CheckReport, checkPack } from "./files/check/check.ts";
import { trialHomes } from "./files/check/trial-homes.ts";
import { doctor as examine } from "./files/doctor/doctor.ts";
import { explain as explainEntry } from "./files/explain.ts";
import { type FirstPack, type InitOptions, initPack } from "./files/init/init.ts";
import { readEarlierPacks } from "./files/manifest/earlier-packs.ts";
import { type ManifestOptions, readPack } from "./files/manifest/load-manifest.ts";
import type { Pack } from "./files/manifest/pack.ts";
import { planFrom, planPack } from "./files/plan.ts";
import { machineForPack } from "./files/project.ts";
import { planRollback } from "./files/rollback.ts";
import { adoptAll, adoptEntries, disownEntries, resolveConflict } from "./files/settle.ts";
import { statusOf } from "./files/status.ts";
import { planUninstall, type UninstallOptions } from "./files/uninstall.ts";
import { type WatchOptions, watchPack } from "./files/watch/watch.ts";
import type { Platform } from "./identity/paths/path-context.ts";
import { guessFormat } from "./merge/guess-format.ts";
import { type MergeResult, mergeTexts } from "./merge/merge-texts.ts";
import { loadFormat } from "./readings/open-reading.ts";
import { formatFor } from "./readings/reading-data.ts";
import type { Explanation } from "./report/explanation.ts";
import type { Finding } from "./report/finding.ts";
import { diskGate } from "./store/gate/disk-gate.ts";
import type { Gate } from "./store/gate/gate.ts";
import { sealKey } from "./store/records/seal-key.ts";
import type { Markers } from "./text/merge-file.ts";

/** Where to work. Nothing is read from the process unless `thisMachine()` is asked to. */
export interface MachineOptions {
  /** The home that `~` means. */
  readonly home: string;
  /** Where stet remembers; default: as the command line, from `env` and `home`. */
  readonly stateDir?: string | undefined;
  /** The environment, for manifest variables and XDG folders; default: empty. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly platform?: Platform | undefined;
  /** The project's folder, for packs of `scope: project` and their records. */
  readonly project?: string | undefined;
  /** How hints call your program; default `stet`. */
  readonly program?: string | undefined;
  readonly gate?: Gate | undefined;
  readonly now?: (() => Date) | undefined;
}

/** The machine this process runs on. */
export function thisMachine(options: Partial<MachineOptions> = {}): MachineOptions {
  const platform = process.platform === "win32" || process.platform === "darwin" ? process.platform : "linux";
  return { env: process.env, platform, home: process.env.HOME ?? process.env.USERPROFILE ?? "", ...options };
}

function machineFrom(options: MachineOptions): Machine {
  const home = requireHome(options.home);
  if (!isAbsolute(home)) throw new InputError({ code: "no-home", message: `the home ${home} is not absolute` });
  const env = options.env ?? {};
  const machine: Machine = {
    home,
    env,
    stateDir: options.stateDir ?? defaultStateDir({ env, home }),
    platform: options.platform ?? "linux",
    program: options.program ?? "stet",
    gate: options.gate ?? diskGate(),
    now: options.now ?? (() => new Date()),
  };
  return options.project === undefined ? machine : inProject(machine, resolvePath(options.project));
}

export type Manifest = Pack;

/** A manifest from a path, a URL, or an object that carries its templates inline. */
export async function loadManifest(source: string | URL | object, options: ManifestOptions = {}): Promise<Manifest> {
  return readPack(diskGate(), source, options);
}

const planned = Symbol("plan");

/** What `--json` prints, plus what `apply` needs (which does not show). */
export interface Plan extends PlanDocument {
  readonly [planned]: {
    readonly plan: OwnerPlan;
    readonly machine: Machine;
    readonly isSaved?: boolean;
    again(): Promise<OwnerPlan>;
  };
}

/** What would change, and why. Writes nothing. */
export async function plan(manifest: Manifest, options: MachineOptions & PlanOptions): Promise<Plan> {
  const machine = machineForPack(manifest, machineFrom({ ...options, project: undefined }), options.project);
  return asPlan(machine, () => planPack(manifest, machine, options));
}

async function asPlan(machine: Machine, again: () => Promise<OwnerPlan>, isSaved = false): Promise<Plan> {
  const made = await again();
  const value: Plan[typeof planned] = { plan: made, machine, again, isSaved };
  return Object.defineProperty({ ...made.document }, planned, { value, enumerable: false }) as Plan;
}

/**
 * A plan as a text, with every byte it would write, sealed by a key in the state directory: keep it as you would keep
 * the files.
 */
export function savePlan(plan: Plan): string {
  const { plan: made, machine } = plan[planned];
  return renderSavedPlan(made, undefined, sealKey(machine.gate, machine.stateDir));
}

/**
 * The plan in such a text. One that `savePlan` made with this state directory, or `stet plan --out` anywhere: then it
 * has to come to the same once more. It is applied to just what it saw, or refused.
 */
export async function loadPlan(text: string, options: MachineOptions): Promise<Plan> {
  const machine = machineFrom(options);
  return asPlan(
    machine,
    () => loadSavedPlan(machine, text, "the saved plan", (source) => planFrom(source, machine)),
    true,
  );
}

/**
 * Makes a plan true. Where files are no longer as it saw them, it is made anew; with `exactly`, or one that was saved,
 * it is refused.
 */
export async function apply(
  plan: Plan,
  { exactly = false }: { readonly exactly?: boolean } = {},
): Promise<PlanDocument> {
  const { plan: made, machine, isSaved, again } = plan[planned];
  if (exactly || isSaved) return (await applySaved(machine, made)).document;
  return (await planAndApply(machine, again, made)).document;
}

/** Plan and apply in one. */
export async function reconcile(manifest: Manifest, options: MachineOptions & PlanOptions): Promise<PlanDocument> {
  return apply(await plan(manifest, options));
}

/** How each owner's files stand (or one owner's), from the records alone. */
export async function status(
  options: MachineOptions & { readonly name?: string | undefined },
): Promise<PlanDocument[]> {
  return (await statusOf(machineFrom(options), options.name)).map((each) => each.document);
}

export interface EntryChoice {
  readonly owner?: string | undefined;
}

/** Settle a conflict (`KEY`, `FILE#KEY`) or all of a file. */
export async function resolve(
  key: string,
  choice: "mine" | "theirs",
  options: MachineOptions & EntryChoice,
): Promise<PlanDocument[]> {
  return documents(resolveConflict({ text: key, owner: options.owner }, choice, machineFrom(options)));
}

/** Take entries under management; `"all"`: everything that waits. */
export async function adopt(
  keys: readonly string[] | "all",
  options: MachineOptions & EntryChoice,
): Promise<PlanDocument[]> {
  const machine = machineFrom(options);
  if (keys === "all") return documents(adoptAll(machine, options.owner));
  return documents(
    adoptEntries(
      keys.map((text) => ({ text, owner: options.owner })),
      machine,
    ),
  );
}

/** Hand entries to the user for good. */
export async function disown(keys: readonly string[], options: MachineOptions & EntryChoice): Promise<PlanDocument[]> {
  return documents(
    disownEntries(
      keys.map((text) => ({ text, owner: options.owner })),
      machineFrom(options),
    ),
  );
}

async function documents(plans: Promise<readonly OwnerPlan[]>): Promise<PlanDocument[]> {
  return (await plans).map((each) => each.document);
}

export async function history(name: string, options: MachineOptions) {
  return generationsOf(machineFrom(options), name);
}

/** Back to an earlier generation, the one before the last unless `to` says. */
export async function rollback(
  name: string,
  options: MachineOptions & { readonly to?: number | undefined },
): Promise<PlanDocument> {
  const machine = machineFrom(options);
  return apply(await asPlan(machine, () => planRollback(name, machine, options.to)));
}

/** Take out what an owner wrote; with `all`, also what the user edited and what was adopted. */
export async function uninstall(name: string, options: MachineOptions & UninstallOptions): Promise<PlanDocument> {
  const machine = machineFrom(options);
  return apply(await asPlan(machine, () => planUninstall(name, machine, options)));
}

/** Every line of a file with its owner. */
export async function blame(file: string, options: MachineOptions): Promise<Blame> {
  return blameFile(file, [machineFrom(options)]);
}

/**
 * All there is to know of one entry, once for each owner that has it: template, record, what is there, verdict,
 * history.
 */
export async function explain(key: string, options: MachineOptions & EntryChoice): Promise<Explanation[]> {
  return explainEntry({ text: key, owner: options.owner }, machineFrom(options));
}

/** Whether what is installed is effective; each finding says how to fix it. Changes nothing. */
export async function doctor(options: MachineOptions): Promise<Finding[]> {
  return examine(machineFrom(options));
}

/** A first manifest and templates from existing files, in `folder`. Overwrites nothing. */
export async function init(files: readonly string[], options: MachineOptions & InitOptions): Promise<FirstPack> {
  return initPack(files, machineFrom(options), options);
}

export interface CheckOptions extends Partial<MachineOptions> {
  /** A folder for passing things: each trial has a home of its own below it. */
  readonly temporary: string;
  /** Earlier releases, to try upgrades from; default: those that the manifest's own folder holds, if it has one. */
  readonly earlier?: readonly Manifest[] | undefined;
}

/**
 * For pack authors: does it install, upgrade, run twice and uninstall without a trace? A path also brings its earlier
 * releases.
 */
export async function check(
  source: string | Manifest,
  { temporary, earlier, ...options }: CheckOptions,
): Promise<CheckReport> {
  const { platform = "linux", program = "stet", now = () => new Date() } = options;
  const homes = trialHomes(temporary, { platform, program, now });
  if (typeof source !== "string") return checkPack(source, earlier ?? [], homes);
  const gate = options.gate ?? diskGate();
  return checkPack(readPack(gate, source), earlier ?? readEarlierPacks(gate, source, {}), homes);
}

export interface WatchSettings extends Partial<Omit<WatchOptions, "signal">> {
  /** Ends the watch; a write in hand is finished first. */
  readonly signal: AbortSignal;
  /** More files whose change means that the manifest is to be asked for again. */
  readonly sources?: readonly string[] | undefined;
}

/** Reconcile on change and on an interval, until the signal. A function is asked for the manifest on each pass. */
export async function watch(
  manifest: Manifest | (() => Manifest),
  options: MachineOptions & WatchSettings,
): Promise<void> {
  const { intervalMs = 5 * 60_000, quietMs = 500, reportOnly = false, tell = () => {}, signal } = options;
  const load = typeof manifest === "function" ? manifest : () => manifest;
  await watchPack({ load, sources: options.sources ?? [] }, machineFrom(options), {
    intervalMs,
    quietMs,
    reportOnly,
    tell,
    signal,
  });
}

/** What a program may report home: counts by verdict and code, no keys, paths or values. */
export function telemetryOf(document: PlanDocument) {
  const count = (names: readonly string[]) => {
    const counts: Record<string, number> = {};
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  return {
    format_version: 1,
    version: document.version,
    from: document.from,
    changed: document.changed,
    summary: document.summary,
    files: count(document.files.map((file) => file.action)),
    types: count(document.entries.map((entry) => entry.type)),
    diagnostics: count(document.diagnostics.map((diagnostic) => diagnostic.code)),
  };
}

export interface MergeSettings {
  /** The file that the texts stand for: says the format. Left out, the texts themselves do. */
  readonly path?: string | undefined;
  /** What stands behind the conflict markers. */
  readonly markers?: Partial<Markers> | undefined;
}

/** What two sides made of one text, joined entry by entry, without records. Pure: reads nothing and writes nothing. */
export async function merge(
  base: string,
  mine: string,
  theirs: string,
  { path, markers }: MergeSettings = {},
): Promise<MergeResult> {
  const name = path === undefined ? guessFormat([base, mine, theirs]) : formatFor(path);
  const format = name === "text" ? undefined : await loadFormat(name);
  return mergeTexts(base, mine, theirs, { format, markers: { mine: "mine", theirs: "theirs", ...markers } });
}
