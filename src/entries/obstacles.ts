import type { Node } from "../formats/format.ts";
import { nodeOf } from "../formats/plain.ts";
import type { IdentityOf } from "./container-tree.ts";
import type { FileDesired, Location } from "./file-entry.ts";

/** What stands in the way of wanted entries: something that is not the container they need. */
export class Obstacles {
  readonly #root: Node;
  /** Whether a container may stand where there is nothing yet: `name:` in YAML. */
  readonly #nullIsEmpty: boolean;
  readonly #identityAt: (entry: FileDesired, depth: number) => IdentityOf;
  /** By list, and by how groups are told apart in it: many entries may belong into one list. */
  readonly #groups = new Map<string, ReadonlyMap<string, Node>>();

  constructor(root: Node, nullIsEmpty: boolean, identityAt: (entry: FileDesired, depth: number) => IdentityOf) {
    this.#root = root;
    this.#nullIsEmpty = nullIsEmpty;
    this.#identityAt = identityAt;
  }

  /** One line for a person; undefined where the way is free. */
  before(wanted: FileDesired): string | undefined {
    let node: Node | undefined = this.#root;
    let depth = 0;
    for (const [i, step] of wanted.location.entries()) {
      const needed = typeof step === "string" ? "map" : "list";
      const isEmpty = node.kind === "scalar" && this.#nullIsEmpty && node.value() === null;
      if (node.kind !== needed && !isEmpty) {
        const held = node.kind === "scalar" ? "single value" : node.kind;
        return `${namesUpTo(wanted.location, i)} holds a ${held} where a ${needed} is needed; change it by hand`;
      }
      const locked = node.locked();
      if (locked) return locked;
      node = typeof step === "string" ? node.get(step) : this.#group(node, step, wanted, depth++);
      if (node === undefined) return undefined;
    }
    return undefined;
  }

  /** The group of a list that an entry belongs into, if it is there. */
  #group(list: Node, [fields]: Exclude<Location[number], string>, wanted: FileDesired, depth: number): Node | undefined {
    if (fields === undefined) return undefined;
    const identityOf = this.#identityAt(wanted, depth);
    const name = `${wanted.type} ${depth} ${list.ranges[0]?.start}`;
    const groups = this.#groups.get(name) ?? groupsIn(list, identityOf);
    this.#groups.set(name, groups);
    return groups.get(identityOf(nodeOf(fields)) ?? "");
  }
}

function groupsIn(list: Node, identityOf: IdentityOf): Map<string, Node> {
  const groups = new Map<string, Node>();
  for (const item of list.items()) {
    const identity = identityOf(item);
    if (identity !== undefined && !groups.has(identity)) groups.set(identity, item);
  }
  return groups;
}

function namesUpTo(location: Location, end: number): string {
  return location
    .slice(0, end)
    .filter((name) => typeof name === "string")
    .join(".");
}
