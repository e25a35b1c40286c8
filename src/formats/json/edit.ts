import { isList, isMap, type Value } from "../../core/value.ts";
import { Fault, orFault } from "../fault.ts";
import {
  type ClearEdit,
  containerFinder,
  type Edit,
  type EditResult,
  type InsertEdit,
  type Path,
  type RemoveEdit,
  type SetEdit,
} from "../format.ts";
import { type Splice, splice } from "../splice.ts";
import { ContainerChange, clearContainer, innerOf } from "./container.ts";
import type { JsonNode } from "./node.ts";
import { type JsonPlace, renderJsonValue, renderScalar } from "./render.ts";
import { hasLines, lineIndent, styleAt } from "./style.ts";
import { indentBefore } from "./tokens.ts";

/** All edits as splices, made in one pass. No trace is needed: an insertion's place tells what it brought. */
export function editJson(root: JsonNode, edits: readonly Edit[]): EditResult {
  return orFault("refused", () => {
    const editing = new Editing(root);
    edits.forEach((edit, i) => {
      editing.take(edit, i);
    });
    const result = splice(root.scan.text, editing.splices());
    if (result.kind === "overlap") throw new Fault("two of the changes asked for touch the same place", result.offset);
    return { kind: "edited", text: result.text, traces: new Map(), inners: editing.inners };
  });
}

class Editing {
  readonly inners = new Map<number, string>();
  private readonly root: JsonNode;
  private readonly changes = new Map<JsonNode, ContainerChange>();
  private readonly direct: Splice[] = [];
  private readonly cleared: JsonNode[] = [];
  /** Names that are added, to find those that would then stand twice. */
  private readonly added: { readonly into: JsonNode; readonly name: string }[] = [];

  private readonly containerOf = containerFinder((path) => path.reduce(childAt, this.root));

  constructor(root: JsonNode) {
    this.root = root;
  }

  take(edit: Edit, index: number): void {
    if (edit.kind === "set") this.set(edit);
    else if (edit.kind === "remove") this.remove(edit);
    else if (edit.kind === "clear") this.clear(edit);
    else this.insert(edit, index);
  }

  splices(): Splice[] {
    this.refuseNamesStandingTwice();
    const both = this.cleared.find((node) => this.changes.has(node));
    if (both !== undefined) throw new Fault("this container can't be emptied and changed at once", both.start);
    return [...this.direct, ...[...this.changes.values()].flatMap((change) => change.splices())];
  }

  private set({ at, value, text }: SetEdit): void {
    const node = this.find(at);
    if (node.isAbsent) throw new Fault("the text holds no value to replace", 0);
    this.direct.push({
      start: node.start,
      end: node.end,
      text: text ?? (isMap(value) || isList(value) ? containerText(node, value) : renderScalar(value)),
    });
  }

  private remove({ at }: RemoveEdit): void {
    const node = this.find(at);
    const { parent } = node;
    if (parent === undefined) throw new Fault("the whole document can't be removed as an entry", node.start);
    const step = at.at(-1)!;
    // The earlier entry would come into force unasked, and taking it out too would take out what we were not asked to.
    if (typeof step === "string" && parent.isRepeated(step)) {
      throw new Fault(
        `“${step}” stands twice in this map: delete the one that does not count by hand, then try again`,
        node.entryRanges[0]!.start,
      );
    }
    const { removed } = this.changeOf(parent);
    if (removed.has(node.position)) throw new Fault("this entry is removed twice", node.start);
    removed.add(node.position);
  }

  private clear({ at, inner }: ClearEdit): void {
    const node = this.find(at);
    const cleared = node.kind === "scalar" ? undefined : clearContainer(node, inner);
    if (cleared === undefined) throw new Fault("this can't be emptied: it is not the container it was", node.start);
    this.cleared.push(node);
    this.direct.push(cleared);
  }

  private insert({ into, name, value, place }: InsertEdit, index: number): void {
    const container = this.find(into);
    const needed = name === undefined ? "list" : "map";
    if (container.kind !== needed)
      throw new Fault(
        `an entry can't be added: there is a ${container.kind} where a ${needed} is needed`,
        container.start,
      );
    const members = container.members();
    if (name !== undefined) this.added.push({ into: container, name });
    if (members.length === 0) this.inners.set(index, innerOf(container));
    const order = place === "end" ? 2 : "before" in place ? 1 : 0;
    this.changeOf(container).add(slotOf(container, place), { name, value, order });
  }

  private refuseNamesStandingTwice(): void {
    const names = new Map<JsonNode, Set<string>>();
    for (const { into, name } of this.added) {
      const seen = names.get(into) ?? new Set();
      names.set(into, seen);
      const position = into.positionOf(name);
      const stays = position !== undefined && !this.changes.get(into)?.removed.has(position);
      if (stays || seen.has(name))
        throw new Fault(`“${name}” can't be added: it would stand twice in its map`, into.start);
      seen.add(name);
    }
  }

  private changeOf(container: JsonNode): ContainerChange {
    let change = this.changes.get(container);
    if (change === undefined) {
      change = new ContainerChange(container);
      this.changes.set(container, change);
    }
    return change;
  }

  private find(path: Path): JsonNode {
    return path.length === 0 ? this.root : childAt(this.containerOf(path), path.at(-1)!);
  }
}

function childAt(node: JsonNode, step: string | number): JsonNode {
  const position = node.positionOf(step);
  if (position === undefined)
    throw new Fault(`there is no ${typeof step === "number" ? `position ${step}` : `“${step}”`} here`, node.start);
  return node.child(position);
}

/** A map or list over what stands there: on lines if that has lines or starts one, in its layout or its neighbour's. */
function containerText(node: JsonNode, value: Value): string {
  const ownLines = hasLines(node) || indentBefore(node.scan.text, node.entryRanges[0]!.start) !== undefined;
  const place: JsonPlace = ownLines ? { kind: "lines", indent: lineIndent(node) } : { kind: "within" };
  return renderJsonValue(
    value,
    place,
    styleAt(node.parent ?? node),
    node.members().length > 0 ? node : siblingOf(node),
  );
}

/** A neighbour whose layout a new value can copy. */
function siblingOf(node: JsonNode): JsonNode | undefined {
  const { parent, position } = node;
  if (parent === undefined) return undefined;
  const beside = position > 0 ? position - 1 : position + 1;
  return beside < parent.members().length ? parent.child(beside) : undefined;
}

function slotOf(container: JsonNode, place: InsertEdit["place"]): number {
  if (place === "end") return container.members().length;
  const step = "after" in place ? place.after : place.before;
  const position = container.positionOf(step);
  if (position === undefined)
    throw new Fault(
      `there is no ${typeof step === "number" ? `position ${step}` : `“${step}”`} to stand beside`,
      container.start,
    );
  return "after" in place ? position + 1 : position;
}
