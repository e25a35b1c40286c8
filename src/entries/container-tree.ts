import { addTo } from "../core/lists.ts";
import { equalValues, mapOf, type Value, type ValueMap } from "../core/value.ts";
import { type Node, nodeOf, type Path } from "../formats/format.ts";
import { type GroupShape, numberInSource } from "../identity/rules/groups.ts";
import type { IdentitySource } from "../identity/rules/identify.ts";
import type { FileActual, FileDesired } from "./file-entry.ts";

/**
 * What a template wants, as a tree of containers: which of them are there, in what order, and what is to be added. Each
 * node is one step of some entries' locations.
 */
export class TreeNode {
  readonly parent: TreeNode | undefined;
  readonly #id: string;
  /** The name it has in a map; undefined for an item of a list. */
  readonly step: string | undefined;
  readonly group: Group | undefined;
  /** Where it really stands; undefined while it does not. */
  path: Path | undefined;
  entry: FileDesired | undefined = undefined;
  /** Of a group: its position in the list, where an entry of ours stands in it. */
  held: number | undefined = undefined;
  /** Of a group: a field of it is to be added, so no group that has all its fields is the one. */
  lacksField = false;
  /** The value to write if the entry is to be added. */
  added: Value | undefined = undefined;
  /** Whether something is to be added here or below. */
  adds = false;
  /** Made with the first: most nodes are entries, which have none. */
  #children: Map<string, TreeNode> | undefined = undefined;

  constructor(parent: TreeNode | undefined, id: string, step?: string, group?: Group) {
    this.parent = parent;
    this.#id = id;
    this.step = step;
    this.group = group;
    this.path = parent === undefined ? [] : undefined;
  }

  /** From the root: `.hooks.SessionStart[*]`. Names containers in the registry. */
  get name(): string {
    return (this.parent?.name ?? "") + this.#id;
  }

  /** In the order the template names them. */
  get children(): readonly TreeNode[] {
    return this.#children === undefined ? [] : [...this.#children.values()];
  }

  child(id: string, step?: string, group?: Group): TreeNode {
    this.#children ??= new Map();
    let known = this.#children.get(id);
    if (known === undefined) {
      known = new TreeNode(this, id, step, group);
      this.#children.set(id, known);
    }
    return known;
  }
}

/** What makes a group in a list this group, and its own fields. */
interface Group {
  readonly fields: ValueMap;
  readonly shape: GroupShape;
  readonly shapeOf: ShapeOf;
}

export type ShapeOf = (group: Node) => GroupShape | undefined;
/** How the groups of an entry's rule are told apart, by how deep they stand in each other. */
export type ShapeAt = (entry: Pick<FileDesired, "type">, depth: number) => ShapeOf;

const noShape: GroupShape = { identity: "", extras: {} };

export function newTree(): TreeNode {
  return new TreeNode(undefined, "");
}

/** The node of an entry, with those above it, made where they are new. */
export function plant(root: TreeNode, entry: FileDesired, shapeAt: ShapeAt): TreeNode {
  let at = root;
  let depth = 0;
  const last = entry.location.findLastIndex((step) => typeof step !== "string" && step.length > 0);
  entry.location.forEach((step, i) => {
    if (typeof step === "string") at = at.child(`.${step}`, step);
    else if (step.length === 0) at = at.child(`#${entry.match}`);
    else {
      const shapeOf = shapeAt(entry, depth++);
      const shape = shapeOf(nodeOf(step[0])) ?? noShape;
      const id = groupId(shape.identity, i === last ? entry.source : {});
      at = at.child(id, undefined, { fields: step[0], shape, shapeOf });
    }
  });
  at.entry = entry;
  return at;
}

/** How a group is called in the name of a container. */
export function groupId(identity: string, source: IdentitySource): string {
  const number = source[numberInSource];
  return number === undefined ? `[${identity}]` : `[${identity}]${number}`;
}

/**
 * The name of a container in a group that another owner made. Owners number alike groups each by its own template, so
 * the number is left out; undefined for a container in no group.
 */
export function sharedName(name: string): string | undefined {
  return name.includes("[") ? `shared ${name.replace(/\]\d+(?=[.[]|$)/g, "]")}` : undefined;
}

/** The name of the innermost group that an entry stands in; undefined where it stands in none. */
export function groupOf(
  entry: Pick<FileDesired, "type" | "location" | "source">,
  shapeAt: ShapeAt,
): string | undefined {
  const last = entry.location.findLastIndex((step) => typeof step !== "string" && step.length > 0);
  if (last === -1) return undefined;
  let depth = 0;
  const names = entry.location.slice(0, last + 1).map((step, i) => {
    if (typeof step === "string") return `.${step}`;
    const shape = step[0] && shapeAt(entry, depth++)(nodeOf(step[0]));
    return groupId(shape?.identity ?? "", i === last ? entry.source : {});
  });
  return names.join("");
}

/** Finds which containers of the tree are there. Items that are entries are placed by whoever knows their positions. */
export function resolveContainer(tree: TreeNode, real: Node, path: Path): void {
  tree.path = path;
  let find: GroupFinder | undefined;
  const held = new Set(tree.children.flatMap((each) => each.held ?? []));
  for (const each of tree.children) {
    if (each.step !== undefined) {
      const found = real.get(each.step);
      if (found) resolveContainer(each, found, [...path, each.step]);
    } else if (each.group) {
      find ??= groupFinder(real, each.group.shapeOf);
      const index =
        each.held ?? (each.lacksField ? undefined : find(each.group.shape, (position) => held.has(position)));
      if (index !== undefined) resolveContainer(each, real.items()[index]!, [...path, index]);
    }
  }
}

/** `isTaken`: which positions are another group's. */
export type GroupFinder = (shape: GroupShape, isTaken?: (position: number) => boolean) => number | undefined;

/** Finds the first group of a list that says the same as another: ours go into no group that differs in anything. */
export function groupFinder(list: Node, shapeOf: ShapeOf): GroupFinder {
  const groups = new Map<string, { readonly index: number; readonly extras: ValueMap }[]>();
  list.items().forEach((item, index) => {
    const shape = shapeOf(item);
    if (shape !== undefined) addTo(groups, shape.identity, { index, extras: shape.extras });
  });
  return ({ identity, extras }, isTaken = () => false) =>
    groups.get(identity)?.find((group) => equalValues(group.extras, extras) && !isTaken(group.index))?.index;
}

/** Where an entry of ours stands, its group is: what the user changed in that group does not make it another. */
export function holdGroups(leaf: TreeNode, { path, steps }: FileActual): void {
  let depth = steps.length;
  for (let at: TreeNode | undefined = leaf; at; at = at.parent) {
    if (at.group === undefined) continue;
    const step = steps[--depth];
    if (step === undefined) return;
    if (step.identity === at.group.shape.identity) at.held ??= path[step.pathIndex] as number;
  }
}

export function markAdded(tree: TreeNode, value: Value): void {
  tree.added = value;
  for (let at: TreeNode | undefined = tree; at && !at.adds; at = at.parent) at.adds = true;
}

/** The value that adding this node means: the entry's own, or the container with all that is to be added below. */
export function additionOf(tree: TreeNode): Value {
  if (tree.added !== undefined) return tree.added;
  const children = tree.children.filter((each) => each.adds);
  if (children.some((each) => each.step === undefined)) return children.map(additionOf);
  const below = children.map((each) => [each.step!, additionOf(each)] as const);
  const entries = new Set(tree.children.map((each) => each.step));
  const fields = Object.entries(tree.group?.fields ?? {}).filter(([name]) => !entries.has(name));
  return inOrderOf(tree.group?.fields, mapOf([...fields, ...below]));
}

/** The fields of a group as its template has them, whichever of them are entries of their own. */
function inOrderOf(template: ValueMap | undefined, added: ValueMap): ValueMap {
  if (template === undefined) return added;
  const named = Object.keys(template).filter((name) => Object.hasOwn(added, name));
  const others = Object.keys(added).filter((name) => !Object.hasOwn(template, name));
  return mapOf([...named, ...others].map((name) => [name, added[name]!]));
}

/** All containers that adding this node makes, itself first. */
export function containersMade(tree: TreeNode): TreeNode[] {
  if (tree.entry !== undefined) return [];
  return [tree, ...tree.children.filter((each) => each.adds).flatMap(containersMade)];
}
