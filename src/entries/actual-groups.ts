import { equalValues, type Value } from "../core/value.ts";
import { type Node, nodeOf, type Path } from "../formats/format.ts";
import type { GroupStep } from "../identity/rules/identify.ts";
import { groupFinder, type ShapeAt } from "./container-tree.ts";
import { nodeAt, pathKey } from "./entry-paths.ts";
import type { FileActual, FileDesired, FileRecorded } from "./file-entry.ts";

interface Standing {
  readonly path: Path;
  readonly steps: readonly GroupStep[];
  /** The entry there is another owner's too: the group is left to it, as ours go into one of their own. */
  readonly isLeft: boolean;
}

export interface SoughtEntries {
  readonly desired: readonly FileDesired[];
  readonly recorded: readonly FileRecorded[];
  /** By identity: what other owners want too. */
  readonly claimed?: ReadonlySet<string> | undefined;
}

/** The groups of a file that ours stand in, or would: their fields are entries of their own. */
export class ActualGroups {
  readonly #root: Node;
  readonly #actual: readonly FileActual[];
  readonly #shapeAt: ShapeAt;
  /** By group: the entries that are ours, wanted or on record. */
  readonly #members = new Map<string, Set<string>>();
  /** By group: where those on record stand. */
  readonly #held = new Map<string, Standing[]>();
  /** By group: its fields on record, or else as they are wanted. */
  readonly #fields = new Map<string, Map<string, Value>>();
  /** By identity: the fields on record. */
  readonly #recorded = new Map<string, Value>();
  /** One field is one entry. */
  readonly #taken = new Set<string>();

  constructor(
    root: Node,
    actual: readonly FileActual[],
    { desired, recorded, claimed }: SoughtEntries,
    shapeAt: ShapeAt,
  ) {
    this.#root = root;
    this.#shapeAt = shapeAt;
    const isOfGroup = ({ ofGroup }: FileDesired | FileRecorded) => ofGroup === true;
    const hasFields = desired.some(isOfGroup) || recorded.some(isOfGroup);
    // Fields are added to them while they are sought.
    this.#actual = hasFields ? [...actual] : [];
    if (!hasFields) return;
    for (const { group, match, ofGroup, location, value } of [...desired, ...recorded]) {
      if (group === undefined) continue;
      if (ofGroup) {
        this.#fields.set(group, (this.#fields.get(group) ?? new Map()).set(String(location.at(-1)), value));
        continue;
      }
      this.#members.set(group, (this.#members.get(group) ?? new Set()).add(match));
    }
    const wanted = new Set(desired.map(({ match }) => match));
    const there = new Map(actual.toReversed().map((entry) => [entry.match, entry]));
    const growing = new Set(
      desired.flatMap(({ group, match, ofGroup }) => (ofGroup || there.has(match) ? [] : [group])),
    );
    for (const { group, match, ofGroup, state, value } of recorded) {
      if (ofGroup) this.#recorded.set(match, value);
      const { path, steps } = there.get(match) ?? {};
      const step = steps?.at(-1);
      if (group === undefined || ofGroup || state !== "managed" || !path || !step) continue;
      this.#held.set(group, [
        ...(this.#held.get(group) ?? []),
        {
          path: path.slice(0, step.pathIndex + 1),
          steps: steps!,
          isLeft: claimed?.has(match) === true && (!wanted.has(match) || growing.has(group)),
        },
      ]);
    }
  }

  /** The field where it stands: in a group with an entry of ours, else in one that says all the template's says. */
  takeField(wanted: FileDesired | FileRecorded): { path: Path; steps: readonly GroupStep[]; node: Node } | undefined {
    const name = wanted.location.at(-1) as string;
    // A new field has no place in a group that we are about to leave to others.
    const held = this.#ownFirst(wanted).filter(({ isLeft }) => !isLeft || this.#recorded.has(wanted.match));
    const found = (held.length > 0 ? held : this.#alike(wanted)).flatMap(({ path, steps }) => {
      const node = nodeAt(this.#root, [...path, name]);
      return node && !this.#taken.has(pathKey([...path, name])) ? [{ path: [...path, name], steps, node }] : [];
    });
    const known = this.#recorded.get(wanted.match) ?? wanted.value;
    const field = found.find(({ node }) => equalValues(node.value(), known)) ?? found[0];
    if (field) this.#taken.add(pathKey(field.path));
    return field;
  }

  /**
   * Where entries of the field's group stand. A group may be another owner's: the one most like ours comes first, and
   * of several the last, since new groups are put behind.
   */
  #ownFirst(wanted: FileDesired | FileRecorded): readonly Standing[] {
    const held = this.#held.get(wanted.group ?? "") ?? [];
    if (held.length < 2) return held;
    const own = this.#fields.get(wanted.group ?? "") ?? new Map<string, Value>();
    const strange = ({ path }: Standing) => {
      const group = nodeAt(this.#root, path);
      const names = new Set([...(group?.names() ?? []), ...own.keys()]);
      return [...names].filter((name) => !equalValues(group?.get(name)?.value(), own.get(name))).length;
    };
    const position = ({ path }: Standing) => Number(path.at(-1));
    return held.toSorted((a, b) => strange(a) - strange(b) || position(b) - position(a));
  }

  /** Why the field can't be put into its group: somebody else's entries stand there too. One line for a person. */
  shared(wanted: FileDesired): string | undefined {
    const held = (this.#held.get(wanted.group ?? "") ?? []).filter(({ isLeft }) => !isLeft);
    const others = held.map((group) => this.#foreignEntry(group, wanted));
    const [first] = others;
    if (first === undefined || others.includes(undefined)) return undefined;
    const name = wanted.location.at(-1) as string;
    return `its group also holds ${first.key}, which ${name} would change; put one of them into a group of its own`;
  }

  #foreignEntry({ path: group }: Standing, wanted: FileDesired): FileActual | undefined {
    const members = this.#members.get(wanted.group ?? "");
    return this.#actual.find(({ path, match }) => group.every((step, i) => path[i] === step) && !members?.has(match));
  }

  #alike(wanted: FileDesired | FileRecorded): Standing[] {
    const taken = new Set([...this.#held.values()].flat().map((group) => pathKey(group.path)));
    const path: (string | number)[] = [];
    const steps: GroupStep[] = [];
    for (const step of wanted.location.slice(0, -1)) {
      const node = nodeAt(this.#root, path);
      if (typeof step === "string") path.push(step);
      else {
        const shapeOf = this.#shapeAt(wanted, steps.length);
        const shape = step[0] && shapeOf(nodeOf(step[0]));
        const index =
          node?.kind === "list" && shape
            ? groupFinder(node, shapeOf)(shape, (at) => taken.has(pathKey([...path, at])))
            : undefined;
        if (index === undefined || !shape) return [];
        steps.push({ depth: steps.length, pathIndex: path.length, identity: shape.identity });
        path.push(index);
      }
    }
    return [{ path, steps, isLeft: false }];
  }
}
