import type { Value } from "../core/value.ts";
import { type Node, nodeOf, type Path } from "../formats/format.ts";
import type { PathContext } from "../identity/paths/path-context.ts";
import { type GroupStep, identifyUnderRules, settingFinder } from "../identity/rules/identify.ts";
import { settingType } from "../identity/rules/keys.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";
import { ActualGroups, type SoughtEntries } from "./actual-groups.ts";
import { type GroupFinder, groupFinder, type ShapeAt } from "./container-tree.ts";
import type { FileActual, FileDesired, FileRecorded, Location } from "./file-entry.ts";

/** How the entries of a document are told apart and compared. */
export interface EntryReading {
  readonly rules: CompiledRules;
  readonly context: PathContext;
  readonly shapeAt: ConstructorParameters<typeof Obstacles>[2];
  /** Whether a container may stand where there is nothing yet: `name:` in YAML. */
  readonly isNullEmpty: boolean;
  readonly normaliser: Normaliser;
}

/** The entries of a document that rules know or that are sought, and what is in the way of those that are missing. */
export function observeEntries(
  root: Node,
  sought: SoughtEntries,
  { rules, context, shapeAt, isNullEmpty, normaliser }: EntryReading,
): { readonly actual: readonly FileActual[]; readonly blocked: ReadonlyMap<string, string> } {
  const { desired, recorded } = sought;
  const actual = identifyUnderRules(root, rules, context).map(
    (entry): FileActual => new ActualEntry(entry, entry, normaliser),
  );
  const there = new Set(actual.map((entry) => entry.match));
  const blocked = new Map<string, string>();
  const obstacles = new Obstacles(root, isNullEmpty, shapeAt);
  const find = settingFinder(root);
  const asked = new Set<string>();
  const seek = (wanted: FileDesired | FileRecorded): boolean => {
    // Added and asked at once: there may be many.
    if (asked.size === asked.add(wanted.match).size) return true;
    const found = find(wanted.location as readonly string[]);
    if (found === undefined) return false;
    actual.push(new ActualEntry(wanted, { path: wanted.location as Path, steps: noSteps, node: found }, normaliser));
    return true;
  };
  const groups = new ActualGroups(root, actual, sought, shapeAt);
  const seekField = (wanted: FileDesired | FileRecorded): boolean => {
    if (asked.size === asked.add(wanted.match).size) return true;
    const found = groups.takeField(wanted);
    if (found) actual.push(new ActualEntry(wanted, found, normaliser));
    return found !== undefined;
  };
  const isThere = (wanted: FileDesired) =>
    wanted.ofGroup ? seekField(wanted) : wanted.type === settingType ? seek(wanted) : there.has(wanted.match);
  for (const wanted of desired) {
    const obstacle = isThere(wanted)
      ? undefined
      : (obstacles.before(wanted) ?? (wanted.ofGroup && groups.shared(wanted)));
    if (obstacle) blocked.set(wanted.match, obstacle);
  }
  for (const known of recorded) {
    if (known.ofGroup) seekField(known);
    else if (known.type === settingType) seek(known);
  }
  return { actual, blocked };
}

const noSteps: readonly GroupStep[] = [];

/** What makes spellings equal that do not matter. */
interface Normaliser {
  normalise(type: string, value: Value): Value;
}

/** An entry in a file. Values are read when asked for: of most entries only the key matters. */
class ActualEntry implements FileActual {
  readonly key: string;
  readonly match: string;
  readonly pair: string | undefined;
  readonly type: string;
  readonly path: Path;
  readonly steps: readonly GroupStep[];
  readonly node: Node;
  readonly joining = "fields";
  readonly #reading: Normaliser;
  #value: Value | undefined;
  #normal: Value | undefined;

  constructor(
    keys: Pick<FileActual, "key" | "match" | "pair" | "type">,
    at: Pick<FileActual, "path" | "steps" | "node">,
    reading: Normaliser,
  ) {
    this.key = keys.key;
    this.match = keys.match;
    this.pair = keys.pair;
    this.type = keys.type;
    this.path = at.path;
    this.steps = at.steps;
    this.node = at.node;
    this.#reading = reading;
  }

  get value(): Value {
    this.#value ??= this.node.value();
    return this.#value;
  }

  get normal(): Value {
    this.#normal ??= this.#reading.normalise(this.type, this.value);
    return this.#normal;
  }

  get comments(): ReturnType<Node["comments"]> {
    return this.node.comments();
  }

  get locked(): string | undefined {
    return this.node.locked();
  }

  get fixed(): string | undefined {
    return this.node.fixed();
  }
}

/** What stands in the way of wanted entries: something that is not the container they need. */
class Obstacles {
  readonly #root: Node;
  /** Whether a container may stand where there is nothing yet: `name:` in YAML. */
  readonly #nullIsEmpty: boolean;
  readonly #shapeAt: ShapeAt;
  /** By list, and by how groups are told apart in it: many entries may belong in one list. */
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
      // A file with nothing in it is read as an empty map, and may become a list as well.
      const isVacant = i === 0 && node.ranges.every(({ start, end }) => start === end);
      const isNull = node.kind === "scalar" && this.#nullIsEmpty && node.value() === null;
      if (node.kind !== needed && !isVacant && !isNull) {
        const held = node.kind === "scalar" ? "single value" : node.kind;
        return `${i === 0 ? "the file" : namesUpTo(wanted.location, i)} holds a ${held} where a ${needed} is needed; change it by hand`;
      }
      const locked = node.locked();
      if (locked) return locked;
      node = typeof step === "string" ? node.get(step) : this.#group(node, step, wanted, depth++);
      if (node === undefined) return undefined;
    }
    return undefined;
  }

  /** The group of a list that an entry belongs in, if it is there. */
  #group(
    list: Node,
    [fields]: Exclude<Location[number], string>,
    wanted: FileDesired,
    depth: number,
  ): Node | undefined {
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
