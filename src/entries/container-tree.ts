import { mapOf, type Value, type ValueMap } from "../core/value.ts";
import type { Node, Path } from "../formats/format.ts";
import { nodeOf } from "../formats/plain.ts";
import type { FileDesired } from "./file-entry.ts";

/**
 * What a template wants, as the containers it stands in: the order of siblings, which of them are really there, and what is to be added.
 * Each tree node is one step of some entries' locations.
 */
export class TreeNode {
  readonly parent: TreeNode | undefined;
  /** From the root: `.hooks.SessionStart[*]`. Names containers in the registry. */
  readonly name: string;
  /** The name it has in a map; undefined for an item of a list. */
  readonly step: string | undefined;
  readonly group: Group | undefined;
  /** Where it really stands; undefined while it does not. */
  path: Path | undefined;
  entry: FileDesired | undefined = undefined;
  /** The value to write if the entry is to be added. */
  added: Value | undefined = undefined;
  /** Whether something is to be added here or below. */
  adds = false;
  /** Made with the first: most nodes are entries, which have none. */
  #children: Map<string, TreeNode> | undefined = undefined;

  constructor(parent: TreeNode | undefined, id: string, step?: string, group?: Group) {
    this.parent = parent;
    this.name = (parent?.name ?? "") + id;
    this.step = step;
    this.group = group;
    this.path = parent === undefined ? [] : undefined;
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
  readonly identity: string;
  readonly identityOf: IdentityOf;
}

export type IdentityOf = (group: Node) => string | undefined;

export function newTree(): TreeNode {
  return new TreeNode(undefined, "");
}

/** The node of an entry, with those above it, made where they are new. `identityAt` tells groups of the entry's rule apart. */
export function plant(root: TreeNode, entry: FileDesired, identityAt: (depth: number) => IdentityOf): TreeNode {
  let at = root;
  let depth = 0;
  for (const step of entry.location) {
    if (typeof step === "string") at = at.child(`.${step}`, step);
    else if (step.length === 0) at = at.child(`#${entry.match}`);
    else {
      const identityOf = identityAt(depth++);
      const identity = identityOf(nodeOf(step[0])) ?? "";
      at = at.child(`[${identity}]`, undefined, { fields: step[0], identity, identityOf });
    }
  }
  at.entry = entry;
  return at;
}

/** Find out which containers of the tree are there. Items of lists that are entries are placed by whoever knows their positions. */
export function resolve(tree: TreeNode, real: Node, path: Path): void {
  tree.path = path;
  let groups: Map<string, number> | undefined;
  for (const each of tree.children) {
    if (each.step !== undefined) {
      const found = real.get(each.step);
      if (found) resolve(each, found, [...path, each.step]);
    } else if (each.group) {
      groups ??= groupPositions(real, each.group.identityOf);
      const index = groups.get(each.group.identity);
      if (index !== undefined) resolve(each, real.items()[index]!, [...path, index]);
    }
  }
}

function groupPositions(list: Node, identityOf: IdentityOf): Map<string, number> {
  const positions = new Map<string, number>();
  list.items().forEach((item, index) => {
    const identity = identityOf(item);
    if (identity !== undefined && !positions.has(identity)) positions.set(identity, index);
  });
  return positions;
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
  return mapOf([...Object.entries(tree.group?.fields ?? {}), ...below]);
}

/** All containers that adding this node makes, itself first. */
export function containersMade(tree: TreeNode): TreeNode[] {
  if (tree.entry !== undefined) return [];
  return [tree, ...tree.children.filter((each) => each.adds).flatMap(containersMade)];
}
