import { pushAll } from "../core/lists.ts";
import { writes } from "../core/plan.ts";
import type { ContainerRecord } from "../core/records.ts";
import { equalValues, isList, isMap, type Value } from "../core/value.ts";
import { findMarkers } from "../formats/block/markers.ts";
import type { Document, Edit, InsertEdit, InsertPlace, Node, Path, Range, SetEdit, Trace } from "../formats/format.ts";
import {
  additionOf,
  containersMade,
  holdGroups,
  markAdded,
  newTree,
  plant,
  resolveContainer,
  type ShapeAt,
  sharedName,
  type TreeNode,
} from "./container-tree.ts";
import { containerNames, inTemplateOrder, nodeAt, pathKey, standingTraces, type TracesIn } from "./entry-paths.ts";
import type { FileActual, FileDecision, KnownPlace } from "./file-entry.ts";
import { Removals } from "./removals.ts";

/** The edits that make decisions true, and what each insertion adds: an entry, or a container with entries in it. */
export interface EntryEdits {
  readonly edits: readonly Edit[];
  readonly insertions: ReadonlyMap<number, TreeNode>;
  /** By position of the edit that changes an entry's whole value: the entry's key. */
  readonly replacements: ReadonlyMap<number, string>;
  /** Containers (by name) that these edits take away or put back to how they were found. */
  readonly containersGone: readonly string[];
}

export function entryEdits(
  document: Document,
  decisions: readonly FileDecision[],
  known: KnownPlace,
  shapeAt: ShapeAt,
): EntryEdits {
  const tree = newTree();
  const planted = decisions.some(mayAdd) ? plantAll(tree, decisions, shapeAt) : new Map<FileDecision, TreeNode>();
  if (planted.size > 0) resolveContainer(tree, document.root, []);
  const removed = new Removals(document, known);
  const edits: Edit[] = [];
  const replacements = new Map<number, string>();
  const tracesIn = standingTraces(decisions, known);
  const change = (decision: FileDecision, actual: FileActual) => {
    const { path, value } = actual;
    const text = foundText(decision, actual);
    const changes: Edit[] =
      text === undefined
        ? valueEdits(path, value, decision.outcome.result!)
        : [{ kind: "set", at: path, value: decision.outcome.result!, text }];
    // Not where only fields of it change.
    if (changes[0]?.kind === "set" && changes[0].at === path) {
      replacements.set(edits.length, decision.key);
      const edit = replacing(changes[0], value, decision.recorded?.trace, tracesIn);
      const written = decision.desired?.written;
      edits.push(written === undefined ? edit : { ...edit, written });
    } else pushAll(edits, changes);
  };
  for (const decision of decisions) {
    const at = planted.get(decision);
    const { source } = (decision.recorded ?? decision.desired)!;
    for (const copy of decision.copies) removed.add(copy, source, undefined);
    if (!writes(decision.outcome, decision.actual)) {
      if (at && decision.actual) at.path = decision.actual.path;
    } else if (decision.outcome.result === undefined) {
      if (decision.actual) removed.add(decision.actual, source, decision.recorded?.trace);
    } else if (at && decision.actual && staysIn(at, decision)) {
      at.path = decision.actual.path;
      change(decision, decision.actual);
    } else if (at) {
      if (decision.actual && decision.moved) removed.add(decision.actual, source, decision.recorded?.trace);
      at.path = undefined;
      markAdded(at, decision.outcome.result);
    } else if (decision.actual) change(decision, decision.actual);
  }
  const insertions = insertEdits(tree, { removed, tracesIn, ends: containerEnds(document) });
  pushAll(
    edits,
    insertions.map(([, edit]) => edit),
  );
  const removals = removed.edits(new Set(insertions.map(([, edit]) => pathKey(edit.into))));
  const staying = new Set(removals.containersGone.length > 0 ? namesStaying(decisions, removed, insertions) : []);
  return {
    edits: [...edits, ...removals.edits],
    insertions: new Map(insertions.map(([node], i) => [edits.length - insertions.length + i, node])),
    replacements,
    containersGone: removals.containersGone.filter((name) => !staying.has(name)),
  };
}

/** The names of containers that something of ours still stands in: several groups may have one name. */
function* namesStaying(
  decisions: readonly FileDecision[],
  removed: Removals,
  insertions: readonly (readonly [TreeNode, InsertEdit])[],
): Generator<string, undefined> {
  for (const { actual, outcome, recorded, desired } of decisions)
    if (actual && outcome.record.kind !== "drop" && actual.steps.length > 0 && !removed.has(actual.path))
      for (const name of containerNames(actual, (recorded ?? desired)!.source)) yield* [name, sharedName(name) ?? name];
  for (const [tree] of insertions) yield* ancestorsOf(tree);
}

/** What was found is given back as it was written, unless a person has put a comment there since. */
function foundText({ outcome, recorded }: FileDecision, { comments }: FileActual): string | undefined {
  const found = recorded?.found;
  if (outcome.reason !== "found" || found === undefined || comments.length > 0) return undefined;
  return equalValues(outcome.result, found.value) ? found.text : undefined;
}

/** Where nothing is added, nobody needs to know what stands beside what. */
function mayAdd({ desired, actual, moved, outcome }: FileDecision): boolean {
  return desired !== undefined && outcome.result !== undefined && (actual === undefined || moved);
}

function plantAll(tree: TreeNode, decisions: readonly FileDecision[], shapeAt: ShapeAt): Map<FileDecision, TreeNode> {
  const planted = new Map<FileDecision, TreeNode>();
  for (const decision of inTemplateOrder(decisions)) {
    const { desired } = decision;
    if (desired === undefined) continue;
    const leaf = plant(tree, desired, shapeAt);
    planted.set(decision, leaf);
    if (desired.ofGroup && !decision.actual && decision.outcome.result !== undefined) leaf.parent!.lacksField = true;
    if (decision.actual && holdsGroup(decision)) holdGroups(leaf, decision.actual);
  }
  return planted;
}

/** What others want too may stand in their group, and what is renamed may belong to another. */
function holdsGroup({ recorded, desired, claims, moved }: FileDecision): boolean {
  return recorded?.state === "managed" && claims.length === 0 && (!moved || recorded.group === desired?.group);
}

/** Only what is a container before or after can come to stand elsewhere. */
function replacing(edit: SetEdit, before: Value, trace: Trace | undefined, tracesIn: TracesIn): SetEdit {
  const isContainer = (value: Value) => isMap(value) || isList(value);
  return isContainer(before) || isContainer(edit.value)
    ? { ...edit, trace, beside: tracesIn(edit.at.slice(0, -1)) }
    : edit;
}

/** A renamed entry is changed in place, unless it belongs to another event or group, or has another name. */
function staysIn(at: TreeNode, { actual, moved }: FileDecision): boolean {
  if (!moved) return true;
  const container = at.parent?.path;
  return container !== undefined && at.step === undefined && pathKey(container) === pathKey(actual!.path.slice(0, -1));
}

/** The containers on record after these edits. */
export function containersAfter(
  { insertions, containersGone }: EntryEdits,
  made: { readonly traces: ReadonlyMap<number, Trace>; readonly inners: ReadonlyMap<number, string> },
  known: KnownPlace,
  decisions: readonly FileDecision[],
): Record<string, ContainerRecord> {
  const gone = new Set(containersGone);
  const containers = Object.fromEntries(Object.entries(known.containers).filter(([name]) => !gone.has(name)));
  inherit(containers, known, containersUsed(decisions, insertions));
  for (const [index, tree] of insertions) {
    const inner = made.inners.get(index);
    if (inner !== undefined && tree.parent && !containers[tree.parent.name]) containers[tree.parent.name] = { inner };
    const trace = made.traces.get(index);
    for (const each of containersMade(tree)) {
      const fields = each.group && ownNames(each);
      containers[each.name] = { created: true, ...(fields && { fields }), ...(each === tree && trace && { trace }) };
    }
  }
  return containers;
}

/** The fields that make a group this group. Those that are entries come and go as such. */
function ownNames({ group, children }: TreeNode): string[] {
  const entries = new Set(children.map(({ step }) => step));
  return Object.keys(group?.fields ?? {}).filter((name) => !entries.has(name));
}

/** A container that another owner made is also ours once an entry of ours is in it: the last to leave removes it. */
function inherit(containers: Record<string, ContainerRecord>, { foreignContainers }: KnownPlace, names: Set<string>) {
  if (names.size === 0) return;
  for (const [name, foreign] of Object.entries(foreignContainers)) {
    const shared = name.startsWith("shared ") ? name : (sharedName(name) ?? name);
    if (names.has(shared)) containers[shared] = withFieldsOf(containers[shared] ?? foreign, foreign);
  }
}

/** Several groups of other owners may have one name: the fields that make any of them go with it. */
function withFieldsOf(container: ContainerRecord, alike: ContainerRecord): ContainerRecord {
  const more = alike.created && container.created ? (alike.fields ?? []) : [];
  const fields = new Set([...(container.fields ?? []), ...more]);
  return fields.size === (container.fields?.length ?? 0) ? container : { ...container, fields: [...fields] };
}

/** The containers of entries that other owners want too, and those that something is put into. */
function containersUsed(decisions: readonly FileDecision[], insertions: EntryEdits["insertions"]): Set<string> {
  const shared = decisions.filter(
    ({ claims, actual, outcome }) => claims.length > 0 && actual && outcome.record.kind !== "drop",
  );
  const names = shared.flatMap(({ actual }) => containerNames(actual!, {}));
  for (const tree of insertions.values()) names.push(...ancestorsOf(tree));
  return new Set(names.map((name) => sharedName(name) ?? name));
}

function ancestorsOf(tree: TreeNode): string[] {
  const names: string[] = [];
  for (let at = tree.parent; at; at = at.parent) names.push(at.name);
  return names;
}

/** The smallest edits that turn the value at `path` from `before` into `after`: fields that stay keep their bytes. */
function valueEdits(path: Path, before: Value, after: Value): Edit[] {
  if (equalValues(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ kind: "set", at: path, value: after }];
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const edits: Edit[] = gone.map((name) => ({ kind: "remove", at: [...path, name] }));
  const names = Object.keys(after);
  const first = names.find((name) => Object.hasOwn(before, name));
  let previous: string | undefined;
  for (const name of names) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old !== undefined) {
      pushAll(edits, valueEdits([...path, name], old, after[name]!));
      previous = name;
      continue;
    }
    const place: InsertPlace =
      previous !== undefined ? { after: previous } : first !== undefined ? { before: first } : "end";
    edits.push({ kind: "insert", into: path, name, value: after[name]!, place });
  }
  return edits;
}

/**
 * Where something new goes that has no neighbour: to the end of its container, or behind the last entry outside the
 * blocks that owners have marked as theirs.
 */
function containerEnds({ text, root }: Document): (container: Path) => InsertPlace {
  const blocks = blocksIn(text);
  if (blocks.length === 0) return () => "end";
  return (path) => {
    const children = childrenOf(nodeAt(root, path));
    const isInBlock = (range: Range) => blocks.some((block) => block.start <= range.start && range.end <= block.end);
    const free = children.findLastIndex(([, child]) => !child.entryRanges.some(isInBlock));
    return free === -1 || free === children.length - 1 ? "end" : { after: children[free]![0] };
  };
}

function blocksIn(text: string): Range[] {
  const blocks: Range[] = [];
  const open = new Map<string, number>();
  for (const { kind, owner, start, end } of findMarkers(text)) {
    if (kind === "begin") open.set(owner, start);
    else if (open.has(owner)) blocks.push({ start: open.get(owner)!, end });
  }
  return blocks;
}

function childrenOf(container: Node | undefined): (readonly [string | number, Node])[] {
  if (container?.kind === "list") return container.items().map((item, i) => [i, item] as const);
  return (container?.names() ?? []).map((name) => [name, container!.get(name)!] as const);
}

interface Surroundings {
  readonly removed: Removals;
  readonly tracesIn: TracesIn;
  readonly ends: (container: Path) => InsertPlace;
}

/** A new child goes behind the last sibling that is there, else before the next one. */
function insertEdits(tree: TreeNode, around: Surroundings): [TreeNode, InsertEdit][] {
  if (!tree.adds || tree.path === undefined) return [];
  const { children } = tree;
  const anchors = children.map((each) => anchorOf(each, tree.path!, around.removed));
  const next = nextAnchors(anchors);
  let previous: string | number | undefined;
  let standing: readonly Trace[] | undefined;
  const edits: [TreeNode, InsertEdit][] = [];
  for (const [i, each] of children.entries()) {
    previous = anchors[i] ?? previous;
    if (!each.adds) continue;
    if (each.path !== undefined) {
      pushAll(edits, insertEdits(each, around));
      continue;
    }
    const following = next[i];
    const beside =
      previous !== undefined
        ? { after: previous }
        : following !== undefined
          ? { before: following }
          : around.ends(tree.path);
    const place = each.entry?.position === "end" ? "end" : beside;
    standing ??= around.tracesIn(tree.path);
    const written = each.entry?.written;
    edits.push([
      each,
      { kind: "insert", into: tree.path, name: each.step, value: additionOf(each), place, beside: standing, written },
    ]);
  }
  return edits;
}

/** An entry that others want too may stand in another group than its siblings. */
function anchorOf({ path }: TreeNode, container: Path, removed: Removals): string | number | undefined {
  const isIn = path?.length === container.length + 1 && container.every((step, i) => step === path[i]);
  return isIn && !removed.has(path) ? path.at(-1) : undefined;
}

function nextAnchors(anchors: readonly (string | number | undefined)[]): (string | number | undefined)[] {
  const next: (string | number | undefined)[] = [];
  for (let i = anchors.length - 1, seen: string | number | undefined; i >= 0; i--) {
    next[i] = seen;
    seen = anchors[i] ?? seen;
  }
  return next;
}
