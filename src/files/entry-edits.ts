import { writes } from "../core/plan.ts";
import type { Edit, InsertEdit, Node, Path, Place, Trace } from "../formats/format.ts";
import type { ContainerRecord } from "../store/registry.ts";
import { additionOf, containersMade, type IdentityOf, markAdded, newTree, plant, resolve, type TreeNode } from "./container-tree.ts";
import { valueEdits } from "./entry-values.ts";
import type { FileActual, FileDecision, FileDesired, KnownPlace } from "./reading.ts";

/** The edits that make decisions true, with what each insertion adds: an entry by its key, or a container with entries in it. */
export interface EntryEdits {
  readonly edits: readonly Edit[];
  readonly insertions: ReadonlyMap<number, TreeNode>;
  /** Containers (by name) that these edits take away or put back to how they were found. */
  readonly containersGone: readonly string[];
}

export function entryEdits(
  root: Node,
  decisions: readonly FileDecision[],
  known: KnownPlace,
  identityAt: (entry: FileDesired, depth: number) => IdentityOf,
): EntryEdits {
  const tree = newTree();
  const planted = new Map<FileDecision, TreeNode>();
  for (const decision of templateOrder(decisions)) {
    planted.set(
      decision,
      plant(tree, decision.desired!, (depth) => identityAt(decision.desired!, depth)),
    );
  }
  resolve(tree, root, []);
  const removed = new Removals(root, known);
  const edits: Edit[] = [];
  for (const decision of decisions) {
    const at = planted.get(decision);
    for (const copy of decision.copies) removed.add(copy, undefined);
    if (!writes(decision.outcome, decision.actual)) {
      if (at && decision.actual) at.path = decision.actual.path;
    } else if (decision.outcome.result === undefined) {
      if (decision.actual) removed.add(decision.actual, decision.recorded?.trace);
    } else if (at && decision.actual && staysIn(at, decision)) {
      at.path = decision.actual.path;
      edits.push(...valueEdits(decision.actual.path, decision.actual.value, decision.outcome.result));
    } else if (at) {
      if (decision.actual && decision.moved) removed.add(decision.actual, decision.recorded?.trace);
      at.path = undefined;
      markAdded(at, decision.outcome.result);
    } else if (decision.actual) {
      edits.push(...valueEdits(decision.actual.path, decision.actual.value, decision.outcome.result));
    }
  }
  const insertions = insertEdits(tree, removed);
  edits.push(...insertions.map(([, edit]) => edit));
  const removals = removed.edits(new Set(insertions.map(([, edit]) => pathKey(edit.into))));
  return {
    edits: [...edits, ...removals.edits],
    insertions: new Map(insertions.map(([node], i) => [edits.length - insertions.length + i, node])),
    containersGone: removals.containersGone,
  };
}

/** Decisions with a wish, in the order the template has them: `order` of the evaluation. */
function templateOrder(decisions: readonly FileDecision[]): FileDecision[] {
  return decisions.filter((decision) => decision.desired).sort((a, b) => a.desired!.order - b.desired!.order);
}

/** A renamed entry is changed in place unless its place itself is another: another event, another group, another name. */
function staysIn(at: TreeNode, { actual, moved }: FileDecision): boolean {
  if (!moved) return true;
  const container = at.parent?.path;
  return container !== undefined && at.step === undefined && pathKey(container) === pathKey(actual!.path.slice(0, -1));
}

/** One pass over each container's children: a new one goes behind the last sibling that is there, else before the next. */
function insertEdits(tree: TreeNode, removed: Removals): [TreeNode, InsertEdit][] {
  if (!tree.adds || tree.path === undefined) return [];
  const children = [...tree.children.values()];
  const anchors = children.map((each) => anchorOf(each, removed));
  const next = nextAnchors(anchors);
  let previous: string | number | undefined;
  const edits: [TreeNode, InsertEdit][] = [];
  for (const [i, each] of children.entries()) {
    previous = anchors[i] ?? previous;
    if (!each.adds) continue;
    if (each.path !== undefined) {
      edits.push(...insertEdits(each, removed));
      continue;
    }
    const following = next[i];
    const beside: Place = previous !== undefined ? { after: previous } : following !== undefined ? { before: following } : "end";
    const place = each.entry?.position === "end" ? "end" : beside;
    edits.push([each, { kind: "insert", into: tree.path!, name: each.step, value: additionOf(each), place }]);
  }
  return edits;
}

function anchorOf(tree: TreeNode, removed: Removals): string | number | undefined {
  return tree.path === undefined || removed.has(tree.path) ? undefined : tree.path.at(-1);
}

function nextAnchors(anchors: readonly (string | number | undefined)[]): (string | number | undefined)[] {
  const next: (string | number | undefined)[] = [];
  for (let i = anchors.length - 1, seen: string | number | undefined; i >= 0; i--) {
    next[i] = seen;
    seen = anchors[i] ?? seen;
  }
  return next;
}

/** What goes: entries, and with the last of them the containers that we made for them. */
class Removals {
  readonly #root: Node;
  readonly #known: KnownPlace;
  readonly #entries = new Map<string, { entry: FileActual; trace: Trace | undefined }>();

  constructor(root: Node, known: KnownPlace) {
    this.#root = root;
    this.#known = known;
  }

  add(entry: FileActual, trace: Trace | undefined): void {
    this.#entries.set(pathKey(entry.path), { entry, trace });
  }

  has(path: Path): boolean {
    return this.#entries.has(pathKey(path));
  }

  /** `filled`: containers that something is inserted into, and which therefore stay. */
  edits(filled: ReadonlySet<string>): { edits: Edit[]; containersGone: string[] } {
    const gone = new Map<string, Gone>();
    for (const { entry, trace } of this.#entries.values())
      gone.set(pathKey(entry.path), { path: entry.path, names: containerNames(entry), trace });
    const containersGone: string[] = [];
    const edits: Edit[] = [];
    for (let depth = Math.max(0, ...[...gone.values()].map((each) => each.path.length)); depth > 0; depth--) {
      for (const [parent, children] of byParent(gone, depth)) {
        const emptied = this.#emptied(parent, children, filled);
        if (!emptied) continue;
        for (const each of children) gone.delete(pathKey(each.path));
        containersGone.push(emptied.name);
        if (emptied.edit) edits.push(emptied.edit);
        else gone.set(parent, { path: children[0]!.path.slice(0, -1), names: children[0]!.names.slice(0, -1), trace: emptied.trace });
      }
    }
    for (const each of gone.values()) edits.push({ kind: "remove", at: each.path, trace: each.trace });
    return { edits, containersGone };
  }

  /** What becomes of a container when these children go; undefined where something else is in it, or it is not ours to change. */
  #emptied(
    parent: string,
    children: readonly Gone[],
    filled: ReadonlySet<string>,
  ): { name: string; edit?: Edit; trace?: Trace | undefined } | undefined {
    const path = children[0]!.path.slice(0, -1);
    const name = children[0]!.names.at(-1)!;
    const record: ContainerRecord | undefined = this.#known.containers[name];
    if (record === undefined || filled.has(parent)) return undefined;
    const container = nodeAt(this.#root, path);
    if (container === undefined || foreignContent(container, children, record.fields ?? []) || container.comments().length > 0)
      return undefined;
    if (record.created && path.length > 0) return { name, trace: record.trace as Trace | undefined };
    return record.inner === undefined ? undefined : { name, edit: { kind: "clear", at: path, inner: record.inner } };
  }
}

interface Gone {
  readonly path: Path;
  /** The names of the containers around it, outermost first: one for each step of the path. */
  readonly names: readonly string[];
  readonly trace: Trace | undefined;
}

function byParent(gone: ReadonlyMap<string, Gone>, depth: number): Map<string, Gone[]> {
  const groups = new Map<string, Gone[]>();
  for (const each of gone.values()) {
    if (each.path.length !== depth) continue;
    const parent = pathKey(each.path.slice(0, -1));
    groups.set(parent, [...(groups.get(parent) ?? []), each]);
  }
  return groups;
}

/** Whether anything but these children is in a container. The fields that make a group of ours are part of it, not content. */
function foreignContent(container: Node, children: readonly Gone[], own: readonly string[]): boolean {
  if (container.kind === "list") return container.items().length > children.length;
  const going = new Set<string | number | undefined>([...children.map((each) => each.path.at(-1)), ...own]);
  return container.names().some((name) => !going.has(name));
}

export function nodeAt(root: Node, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, step) => (typeof step === "string" ? node?.get(step) : node?.items()[step]), root);
}

/** The container's name at each step of an entry's path, as the tree of a template would call it. */
export function containerNames(entry: FileActual): string[] {
  const identities = new Map(entry.steps.map((step) => [step.pathIndex, step.identity]));
  const names = [""];
  entry.path.slice(0, -1).forEach((step, i) => {
    names.push(`${names.at(-1)}${typeof step === "string" ? `.${step}` : `[${identities.get(i) ?? ""}]`}`);
  });
  return names;
}

export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** The containers on record after these edits: new ones with what removing them needs to know, and without those that went. */
export function containersAfter(
  { insertions, containersGone }: EntryEdits,
  made: { readonly traces: ReadonlyMap<number, Trace>; readonly inners: ReadonlyMap<number, string> },
  known: KnownPlace,
  decisions: readonly FileDecision[],
): Record<string, ContainerRecord> {
  const gone = new Set(containersGone);
  const containers = Object.fromEntries(Object.entries(known.containers).filter(([name]) => !gone.has(name)));
  inherit(containers, known, sharedContainers(decisions));
  for (const [index, tree] of insertions) {
    inherit(containers, known, ancestorsOf(tree));
    const inner = made.inners.get(index);
    if (inner !== undefined && tree.parent && !containers[tree.parent.name]) containers[tree.parent.name] = { inner };
    const trace = made.traces.get(index);
    for (const each of containersMade(tree)) {
      const fields = each.group && Object.keys(each.group.fields);
      containers[each.name] = { created: true, ...(fields && { fields }), ...(each === tree && trace && { trace }) };
    }
  }
  return containers;
}

/** What another owner made is ours as much once an entry of ours stands in it: the last to leave takes it away. */
function inherit(containers: Record<string, ContainerRecord>, known: KnownPlace, names: Iterable<string>): void {
  for (const name of names) {
    const foreign = known.foreignContainers[name];
    if (foreign && !containers[name]) containers[name] = foreign;
  }
}

function sharedContainers(decisions: readonly FileDecision[]): Set<string> {
  const shared = decisions.filter(({ claims, actual, outcome }) => claims.length > 0 && actual && outcome.record.kind !== "drop");
  return new Set(shared.flatMap(({ actual }) => containerNames(actual!)));
}

function ancestorsOf(tree: TreeNode): string[] {
  const names: string[] = [];
  for (let at = tree.parent; at; at = at.parent) names.push(at.name);
  return names;
}
