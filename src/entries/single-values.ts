import type { ContainerRecord } from "../core/records.ts";
import type { Value } from "../core/value.ts";
import type { Document, Edit, Node, Path } from "../formats/format.ts";
import type { CompiledRules } from "../identity/rules/rule.ts";
import { nodeAt, pathKey } from "./entry-paths.ts";

/**
 * Lists that a runtime also takes as a single value (`read: CONVENTIONS.md`). Everywhere else such a value is a list of
 * one. It becomes a list when something is added, and a single value again when that has gone.
 */
export class SingleValues {
  readonly #paths: readonly (readonly string[])[];

  constructor({ rules }: CompiledRules) {
    this.#paths = rules.flatMap(({ single, at }) =>
      single ? [at.flatMap((step) => (step.kind === "name" ? [step.name] : []))] : [],
    );
  }

  /** The nodes with every such value as a list. */
  view(root: Node): Node {
    return this.#paths.reduce((node, path) => (isSingle(nodeAt(root, path)) ? withList(node, path) : node), root);
  }

  /**
   * Edits of the view as edits of the document, each with the position of its original, and the changes to the
   * containers on record.
   */
  translate(
    document: Document,
    edits: readonly Edit[],
    containers: Readonly<Record<string, ContainerRecord>>,
  ): Translated {
    const translated: Translated = {
      edits: edits.map((edit, position) => ({ edit, position })),
      containers: new Map(),
    };
    for (const path of this.#paths) {
      const node = nodeAt(document.root, path);
      const own = translated.edits.filter(({ edit }) => isWithin(edit, path));
      if (node === undefined || own.length === 0) continue;
      const name = path.map((step) => `.${step}`).join("");
      if (isSingle(node)) becomeList({ document, node, path, name }, own, translated);
      else if (containers[name]?.single !== undefined)
        becomeSingle({ document, node, path, name }, containers[name].single, own, translated);
    }
    return translated;
  }
}

interface Placed {
  readonly edit: Edit;
  readonly position: number;
}

interface Translated {
  edits: readonly Placed[];
  /** By name: what to put on record, or undefined where nothing stays on record. */
  readonly containers: Map<string, ContainerRecord | undefined>;
}

interface Spot {
  readonly document: Document;
  readonly node: Node;
  readonly path: Path;
  readonly name: string;
}

function isSingle(node: Node | undefined): boolean {
  return node?.kind === "scalar" && node.value() !== null;
}

/** Whether an edit adds, changes or takes out an item of the list. */
function isWithin(edit: Edit, path: Path): boolean {
  const around = edit.kind === "insert" ? edit.into : edit.kind === "clear" ? edit.at : edit.at.slice(0, -1);
  return pathKey(around) === pathKey(path);
}

function becomeList({ document, node, path, name }: Spot, own: readonly Placed[], translated: Translated): void {
  const [first] = own;
  let kept: readonly Value[] = [node.value()];
  const [before, behind]: [Value[], Value[]] = [[], []];
  for (const { edit } of own) {
    if (edit.kind === "insert") (edit.place !== "end" && "before" in edit.place ? before : behind).push(edit.value);
    else kept = edit.kind === "set" ? [edit.value] : [];
  }
  const items = [...before, ...kept, ...behind];
  const edit: Edit =
    items.length === 0
      ? { kind: "remove", at: path }
      : { kind: "set", at: path, value: before.length + behind.length === 0 ? items[0]! : items };
  replace(translated, own, { edit, position: first!.position });
  const { start, end } = node.ranges[0]!;
  if (items.length > 1) translated.containers.set(name, { single: document.text.slice(start, end) });
}

/** Only where one item is left, and nobody wrote a comment beside it. */
function becomeSingle(
  { document, node, path, name }: Spot,
  found: string,
  own: readonly Placed[],
  translated: Translated,
) {
  const gone = new Set(own.map(({ edit }) => (edit.kind === "remove" ? edit.at.at(-1) : undefined)));
  const [left, ...others] = node.items().filter((_, i) => !gone.has(i));
  if (gone.has(undefined) || left === undefined || others.length > 0 || node.comments().length > 0) return;
  const { start, end } = left.ranges[0]!;
  const written = document.text.slice(start, end);
  // Between brackets more texts need quotes: as it was found, if it still says that.
  const text = spells(found, written) ? found : written;
  replace(translated, own, { edit: { kind: "set", at: path, value: left.value(), text }, position: own[0]!.position });
  translated.containers.set(name, undefined);
}

function spells(found: string, written: string): boolean {
  const bare = (text: string) => text.replace(/^(['"])(.*)\1$/s, "$2");
  return bare(found) === bare(written);
}

function replace(translated: Translated, own: readonly Placed[], by: Placed): void {
  const [first, ...rest] = own;
  translated.edits = translated.edits.flatMap((each) => (each === first ? [by] : rest.includes(each) ? [] : [each]));
}

/** A node that has a list where the text has a single value. */
function withList(node: Node, [name, ...rest]: readonly string[]): Node {
  if (name === undefined)
    return delegate(node, { kind: "list", value: () => [node.value()], items: () => [itemOf(node)] });
  return delegate(node, {
    get: (other) => {
      const child = node.get(other);
      return child && other === name ? withList(child, rest) : child;
    },
  });
}

function itemOf(node: Node): Node {
  return delegate(node, {
    get entryRanges() {
      return node.ranges;
    },
  });
}

function delegate(node: Node, own: Partial<Node>): Node {
  const whole: Node = {
    kind: node.kind,
    get ranges() {
      return node.ranges;
    },
    get entryRanges() {
      return node.entryRanges;
    },
    value: () => node.value(),
    get: (name) => node.get(name),
    ...(node.spelling && { spelling: (name: string) => node.spelling!(name) }),
    names: () => node.names(),
    items: () => node.items(),
    comments: () => node.comments(),
    locked: () => node.locked(),
    fixed: () => node.fixed(),
  };
  return Object.defineProperties(whole, Object.getOwnPropertyDescriptors(own)) as Node;
}
