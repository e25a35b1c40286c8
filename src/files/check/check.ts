import { mkdirSync, rmSync } from "node:fs";
import { dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import type { PlanEntry } from "../../core/plan-document.ts";
import { equalValues } from "../../core/value.ts";
import { expandHome, inProject, type Machine } from "../../engine/machine.ts";
import { readOwnerState } from "../../engine/owner-state.ts";
import { changesAnything } from "../../engine/plan-owner.ts";
import { substitute } from "../../readings/template.ts";
import { sha256 } from "../../store/gate/content.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { recordsFolder } from "../../store/records/project-records.ts";
import { missingFolders } from "../../store/records/state-dir.ts";
import type { Pack } from "../manifest/pack.ts";
import { substituteTarget, targetVariables, variablesOf } from "../manifest/variables.ts";
import { evaluate } from "../places/places.ts";
import { applyPack, planPack } from "../plan.ts";
import { uninstallOwner } from "../uninstall.ts";
import { writeSampleFiles } from "./sample-files.ts";
import { scriptFindings, writtenValueFindings } from "./written-values.ts";

/** One thing that was tried, and what was wrong with it. */
export interface Trial {
  readonly name: string;
  readonly findings: readonly Diagnostic[];
}

export interface CheckReport {
  readonly format_version: 1;
  readonly name: string;
  readonly version: string;
  /** Whether no trial found more than a note. */
  readonly passed: boolean;
  readonly trials: readonly Trial[];
}

/** A fresh, empty home for the time of one trial; nobody else's files are near, and nothing of it stays. */
export interface Homes {
  use<T>(trial: (home: TrialHome) => Promise<T>): Promise<T>;
}

export interface TrialHome {
  readonly machine: Machine;
  /** Drops all that is remembered there, as on a machine that never had records. */
  forget(): void;
}

/**
 * Whether a pack does what a pack must: install, upgrade from every release before it, run twice, and leave no trace.
 */
export async function checkPack(pack: Pack, earlier: readonly Pack[], homes: Homes): Promise<CheckReport> {
  const manifest = await inHome("the manifest", homes, ({ machine }) => manifestFindings(pack, machine));
  const trials = manifest ? [manifest] : [];
  // What is wrong with the manifest itself would only be said again by everything that uses it.
  if (!trials.some(hasFailed))
    for (const { name, run } of plannedTrials(pack, earlier)) {
      const trial = await inHome(name, homes, run);
      if (trial !== undefined) trials.push(trial);
    }
  return { format_version: 1, name: pack.name, version: pack.version, passed: !trials.some(hasFailed), trials };
}

export function hasFailed({ findings }: Trial): boolean {
  return findings.some((finding) => finding.severity !== "info");
}

interface PlannedTrial {
  readonly name: string;
  /** Undefined: it would show nothing with this pack. */
  run(home: TrialHome): Promise<Diagnostic[] | undefined>;
}

function plannedTrials(pack: Pack, earlier: readonly Pack[]): PlannedTrial[] {
  const trips = [undefined, ...earlier].flatMap((release) =>
    [false, true].map((sample): PlannedTrial => {
      const what = release ? `upgrade from ${release.version}` : "install";
      const name = `${what} ${sample ? "beside a user's own entries" : "in an empty home"}, run twice, uninstall`;
      return { name, run: (home) => roundTrip({ pack, release, sample }, home) };
    }),
  );
  const unrecorded = earlier.flatMap((release): PlannedTrial[] => {
    const test = releaseTest(pack, release.version);
    const name = `upgrade from ${release.version} where nothing was recorded, run twice`;
    const trial: PlannedTrial = { name, run: (home) => withoutRecords(pack, release, test, home) };
    if (test === undefined) return [trial];
    const stranger = `a user's own values as in ${release.version}, which was never installed`;
    return [trial, { name: stranger, run: (home) => neverInstalled(pack, release, test, home) }];
  });
  return [...trips, ...unrecorded];
}

async function inHome(name: string, homes: Homes, run: PlannedTrial["run"]): Promise<Trial | undefined> {
  return homes.use(async (home) => {
    const findings = await run(home).catch((error) => {
      if (error instanceof InputError) return [error.diagnostic];
      throw error;
    });
    return findings && { name, findings: findings.map((finding) => withoutHome(finding, home.machine.home)) };
  });
}

/** The home of a trial is gone when somebody reads of it. */
function withoutHome({ file, ...finding }: Diagnostic, home: string): Diagnostic {
  const said = { ...finding, message: finding.message.replaceAll(home, "~") };
  return file === undefined ? said : { ...said, file: file.replace(home, "~") };
}

/** What can be said without installing anything. */
async function manifestFindings(pack: Pack, machine: Machine): Promise<Diagnostic[]> {
  const { tried, findings } = trialPart(pack, machine);
  const state = readOwnerState(machine, pack.name);
  const { places } = await evaluate(tried, machine, state);
  const wanted = new Set(places.flatMap((place) => place.desired.map((entry) => entry.match)));
  const strays = tried.moves.filter(({ to }) => {
    const identities = places.map((place) => place.reading.identity(to));
    return !identities.some((identity) => identity.kind === "key" && wanted.has(identity.match));
  });
  return [
    ...findings,
    ...places.flatMap((place) => place.diagnostics),
    ...writtenValueFindings(tried, places, state),
    ...strays.map(({ to }): Diagnostic => {
      const message = `this move leads to ${to}, which no template has; correct the key or remove the move`;
      return { code: "stray-move", severity: "warning", message, key: to };
    }),
  ];
}

interface RoundTrip {
  readonly pack: Pack;
  readonly release: Pack | undefined;
  readonly sample: boolean;
}

/** Install (an earlier release first, if so), run again, uninstall: at the end every byte is as before. */
async function roundTrip({ pack, release, sample }: RoundTrip, { machine, forget }: TrialHome): Promise<Diagnostic[]> {
  const { tried } = trialPart(pack, machine);
  if (sample) await writeSampleFiles(tried, machine);
  // The sample files are the user's: nobody has them on record.
  forget();
  const before = snapshot(machine.gate, machine.home);
  if (release) await applyPack(trialPart(release, machine).tried, machine);
  await applyPack(tried, machine);
  const findings = await settledFindings(tried, machine, sample ? ["user-owned"] : []);
  if (release === undefined && !sample) {
    const state = readOwnerState(machine, pack.name);
    findings.push(...scriptFindings((await evaluate(tried, machine, state)).places, state, machine));
  }
  // A pack that wants nothing on this machine leaves nothing to uninstall.
  if (readOwnerState(machine, pack.name).registry) await uninstallOwner(pack.name, machine);
  return [...findings, ...notGivenBack(before, snapshot(machine.gate, machine.home))];
}

/** The path that tells whether a release was installed, as the manifest says it. */
function releaseTest({ earlier }: Pack, version: string): string | undefined {
  return earlier.find((release) => release.version === version)?.exists;
}

/**
 * An install from before there were records: what the release shipped must be known as such, not taken for the user's.
 */
async function withoutRecords(
  pack: Pack,
  release: Pack,
  test: string | undefined,
  { machine, forget }: TrialHome,
): Promise<Diagnostic[]> {
  await applyPack(trialPart(release, machine).tried, machine);
  forget();
  const { tried } = trialPart(pack, machine);
  if (test !== undefined) leaveSign(pathOf(test, pack, machine), machine);
  const { document } = await applyPack(tried, machine);
  const findings = await settledFindings(tried, machine, ["user-owned"]);
  const left = document.entries.filter(({ reason }) => reason === "user-owned");
  const behind = await leftBehind(document.entries, release, machine);
  const known = new Set(document.entries.filter(isFromRelease).map(({ file }) => file));
  const unknown = [...left, ...behind].filter(({ file }) => !known.has(file));
  return [
    ...findings,
    ...behind.filter(({ file }) => known.has(file)).map(unsettled),
    ...notRecognised(unknown, release.version),
  ];
}

function isFromRelease({ reason }: PlanEntry): boolean {
  return reason === "earlier-release";
}

/** What a release shipped, the pack no longer wants, and stands there all the same. */
async function leftBehind(wanted: readonly PlanEntry[], release: Pack, machine: Machine): Promise<PlanEntry[]> {
  const names = new Set(wanted.filter(({ desired }) => desired !== undefined).map(({ file, key }) => `${file}#${key}`));
  const { document } = await planPack(trialPart(release, machine).tried, machine);
  return document.entries.filter(
    ({ file, key, reason, actual, desired }) =>
      reason === "user-owned" && equalValues(actual, desired) && !names.has(`${file}#${key}`),
  );
}

function pathOf(test: string, pack: Pack, machine: Machine): string {
  return normalize(
    expandHome(substituteTarget(test, targetVariables(variablesOf(pack, machine), machine)), machine.home),
  );
}

/** Makes the file by which a release is recognised, where the release itself did not. */
function leaveSign(path: string, { gate, home }: Machine): void {
  if (gate.stat(gate.realPath(path)) !== undefined || !path.startsWith(`${home}${sep}`)) return;
  for (const folder of missingFolders(gate, dirname(path))) gate.createFolder(folder, 0o755);
  gate.createFile(path, Buffer.from(""), "private");
}

/** The files in which nothing showed that a release was installed. */
function notRecognised(entries: readonly PlanEntry[], version: string): Diagnostic[] {
  return [...new Set(entries.map(({ file }) => file))].map((file) => {
    const how = `say under earlier how to recognise it: "${version}": { from: FOLDER, when: { exists: PATH } }`;
    const message = `nothing here shows that ${version} was installed, so what it shipped counts as the user's; ${how}`;
    return { code: "not-recognised", severity: "info", message, file };
  });
}

/**
 * The same values, written by a user who never had the release: all of them stand, also when the owner leaves. Not tried
 * where another release recognises them as its own.
 */
async function neverInstalled(
  pack: Pack,
  release: Pack,
  test: string,
  { machine, forget }: TrialHome,
): Promise<Diagnostic[] | undefined> {
  await applyPack(trialPart(release, machine).tried, machine);
  forget();
  machine.gate.remove(machine.gate.realPath(pathOf(test, pack, machine)));
  const before = snapshot(machine.gate, machine.home);
  const { tried } = trialPart(pack, machine);
  const others = tried.earlier.filter(({ version }) => version !== release.version);
  if ((await planPack({ ...tried, earlier: others }, machine)).document.entries.some(isFromRelease)) return undefined;
  await applyPack(tried, machine);
  const findings = await settledFindings(tried, machine, ["user-owned"]);
  if (readOwnerState(machine, pack.name).registry) await uninstallOwner(pack.name, machine);
  return [...findings, ...notGivenBack(before, snapshot(machine.gate, machine.home))];
}

/** After an install everything is as the pack wants it, and a second run finds nothing to do. */
async function settledFindings(pack: Pack, machine: Machine, accepted: readonly string[]): Promise<Diagnostic[]> {
  const again = await planPack(pack, machine);
  const open = again.document.entries.filter((entry) => !isSettled(entry, accepted)).map(unsettled);
  const before = snapshot(machine.gate, machine.home);
  await applyPack(pack, machine);
  const changed = differences(before, snapshot(machine.gate, machine.home));
  if (!changesAnything(again) && changed.length === 0) return open;
  const paths = changed.length > 0 ? changed : again.transaction.changes.map((change) => change.path);
  const message = `a second run changes ${paths.join(", ") || "the records"}; it must change nothing; report this with the pack`;
  return [...open, { code: "not-idempotent", severity: "error", message }];
}

function isSettled({ verdict, reason }: PlanEntry, accepted: readonly string[]): boolean {
  return (
    verdict === "unchanged" || (verdict === "keep" && (reason === "create-only" || accepted.includes(reason ?? "")))
  );
}

function unsettled({ file, key, verdict, reason }: PlanEntry): Diagnostic {
  const why = reason ? `${verdict}, ${reason}` : verdict;
  const message = `${key} is not as the pack wants it, although nobody changed it (${why}); check that the releases under earlier are complete`;
  return { code: "not-settled", severity: "error", message, file, key };
}

function notGivenBack(before: Snapshot, after: Snapshot): Diagnostic[] {
  return differences(before, after).map((file) => {
    const how = after.has(file) ? (before.has(file) ? "is not as it was" : "is left behind") : "is gone";
    return {
      code: "not-given-back",
      severity: "error",
      message: `after uninstall this ${how}; report it with the pack`,
      file,
    };
  });
}

/** The part of a pack that can be tried in a home made for it: never a file that lies anywhere else. */
function trialPart(pack: Pack, machine: Machine): { readonly tried: Pack; readonly findings: readonly Diagnostic[] } {
  const variables = targetVariables(variablesOf(pack, machine), machine);
  const findings: Diagnostic[] = [];
  const note = (target: string, why: string) =>
    findings.push({ code: "not-tried", severity: "info", message: `${target} is not tried: ${why}` });
  const files = pack.files.filter(({ target, os }) => {
    const path = expandHome(substitute(target, variables), machine.home);
    // A target that is not absolute, or has an undefined variable, is an error that planning explains.
    const outside = isAbsolute(path) && relative(machine.home, path).startsWith("..");
    if (outside) note(target, "it lies outside the home; give its variable a place under ~ with --set");
    else if (os && !os.includes(machine.platform))
      note(target, `it is for ${os.join(", ")}, and this is ${machine.platform}`);
    return !outside;
  });
  const earlier = pack.earlier.map((release) => ({ ...release, pack: trialPart(release.pack, machine).tried }));
  return { tried: { ...pack, files, earlier }, findings };
}

/** Everything below a folder, by path: files by their content, folders and links by what they are. */
type Snapshot = ReadonlyMap<string, string>;

function snapshot(reader: Reader, folder: string): Snapshot {
  const found = new Map<string, string>();
  const visit = (at: string) => {
    for (const name of reader.list(at) ?? []) {
      const path = join(at, name);
      const status = reader.stat(path);
      if (status?.kind === "file") found.set(path, `${status.mode} ${sha256(reader.read(path)!)}`);
      else found.set(path, status?.kind === "link" ? `link ${reader.readLink(path)}` : (status?.kind ?? "gone"));
      if (status?.kind === "folder") visit(path);
    }
  };
  visit(folder);
  return found;
}

/** The paths at which two snapshots differ, in order. */
function differences(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).sort();
}

/** Gives a new folder for the time of one call, and removes it afterwards. */
type WithFolder = <T>(use: (folder: string) => Promise<T>) => Promise<T>;

/** Homes for trying a pack, each in a folder of its own; one for a project has a project in it. */
export function trialHomes(
  scope: Pack["scope"],
  machine: Pick<Machine, "platform" | "program" | "gate" | "now">,
  withFolder: WithFolder,
): Homes {
  return {
    use: (trial) =>
      withFolder((folder) => {
        const [home, stateDir] = [join(folder, "home"), join(folder, "state")];
        mkdirSync(home);
        const user: Machine = { ...machine, home, stateDir, env: {} };
        const project = join(home, "project");
        // A project's records lie in the project, not in the state directory.
        const records = [stateDir, join(project, recordsFolder)];
        const forget = () => {
          for (const each of records) rmSync(each, { recursive: true, force: true });
        };
        if (scope !== "project") return trial({ machine: user, forget });
        mkdirSync(join(project, ".git"), { recursive: true });
        return trial({ machine: inProject(user, project), forget });
      }),
  };
}
