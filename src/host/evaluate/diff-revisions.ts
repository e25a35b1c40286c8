import type { Diagnostic } from "../../core/diagnostic.ts";
import { hasErrors } from "../diagnostics.ts";
import { diffSides, sideOf } from "../file-diff.ts";
import type { RepositoryTree } from "../repository/tree.ts";
import { planUnitActions, type UnitAction } from "../units/unit-actions.ts";
import { runtimeByPath, wantedUnits } from "../units/wanted-units.ts";
import { type Catalog, openCatalog } from "./catalog.ts";
import { evaluateHost } from "./evaluate.ts";
import { type EvaluatedFile, type Evaluation, isPayload, type Layout } from "./evaluation.ts";
import { contentHash } from "./evaluation-document.ts";

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

/** Per host, the files and unit actions between two revisions. No host is touched, and none is asked. */
export function diffRevisions(from: RepositoryTree, to: RepositoryTree, hosts: readonly string[] | "all", layout: Layout): HostDiff[] {
  const [before, after] = [openCatalog(from), openCatalog(to)];
  const names = hosts === "all" ? [...new Set([...before.hosts, ...after.hosts])].sort() : hosts;
  return names.map((host) => {
    // In neither, it is a mistake, and not a host on which nothing changes.
    const isKnown = before.hosts.includes(host) || after.hosts.includes(host);
    if (!isKnown) return { host, files: [], actions: [], diagnostics: evaluateHost(after, host, layout).diagnostics };
    return diffHost(host, stateOf(before, host, layout), stateOf(after, host, layout));
  });
}

/** A host that a revision does not have has nothing there. */
function stateOf(catalog: Catalog, host: string, layout: Layout): Evaluation {
  return catalog.hosts.includes(host) ? evaluateHost(catalog, host, layout) : { host, services: [], files: [], diagnostics: [] };
}

function diffHost(host: string, before: Evaluation, after: Evaluation): HostDiff {
  const { diagnostics } = after;
  if (hasErrors(diagnostics)) return { host, files: [], actions: [], diagnostics };
  const old = new Map(before.files.map((file) => [file.path, file]));
  const next = new Map(after.files.map((file) => [file.path, file]));
  const changed = [...new Set([...old.keys(), ...next.keys()])].sort().filter((path) => !isSame(old.get(path), next.get(path)));
  const files = changed.map((path) => {
    const [was, is] = [old.get(path), next.get(path)];
    const action = was === undefined ? ("create" as const) : is === undefined ? ("delete" as const) : ("modify" as const);
    return { path, action, service: (is ?? was)!.service, diff: diffSides(path, sideOf(was?.content), sideOf(is?.content)) };
  });
  return { host, files, actions: actionsBetween(before, after, changed), diagnostics };
}

function isSame(a: EvaluatedFile | undefined, b: EvaluatedFile | undefined): boolean {
  if (a === undefined || b === undefined || a.content.kind !== b.content.kind) return false;
  const isProgram = (file: EvaluatedFile) => file.content.kind === "file" && file.content.executable;
  return contentHash(a.content) === contentHash(b.content) && isProgram(a) === isProgram(b);
}

function actionsBetween(before: Evaluation, after: Evaluation, changedPaths: readonly string[]): UnitAction[] {
  const [old, wanted] = [wantedUnits(before.files), wantedUnits(after.files)];
  const [known, names] = [new Set(old.map((unit) => unit.runtime)), new Set(wanted.map((unit) => unit.runtime))];
  const runtimes = new Map([...runtimeByPath(before.files), ...runtimeByPath(after.files)]);
  const config = new Map([...before.files, ...after.files].filter((file) => isPayload(file.kind)).map((file) => [file.path, file.service]));
  const changed = new Map<string, string>();
  const reconfigured = new Map<string, string>();
  for (const path of changedPaths) {
    const [runtime, service] = [runtimes.get(path), config.get(path)];
    if (runtime !== undefined) changed.set(runtime, path);
    if (service !== undefined) reconfigured.set(service, path);
  }
  const gone = old.filter((unit) => !names.has(unit.runtime));
  return planUnitActions({ wanted, gone, fresh: new Set([...names].filter((name) => !known.has(name))), changed, reconfigured });
}
