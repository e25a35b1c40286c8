import type { Diagnostic } from "../../core/diagnostic.ts";
import { planFile } from "../../engine/file-diff.ts";
import { asErrors, hasErrors } from "../diagnostics.ts";
import type { RepositoryTree } from "../repository/tree.ts";
import { planUnitActions, type UnitAction } from "../units/unit-actions.ts";
import { type ChangedFile, runtimeByPath, unitsUsing, wantedUnits } from "../units/wanted-units.ts";
import { evaluateFor } from "./evaluate.ts";
import { type EvaluatedFile, type EvaluatedHost, fileMode, isPayload, type Layout, nextContent } from "./evaluation.ts";
import { type Catalog, openCatalog } from "./service.ts";

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
  const groups = new Map<string, HostDiff[]>();
  for (const diff of diffs) {
    const key = hasErrors(diff.diagnostics)
      ? JSON.stringify(diff.diagnostics)
      : JSON.stringify([diff.files, diff.actions]);
    const known = groups.get(key);
    if (known) known.push(diff);
    else groups.set(key, [diff]);
  }
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
    const { diff } = planFile(path, nextContent(was?.content), nextContent(is?.content));
    return { path, action, service: (is ?? was)!.service, diff };
  });
  return { host, files, actions: actionsBetween(before, after, changed, layout), diagnostics };
}

function isSame(a: EvaluatedFile | undefined, b: EvaluatedFile | undefined): boolean {
  if (a === undefined || b === undefined || a.content.kind !== b.content.kind) return false;
  const [before, after] = [a.content, b.content];
  if (before.kind === "symlink" || after.kind === "symlink")
    return before.kind === "symlink" && after.kind === "symlink" && before.target === after.target;
  return fileMode(before) === fileMode(after) && Buffer.compare(before.bytes, after.bytes) === 0;
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
