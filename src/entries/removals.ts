import { addTo } from "../core/lists.ts";
import type { ContainerRecord } from "../core/records.ts";
import type { Document, Edit, Node, Path, Trace } from "../formats/format.ts";
import type { IdentitySource } from "../identity/rules/identify.ts";
import { sharedName } from "./container-tree.ts";
import { containerNames, nodeAt, pathKey } from "./entry-paths.ts";
import type { FileActual, KnownPlace } from "./file-entry.ts";

/** What goes: entries, and with the last of them the containers that we made for them. */
export class Removals {
  readonly #document: Document;
  readonly #known: KnownPlace;
  readonly #entries = new Map<string, { entry: FileActual; source: IdentitySource; trace: Trace | undefined }>();

  /** Their last steps: many are asked for, and few go. */
  readonly #steps = new Set<string | number | undefined>();

  constructor(document: Document, known: KnownPlace) {
    this.#document = document;
    this.#known = known;
  }

  add(entry: FileActual, source: IdentitySource, trace: Trace | undefined): void {
    this.#entries.set(pathKey(entry.path), { entry, source, trace });
    this.#steps.add(entry.path.at(-1));
  }

  has(path: Path): boolean {
    return this.#steps.has(path.at(-1)) && this.#entries.has(pathKey(path));
  }

  /** `filled`: containers that something is inserted into, and which therefore stay. */
  edits(filled: ReadonlySet<string>): { edits: Edit[]; containersGone: string[] } {
    const gone = new Map<string, Gone>();
    for (const { entry, source, trace } of this.#entries.values())
      gone.set(pathKey(entry.path), { path: entry.path, names: containerNames(entry, source), trace });
    const containersGone: string[] = [];
    const edits: Edit[] = [];
    for (let depth = deepest(gone); depth > 0; depth--) {
      for (const [parent, children] of byParent(gone, depth)) {
        const emptied = this.#emptied(parent, children, filled);
        if (!emptied) continue;
        for (const each of children) gone.delete(pathKey(each.path));
        containersGone.push(emptied.name);
        if (emptied.edit) edits.push(emptied.edit);
        else
          gone.set(parent, {
            path: children[0]!.path.slice(0, -1),
            names: emptied.names.slice(0, -1),
            trace: emptied.trace,
          });
      }
    }
    for (const each of gone.values()) edits.push(this.#edit(each));
    return { edits, containersGone };
  }

  /** A group of ours that stays because others wrote into it keeps its empty list: runtimes reject it without one. */
  #edit({ path, names, trace }: Gone): Edit {
    const isListOfGroup = typeof path.at(-1) === "string" && typeof path.at(-2) === "number" && !this.has(path);
    const name = names.at(-1)!;
    const isOurs = [name, sharedName(name) ?? name].some((each) => this.#known.containers[each]?.created);
    if (isListOfGroup && isOurs && nodeAt(this.#document.root, path)?.kind === "list")
      return { kind: "set", at: path, value: [] };
    return { kind: "remove", at: path, trace };
  }

  /** What becomes of a container when these children go; undefined where it stays as it is. */
  #emptied(
    parent: string,
    children: readonly Gone[],
    filled: ReadonlySet<string>,
  ): { name: string; names: readonly string[]; edit?: Edit; trace?: Trace | undefined } | undefined {
    const path = children[0]!.path.slice(0, -1);
    const container = nodeAt(this.#document.root, path);
    if (container === undefined || filled.has(parent)) return undefined;
    for (const [name, names] of recordNames(children)) {
      const record = this.#known.containers[name];
      if (record === undefined || foreignContent(container, children, record.fields ?? [])) continue;
      if (container.comments().length > 0 && !this.#asFound(container, children, record)) continue;
      if (record.created && path.length > 0) return { name, names, trace: record.trace as Trace | undefined };
      if (record.inner !== undefined) return { name, names, edit: { kind: "clear", at: path, inner: record.inner } };
    }
    return undefined;
  }

  /** Whether the comments between our entries are, word for word, those that stood there before the first of them. */
  #asFound(container: Node, children: readonly Gone[], { inner }: ContainerRecord): boolean {
    const [range, ...others] = container.ranges;
    if (inner === undefined || range === undefined || others.length > 0) return false;
    const ours = children.flatMap(({ path }) => nodeAt(this.#document.root, path)?.entryRanges ?? []);
    let at = range.start;
    let rest = "";
    for (const { start, end } of ours.sort((a, b) => a.start - b.start)) {
      rest += this.#document.text.slice(at, start);
      at = end;
    }
    return words(rest + this.#document.text.slice(at, range.end)) === words(inner);
  }
}

/** Without what only sets things apart, which comes and goes with entries. */
function words(text: string): string {
  return text.replace(/[\s,{}[\]]/g, "");
}

/**
 * The names that the container of these may have on record. Groups that the template keeps apart may be one in the
 * file, and that one may be another owner's.
 */
function* recordNames(children: readonly Gone[]): Generator<readonly [string, readonly string[]], undefined> {
  for (const { names } of children) yield [names.at(-1)!, names];
  const { names } = children[0]!;
  const shared = sharedName(names.at(-1)!);
  if (shared !== undefined) yield [shared, names];
}

function deepest(gone: ReadonlyMap<string, Gone>): number {
  let depth = 0;
  for (const { path } of gone.values()) depth = Math.max(depth, path.length);
  return depth;
}

interface Gone {
  readonly path: Path;
  /** The names of the containers around it, outermost first: one for each step of the path. */
  readonly names: readonly string[];
  readonly trace: Trace | undefined;
}

function byParent(gone: ReadonlyMap<string, Gone>, depth: number): Map<string, Gone[]> {
  const groups = new Map<string, Gone[]>();
  for (const each of gone.values())
    if (each.path.length === depth) addTo(groups, pathKey(each.path.slice(0, -1)), each);
  return groups;
}

/** Whether a container holds more than these children and the fields that make a group of ours. */
function foreignContent(container: Node, children: readonly Gone[], own: readonly string[]): boolean {
  if (container.kind === "list") return container.items().length > children.length;
  const going = new Set<string | number | undefined>([...children.map((each) => each.path.at(-1)), ...own]);
  return container.names().some((name) => !going.has(name));
}
