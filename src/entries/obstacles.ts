import type { Node } from "../formats/format.ts";
import { nodeOf } from "../formats/plain.ts";
import { type GroupFinder, groupFinder, type ShapeAt } from "./container-tree.ts";
import type { FileDesired, Location } from "./file-entry.ts";

/** What stands in the way of wanted entries: something that is not the container they need. */
export class Obstacles {
  readonly #root: Node;
  /** Whether a container may stand where there is nothing yet: `name:` in YAML. */
  readonly #nullIsEmpty: boolean;
  readonly #shapeAt: ShapeAt;
  /** By list, and by how groups are told apart in it: many entries may belong into one list. */
  readonly #finders = new Map<string, GroupFinder>();

  constructor(root: Node, nullIsEmpty: boolean, shapeAt: ShapeAt) {
    this.#root = root;
    this.#nullIsEmpty = nullIsEmpty;
    this.#shapeAt = shapeAt;
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
    const shapeOf = this.#shapeAt(wanted, depth);
    const shape = shapeOf(nodeOf(fields));
    const name = `${wanted.type} ${depth} ${list.ranges[0]?.start}`;
    const find = this.#finders.get(name) ?? groupFinder(list, shapeOf);
    this.#finders.set(name, find);
    const index = shape && find(shape);
    return index === undefined ? undefined : list.items()[index];
  }
}

function namesUpTo(location: Location, end: number): string {
  return location
    .slice(0, end)
    .filter((name) => typeof name === "string")
    .join(".");
}
