import { absent, exactly, type FileOrLink } from "../../core/content.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { groupBy } from "../../core/lists.ts";
import { planFile } from "../../engine/file-diff.ts";
import { asErrors, diagnose, diagnosticsInOrder, type HostDiagnostic, hasErrors } from "../diagnostics.ts";
import { hostsFolder, type RepositoryTree } from "../repository/tree.ts";
import { planUnitActions, type UnitAction } from "../units/unit-actions.ts";
import { templateOf } from "../units/unit-kind.ts";
import { type ChangedFile, runtimeByPath, unitsUsing, wantedUnits } from "../units/wanted-units.ts";
import { evaluateFor } from "./evaluate.ts";
import { type EvaluatedFile, type EvaluatedHost, isPayload, type Layout } from "./evaluation.ts";
import { type Catalog, openCatalog } from "./service.ts";

export interface CheckedRepository {
  readonly hosts: readonly {
    readonly host: string;
    readonly services: readonly string[];
    readonly files: number;
    readonly ok: boolean;
  }[];
  /** Of all hosts together; what several of them share is said once. */
  readonly diagnostics: readonly HostDiagnostic[];
}

export interface Checking {
  /** Warnings count as errors. */
  readonly strict: boolean;
  /** What podman itself says about a set of units. */
  verify(evaluation: EvaluatedHost): Promise<readonly HostDiagnostic[]>;
}

/** Every host of a repository, as a check before a commit is merged. */
export async function checkHosts(catalog: Catalog, layout: Layout, checking: Checking): Promise<CheckedRepository> {
  if (catalog.hosts.length === 0) {
    const message = "has no host: a repository needs at least one hosts/<host>/host.yaml";
    return { hosts: [], diagnostics: [diagnose("unknown-host", hostsFolder, message)] };
  }
  const diagnostics: HostDiagnostic[] = [];
  const variants = new UnitVariants();
  // Of each host only the summary is kept: all their files together would be most of the memory, and of the time.
  const hosts = catalog.hosts.map((name) => {
    const evaluation = evaluateFor(catalog, name, layout);
    const { host, services, files } = evaluation;
    const found = checking.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
    for (const diagnostic of found) diagnostics.push(diagnostic);
    const ok = !hasErrors(found);
    if (ok) variants.add(evaluation);
    return { host, services, files: files.length, ok };
  });
  const verified = await variants.verify(checking);
  const all = diagnosticsInOrder([...diagnostics, ...verified.diagnostics]);
  return {
    hosts: hosts.map((each) => ({ ...each, ok: each.ok && !verified.refused.has(each.host) })),
    diagnostics: all,
  };
}

interface Variant {
  /** A unit's own file and its drop-ins; a template's with its instances, which are made of it. */
  readonly files: readonly EvaluatedFile[];
  readonly hosts: string[];
}

/**
 * The units of a whole fleet, each with the drop-ins that some host has for it. podman's generator, a program of its
 * own, is asked about all units at once, and again only for as many variants as there are of one of them: a handful of
 * times for a thousand hosts.
 */
class UnitVariants {
  private readonly byUnit = new Map<string, Map<string, Variant>>();
  private readonly numbers = new Map<Uint8Array | string, number>();

  add({ host, files }: EvaluatedHost): void {
    for (const [unit, parts] of quadletParts(files)) {
      const key = parts.map(({ path, content }) => `${path}\0${this.numberOf(content)}`).join("\n");
      const known = this.byUnit.get(unit) ?? new Map<string, Variant>();
      this.byUnit.set(unit, known);
      const variant = known.get(key) ?? { files: parts, hosts: [] };
      known.set(key, variant);
      variant.hosts.push(host);
    }
  }

  async verify({ verify }: Checking): Promise<{ diagnostics: HostDiagnostic[]; refused: ReadonlySet<string> }> {
    const units = [...this.byUnit.values()].map((variants) => [...variants.values()]);
    const rounds = Math.max(0, ...units.map((variants) => variants.length));
    const diagnostics: HostDiagnostic[] = [];
    const refused = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const chosen = units.map((variants) => variants[round] ?? variants[0]!);
      const said = await verify({
        host: "",
        services: [],
        files: chosen.flatMap(({ files }) => files),
        diagnostics: [],
      });
      diagnostics.push(...said);
      for (const { severity, file } of said) {
        const concerned =
          severity === "error" ? chosen.filter(({ files }) => files.some(({ origin }) => origin.at(-1) === file)) : [];
        for (const host of concerned.flatMap(({ hosts }) => hosts)) refused.add(host);
      }
    }
    return { diagnostics, refused };
  }

  /** Shared files are the same object for every host, so that comparing them costs nothing. */
  private numberOf(content: FileOrLink): number {
    const identity = content.kind === "file" ? content.bytes : content.target;
    const number = this.numbers.get(identity) ?? this.numbers.size;
    this.numbers.set(identity, number);
    return number;
  }
}

function quadletParts(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile[]> {
  const parts = files.filter(({ kind }) => kind === "quadlet" || kind === "quadlet-dropin");
  return groupBy(parts, ({ unit }) => templateOf(unit!) ?? unit!.name);
}

/** What becomes of one host between two revisions. */
export interface HostDiff {
  readonly host: string;
  readonly files: readonly {
    readonly path: string;
    readonly action: "create" | "modify" | "delete";
    readonly service: string;
    readonly diff: string;
  }[];
  readonly actions: readonly UnitAction[];
  /** Of the newer revision. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Hosts on which the same happens, and what that is. */
export interface ChangeGroup extends Omit<HostDiff, "host"> {
  readonly hosts: readonly string[];
}

/**
 * Every change once, with its hosts: those that can't be evaluated first, then what most hosts share; last, those that
 * do not change.
 */
export function groupDiffs(diffs: readonly HostDiff[]): ChangeGroup[] {
  const groups = groupBy(diffs, ({ diagnostics, files, actions }) =>
    JSON.stringify(hasErrors(diagnostics) ? diagnostics : [files, actions]),
  );
  const rank = ({ files, actions, diagnostics }: ChangeGroup) =>
    hasErrors(diagnostics) ? 0 : files.length + actions.length > 0 ? 1 : 2;
  return [...groups.values()].map(joinDiffs).sort((a, b) => rank(a) - rank(b) || b.hosts.length - a.hosts.length);
}

/** What is said about one of them is said about the group. */
function joinDiffs(diffs: readonly HostDiff[]): ChangeGroup {
  const [{ files, actions }] = diffs as [HostDiff];
  const diagnostics = new Map(diffs.flatMap((diff) => diff.diagnostics).map((each) => [JSON.stringify(each), each]));
  return { hosts: diffs.map(({ host }) => host), files, actions, diagnostics: [...diagnostics.values()] };
}

export interface DiffOptions {
  readonly layout: Layout;
  /** Warnings of the newer revision count as errors. */
  readonly strict: boolean;
}

/** Per host, the files and unit actions between two revisions. No host is touched, and none is asked. */
export function diffRevisions(
  from: RepositoryTree,
  to: RepositoryTree,
  hosts: readonly string[] | "all",
  { layout, strict }: DiffOptions,
): HostDiff[] {
  const [before, after] = [openCatalog(from), openCatalog(to)];
  const names = hosts === "all" ? [...new Set([...before.hosts, ...after.hosts])].sort() : hosts;
  return names.map((host) => {
    // In neither, it is a mistake, and not a host on which nothing changes.
    const isKnown = before.hosts.includes(host) || after.hosts.includes(host);
    if (!isKnown) return { host, files: [], actions: [], diagnostics: evaluateFor(after, host, layout).diagnostics };
    const next = stateOf(after, host, layout);
    const judged = strict ? { ...next, diagnostics: asErrors(next.diagnostics) } : next;
    return diffHost(host, stateOf(before, host, layout), judged, layout);
  });
}

/** A host that a revision does not have has nothing there. */
function stateOf(catalog: Catalog, host: string, layout: Layout): EvaluatedHost {
  return catalog.hosts.includes(host)
    ? evaluateFor(catalog, host, layout)
    : { host, services: [], files: [], diagnostics: [] };
}

function diffHost(host: string, before: EvaluatedHost, after: EvaluatedHost, layout: Layout): HostDiff {
  const { diagnostics } = after;
  if (hasErrors(diagnostics)) return { host, files: [], actions: [], diagnostics };
  const old = new Map(before.files.map((file) => [file.path, file]));
  const next = new Map(after.files.map((file) => [file.path, file]));
  const changed = [...new Set([...old.keys(), ...next.keys()])]
    .sort()
    .filter((path) => !isSame(old.get(path), next.get(path)));
  const files = changed.map((path) => {
    const [was, is] = [old.get(path), next.get(path)];
    const action =
      was === undefined ? ("create" as const) : is === undefined ? ("delete" as const) : ("modify" as const);
    const { diff } = planFile(path, exactly(was?.content ?? absent), exactly(is?.content ?? absent));
    return { path, action, service: (is ?? was)!.service, diff };
  });
  return { host, files, actions: actionsBetween(before, after, changed, layout), diagnostics };
}

function isSame(a: EvaluatedFile | undefined, b: EvaluatedFile | undefined): boolean {
  if (a === undefined || b === undefined || a.content.kind !== b.content.kind) return false;
  const [before, after] = [a.content, b.content];
  if (before.kind === "link" || after.kind === "link")
    return before.kind === "link" && after.kind === "link" && before.target === after.target;
  return before.mode === after.mode && Buffer.compare(before.bytes, after.bytes) === 0;
}

function actionsBetween(
  before: EvaluatedHost,
  after: EvaluatedHost,
  changedPaths: readonly string[],
  layout: Layout,
): UnitAction[] {
  const [old, wanted] = [wantedUnits(before.files), wantedUnits(after.files)];
  const [known, names] = [new Set(old.map((unit) => unit.runtime)), new Set(wanted.map((unit) => unit.runtime))];
  const runtimes = new Map([...runtimeByPath(before.files), ...runtimeByPath(after.files)]);
  const config = new Map(
    [...before.files, ...after.files].filter((file) => isPayload(file.kind)).map((file) => [file.path, file.service]),
  );
  const changed = new Map<string, string>();
  const files: ChangedFile[] = [];
  for (const path of changedPaths) {
    const [runtime, service] = [runtimes.get(path), config.get(path)];
    if (runtime !== undefined) changed.set(runtime, path);
    if (service !== undefined) files.push({ path, service });
  }
  const reconfigured = unitsUsing(files, wanted, after.files, layout);
  const gone = old.filter((unit) => !names.has(unit.runtime));
  return planUnitActions({
    wanted,
    gone,
    fresh: new Set([...names].filter((name) => !known.has(name))),
    changed,
    reconfigured,
  });
}
