import { addTo } from "../core/lists.ts";
import type { Edit, InsertPlace, Node, Path, Trace } from "../formats/format.ts";
import type { IdentitySource } from "../identity/rules/identify.ts";
import { groupId } from "./container-tree.ts";
import type { FileActual, FileClaim, FileDecision, KnownPlace, Location } from "./file-entry.ts";

export function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>(
    (node, step) => (typeof step === "string" ? node?.get(step) : node?.items()[step]),
    root,
  );
}

/** The same edits, with every name as the document spells it, where that may differ from how it is asked for. */
export function asSpelt(edits: readonly Edit[], root: Node): readonly Edit[] {
  if (root.spelling === undefined) return edits;
  return edits.map((edit) =>
    edit.kind === "insert"
      ? { ...edit, into: speltPath(root, edit.into), place: speltPlace(nodeAt(root, edit.into), edit.place) }
      : { ...edit, at: speltPath(root, edit.at) },
  );
}

function speltPath(root: Node, path: Path): Path {
  return path.map((step, i) => spelt(nodeAt(root, path.slice(0, i)), step));
}

function speltPlace(container: Node | undefined, place: InsertPlace): InsertPlace {
  if (place === "end") return place;
  return "after" in place ? { after: spelt(container, place.after) } : { before: spelt(container, place.before) };
}

function spelt(container: Node | undefined, step: string | number): string | number {
  return typeof step === "string" ? (container?.spelling?.(step) ?? step) : step;
}

/** The container's name at each step of a path, as the template's tree has it. `source` tells alike groups apart. */
export function containerNames({ path, steps }: FileActual, source: IdentitySource): string[] {
  const identities = new Map(steps.map((step) => [step.pathIndex, step.identity]));
  const last = steps.at(-1)?.pathIndex;
  const names = [""];
  path.slice(0, -1).forEach((step, i) => {
    const id = typeof step === "string" ? `.${step}` : groupId(identities.get(i) ?? "", i === last ? source : {});
    names.push(names.at(-1) + id);
  });
  return names;
}

/** First those the template names, by their position in it, then the others. */
export function inTemplateOrder(decisions: readonly FileDecision[]): FileDecision[] {
  const wanted = new Array<FileDecision | undefined>(decisions.length);
  const others: FileDecision[] = [];
  for (const decision of decisions) {
    const order = decision.desired?.order;
    if (order === undefined || wanted[order] !== undefined) others.push(decision);
    else wanted[order] = decision;
  }
  return [...wanted.filter((decision) => decision !== undefined), ...others];
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

export type TracesIn = (container: Path) => readonly Trace[];

/**
 * The traces of entries in a container, whoever put them there. A new entry beside them may be the last to go, and then
 * takes along what was made for the first (in TOML, the header of a table that had none).
 */
export function standingTraces(decisions: readonly FileDecision[], { claims }: KnownPlace): TracesIn {
  let known: Map<string, Trace[]> | undefined;
  return (container) => {
    known ??= tracesByContainer(decisions, claims);
    return known.get(pathKey(container)) ?? [];
  };
}

function tracesByContainer(decisions: readonly FileDecision[], claims: readonly FileClaim[]): Map<string, Trace[]> {
  const known = new Map<string, Trace[]>();
  const add = (location: Location, trace: Trace | undefined) => {
    // Positions in lists change; nothing that stands in a list has to be remembered for its neighbours.
    if (trace !== undefined && location.every((step) => typeof step === "string"))
      addTo(known, pathKey(location.slice(0, -1)), trace);
  };
  for (const { recorded, actual } of decisions) if (recorded && actual) add(recorded.location, recorded.trace);
  for (const { location, trace } of claims) add(location, trace as Trace | undefined);
  return known;
}
