import { dirname, isAbsolute, join, normalize } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { Policy } from "../../core/policy.ts";
import { isOfLink, type PlaceRecord, type Registry } from "../../core/records.ts";
import { equalValues, isMap, type Value } from "../../core/value.ts";
import { expandHome, type Machine, type Project } from "../../engine/machine.ts";
import type { OwnerState } from "../../engine/owner-state.ts";
import { type Evaluated, type FormerReading, type Place, refuseOwnTargets } from "../../engine/place.ts";
import type { PlanOptions } from "../../engine/plan-owner.ts";
import type { FileDesired } from "../../entries/file-entry.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { canonicalLink, canonicalPath, portablePath } from "../../identity/paths/paths.ts";
import { unusableOnWindows } from "../../identity/paths/spelling.ts";
import { profileFor, profileNamed, rulesWithProfile } from "../../identity/profiles/index.ts";
import type { Rule } from "../../identity/rules/rule.ts";
import { openReading } from "../../readings/open-reading.ts";
import type { Reading } from "../../readings/reading.ts";
import {
  type FormatName,
  formatFor,
  isSelectors,
  type ReadingData,
  recordedReading,
  type Strategy,
} from "../../readings/reading-data.ts";
import { substitute, type Template, type Variables, variablesIn } from "../../readings/template.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { registryPath } from "../../store/records/registry.ts";
import { policyOf } from "../manifest/load-manifest.ts";
import type { Pack, PackFile } from "../manifest/pack.ts";
import {
  holdsText,
  refuseUnset,
  secretTexts,
  substituteTarget,
  targetVariables,
  unreadSecrets,
  variablesOf,
  withoutUnset,
} from "../manifest/variables.ts";
import { dependsOnMachine, machineDependence, projectTarget } from "../project.ts";
import { inEachDocument, isSameDocument, joinDocuments, templatesFor, withKnownDocuments } from "./documents.ts";
import { type EarlierFile, earlierFiles, releasesOf } from "./earlier.ts";
import { wishesFollowing } from "./follow-runtime.ts";
import { localPlaces } from "./git-ignores.ts";
import { movesWithin, refuseStrangeMoves, withRenames } from "./moves.ts";
import { appliesTo, narrowed, placesNamed, readUserPolicies } from "./policies.ts";

/** Turn a pack into what is wanted on this machine. Reads conditions and links of the machine, writes nothing. */
export async function evaluate(
  pack: Pack,
  machine: Machine,
  state: OwnerState,
  { relocate = false }: PlanOptions = {},
): Promise<Evaluated> {
  const { reader, registry, context } = state;
  const userPolicies = await readUserPolicies(reader, machine);
  const variables = variablesOf(pack, machine);
  const inTargets = targetVariables(variables, machine);
  const places = new Map<string, Place>();
  const identityOf = placeIdentities(registry, context);
  const known = knownSections(registry, identityOf);
  let leftOut = false;
  const exists = (path: string) => reader.stat(reader.realPath(path)) !== undefined;
  const isLocal = localPlaces(machine, reader, registry);
  const found = new Map<string, { file: PackFile; path: string; section: string; local: boolean }>();
  const targets: Targets = { machine, reader, refuseOwn: refuseOwnTargets({ ...machine, gate: reader }) };
  const earlier = earlierFiles(pack, machine, (file, within) => identityOf(targetPath(file, within, targets), file));
  const common = { variables, inTargets, context, userPolicies, exists, project: machine.project };
  for (const declared of pack.files) {
    const file = withoutUnset(declared, pack, variables);
    try {
      // What is absolute on another system is not here; a variable that nobody declares is wrong on all of them.
      if (!machine.project && isForOthers(file, machine)) {
        substituteTarget(file.target, inTargets);
        leftOut = true;
        continue;
      }
      const path = targetPath(file, inTargets, targets);
      const identity = identityOf(path, file);
      const section = known.get(identity) ?? portablePath(path, context);
      const local = isLocal(path, section);
      const what = machine.project && !local ? machineDependence(declared, pack, machine) : undefined;
      if (what !== undefined) throw dependsOnMachine(file, what);
      // What is on record of it is then no longer wanted, as below.
      if (!applies(file, path, machine, reader)) {
        leftOut = true;
        continue;
      }
      refuseUnset(file, pack, variables, machine.platform);
      const twin = found.get(identity);
      found.set(identity, { file: twin ? joinDocuments(twin.file, file, path) : file, path, section, local });
    } catch (error) {
      throw saidInManifest(error, file);
    }
  }
  for (const [identity, { file, path, section, local }] of found) {
    try {
      const before = registry?.files[section];
      const place = await placeOf(pack, file, {
        ...common,
        path,
        section,
        before,
        earlier: earlier.get(identity) ?? [],
      });
      const target = variablesIn(file.target).length > 0 ? file.target : undefined;
      places.set(identity, { ...place, target, local, former: await formerReading(place, registry, machine, context) });
    } catch (error) {
      throw saidInManifest(error, file);
    }
  }
  // Only where nothing is on record: afterwards, what an earlier release shipped and nobody recorded is the user's.
  for (const [identity, files] of registry === undefined ? earlier : []) {
    if (places.has(identity)) continue;
    const { file, inTargets: within } = files.at(-1)!;
    const path = targetPath(file, within, targets);
    const section = portablePath(path, context);
    const place = await placeOf(pack, file, { ...common, path, section, before: undefined, earlier: files }, false);
    places.set(identity, { ...place, local: isLocal(path, section) });
  }
  // What a file that is left out here may have, nobody asks.
  if (!leftOut) {
    refuseStrangeMoves(
      pack.moves,
      [...places.values()].map(({ reading }) => reading),
    );
  }
  for (const [section, record] of Object.entries(registry?.files ?? {})) {
    const path = expandHome(section, machine.home);
    if (places.has(identityOf(path))) continue;
    const readingData = recordedReading(section, record, () => registryPath(machine.stateDir, pack.name));
    const reading = await openReading(readingData, { owner: pack.name, path, context });
    const policies = [
      ...narrowed(userPolicies, pack.name, placesNamed(path, readingData.name, machine.project), context),
      ...readingData.policies,
    ];
    places.set(section, {
      section,
      path,
      readingData,
      reading,
      desired: [],
      releases: [],
      policies,
      local: record.local,
      target: record.target,
      elsewhere: !relocate && isElsewhere(path, record, inTargets, machine, context),
      moves: [],
      diagnostics: [],
    });
  }
  return {
    places: withRenames(await wishesFollowing([...places.values()], state), pack.moves, state),
    untouched: new Set(),
    diagnostics: [...pack.notes, ...unreadSecrets(pack, machine.env)],
  };
}

/**
 * What is wrong with a file of the manifest is told with where the manifest says it, unless it is another file that is
 * wrong.
 */
function saidInManifest(error: unknown, { where }: PackFile): unknown {
  if (where === undefined || !(error instanceof InputError) || error.diagnostic.file !== undefined) return error;
  const { code } = error.diagnostic;
  const field = code === "unknown-profile" ? "profile" : code === "invalid-rule" ? "rules" : "target";
  return new InputError({ ...error.diagnostic, ...where(field) });
}

/**
 * Entries, a block and a whole text have nothing in common: the records of the one say nothing to the other. Where only
 * rules changed, that holds for the entries that today's would not find.
 */
async function formerReading(
  { section, path, readingData, reading }: Place,
  registry: Registry | undefined,
  machine: Machine,
  context: PathContext,
): Promise<FormerReading | undefined> {
  const record = registry?.files[section];
  if (registry === undefined || record === undefined || !isMap(record.reading as Value | undefined)) return undefined;
  const former = recordedReading(section, record, () => registryPath(machine.stateDir, registry.name));
  const isSame =
    former.strategy === readingData.strategy &&
    (former.name === undefined) === (readingData.name === undefined) &&
    isSameDocument(former.in, readingData.in);
  const only = isSame ? notFound(record, former, { readingData, reading }) : undefined;
  if (only?.size === 0) return undefined;
  return { reading: await openReading(former, { owner: registry.name, path, context }), only };
}

/** What a user handed over or took out is found by its key alone, wherever it was. */
function notFound(
  { entries }: PlaceRecord,
  former: ReadingData,
  { readingData, reading }: Pick<Place, "readingData" | "reading">,
): ReadonlySet<string> {
  if (JSON.stringify(former.rules) === JSON.stringify(readingData.rules)) return new Set();
  const managed = Object.entries(entries).filter(([, { state }]) => state === undefined);
  return new Set(managed.flatMap(([key, record]) => (reading.finds(record) ? [] : [key])));
}

interface PlaceContext {
  readonly path: string;
  readonly section: string;
  /** What is on record of it. */
  readonly before: PlaceRecord | undefined;
  /** What templates may name, and what targets may. */
  readonly variables: Variables;
  readonly inTargets: Variables;
  readonly context: PathContext;
  readonly project: Project | undefined;
  readonly userPolicies: readonly Policy[];
  /** What earlier releases shipped there. */
  readonly earlier: readonly EarlierFile[];
  /** Whether something is at a path of this machine. */
  exists(path: string): boolean;
}

/** `isWanted`: false for a file that only earlier releases shipped. */
async function placeOf(pack: Pack, file: PackFile, at: PlaceContext, isWanted = true): Promise<Place> {
  const { path, section, before, variables, inTargets, context, project, userPolicies, earlier, exists } = at;
  const isWhole = file.template.kind === "bytes" || file.template.kind === "link" || file.folder !== undefined;
  // A profile knows entries, which a whole file has none of.
  const profile =
    file.profile !== undefined ? profileNamed(file.profile) : isWhole ? undefined : profileFor(path, context);
  if (file.profile !== undefined && profile === undefined) {
    throw new InputError({
      code: "unknown-profile",
      message: `${file.target}: there is no profile ${file.profile}; docs/profiles.md lists them`,
    });
  }
  const format = isWhole ? "text" : (file.format ?? formatFor(path));
  const strategy = strategyOf(file, format);
  const known: readonly Rule[] = strategy === "entries" ? rulesWithProfile(file.rules, profile) : [];
  const rules = isSelectors(file.in) ? known.map(inEachDocument) : known;
  const names = placesNamed(path, file.folder?.name, project);
  const ownPolicies = [
    ...narrowed(pack.policies, pack.name, names, context, inTargets),
    ...(profile?.policies ?? []).map(policyOf),
  ];
  const modes = pack.scope === "project" && (isWhole || strategy === "whole") ? "executable" : undefined;
  const readingData: ReadingData = {
    format,
    strategy,
    rules,
    policies: ownPolicies,
    name: file.folder?.name,
    modes,
    in: withKnownDocuments(file.in, before, earlier),
  };
  const reading = await openReading(readingData, { owner: pack.name, path, context });
  const template = onThisMachine(file.template, inTargets, context);
  const { entries, diagnostics } = isWanted
    ? withDeclared(reading.desired(template, variables, before), file, (also) =>
        reading.desired(also, variables, before),
      )
    : nothingWanted;
  const shipped = ({ file: then, ...of }: EarlierFile) =>
    templatesFor(then, readingData.in).flatMap(
      (each) => reading.desired(onThisMachine(each, of.inTargets, context), of.variables).entries,
    );
  const isKnown = before !== undefined && Object.keys(before.entries).length > 0;
  const setting = { pack, variables: inTargets, context, strategy, exists };
  const releases = isKnown ? [] : releasesOf(earlier, shipped, setting);
  const policies = [...narrowed(userPolicies, pack.name, names, context), ...ownPolicies];
  const moves = movesWithin(
    pack.moves.filter((move) => appliesTo(move.file, names, inTargets, context)),
    reading,
  );
  const secrets = secretTexts(pack, variables);
  const desired =
    secrets.length === 0
      ? entries
      : guarded(entries, secrets, () => reading.desired(privately(template), variables).entries);
  return { section, path, readingData, reading, desired, releases, policies, moves, diagnostics };
}

const nothingWanted: ReturnType<Reading["desired"]> = { entries: [], diagnostics: [] };

type Wanted = ReturnType<Reading["desired"]>;

/** What a template wants of a file, and what declarations for runtimes want of it besides. */
function withDeclared(
  wanted: Wanted,
  { also = [], target }: PackFile,
  desired: (template: Template) => Wanted,
): Wanted {
  if (also.length === 0) return wanted;
  const all = [wanted, ...also.map(desired)];
  const byMatch = new Map<string, FileDesired>();
  for (const entry of all.flatMap(({ entries }) => entries)) {
    const twin = byMatch.get(entry.match);
    if (twin && !equalValues(twin.value, entry.value)) {
      const message = `${target}: two declarations want different values for ${entry.key}; keep one of them`;
      throw new InputError({ code: "duplicate-key", message, key: entry.key });
    }
    if (!twin) byMatch.set(entry.match, entry);
  }
  const entries = [...byMatch.values()].map((entry, order) => ({ ...entry, order }));
  return { entries, diagnostics: all.flatMap(({ diagnostics }) => diagnostics) };
}

/** Entries that hold a secret are marked; a file that is one entry is then readable by its owner only. */
function guarded(
  entries: readonly FileDesired[],
  secrets: Parameters<typeof holdsText>[1],
  privateFile: () => readonly FileDesired[],
): readonly FileDesired[] {
  const isSecret = ({ value }: FileDesired) => holdsText(value, secrets);
  const all = entries.some((entry) => isMap(entry.value) && entry.type === "file" && isSecret(entry))
    ? privateFile()
    : entries;
  return all.map((entry) => (isSecret(entry) ? { ...entry, secret: true } : entry));
}

function privately(template: Template): Template {
  return template.kind === "text" && template.mode === undefined ? { ...template, mode: 0o600 } : template;
}

function strategyOf({ strategy, template, folder }: PackFile, format: FormatName): Strategy {
  if (strategy !== undefined) return strategy;
  if (template.kind === "bytes" || template.kind === "link") return "whole";
  return folder !== undefined || format === "text" ? "merge" : "entries";
}

/** What a link holds may name variables and the home, as a target does. */
function onThisMachine(template: Template, variables: Variables, { home }: PathContext): Template {
  return template.kind === "link"
    ? { ...template, target: expandHome(substituteTarget(template.target, variables), home) }
    : template;
}

interface Targets {
  readonly machine: Machine;
  readonly reader: Reader;
  /** Throws where a target is one of the places that are stet's own. */
  refuseOwn(path: string): void;
}

function targetPath(file: PackFile, variables: Variables, { machine, reader, refuseOwn }: Targets): string {
  const why = unusableOnWindows(substituteTarget(file.target, variables), machine.platform);
  if (why !== undefined)
    throw new InputError({ code: "unsafe-path", message: `target ${file.target}: ${why}; choose another name` });
  if (machine.project) return projectTarget(file, variables, machine.project.root, reader);
  const path = normalize(expandHome(substituteTarget(file.target, variables), machine.home));
  if (isAbsolute(path)) {
    refuseOwn(path);
    return path;
  }
  throw new InputError({
    code: "relative-target",
    message: `target ${file.target} is not absolute; begin it with ~/ or a variable that is`,
  });
}

/** Whether the target that was written here is another place now: a variable's value changed, and not the manifest. */
function isElsewhere(
  path: string,
  { target }: PlaceRecord,
  variables: Variables,
  { home, project }: Machine,
  context: PathContext,
): boolean {
  if (target === undefined || variablesIn(target).some(({ name }) => !variables.has(name))) return false;
  const now = expandHome(substitute(target, variables), home);
  return canonicalPath(project ? join(project.root, now) : now, context) !== canonicalPath(path, context);
}

/**
 * The names under which files are on record already, by where they are, however they were spelt (another home, a link)
 * at that time.
 */
function knownSections(registry: Registry | undefined, identityOf: (path: string) => string): Map<string, string> {
  const sections = Object.keys(registry?.files ?? {}).map((section) => [identityOf(section), section] as const);
  return new Map(sections.reverse());
}

/**
 * Which paths mean the same place. A link that is shipped, or was, is a place of its own: it may lead to another file
 * of the same pack.
 */
function placeIdentities(
  registry: Registry | undefined,
  context: PathContext,
): (path: string, file?: PackFile) => string {
  const sections = Object.entries(registry?.files ?? {}).filter(([, record]) => isOfLink(record));
  const links = new Set(sections.map(([section]) => canonicalLink(section, context)));
  return (path, file) => {
    const link = canonicalLink(path, context);
    if (file?.template.kind === "link") links.add(link);
    return links.has(link) ? link : canonicalPath(path, context);
  };
}

function isForOthers({ os }: PackFile, { platform }: Machine): boolean {
  return os !== undefined && !os.includes(platform);
}

function applies(file: PackFile, path: string, machine: Machine, reader: Reader): boolean {
  if (isForOthers(file, machine)) return false;
  if (file.onlyWith !== undefined) {
    const folder = machine.project
      ? join(machine.project.root, file.onlyWith)
      : expandHome(file.onlyWith, machine.home);
    return reader.stat(reader.realPath(folder)) !== undefined;
  }
  if (file.onlyIf === "exists") return reader.stat(reader.realPath(path)) !== undefined;
  return file.onlyIf === undefined || reader.stat(reader.realPath(dirname(path))) !== undefined;
}
