import { type Alias, isAlias, isMap, isScalar, isSeq, type Node as LibraryNode, type Pair, type Scalar } from "yaml";
import { firstReached } from "../../core/search.ts";
import { Fault } from "../fault.ts";
import { maxExpandedValues, readersDiffer } from "../limits.ts";
import { collectionOf, type YamlCollection } from "./collection.ts";
import { parseSyntax, type Syntax } from "./read.ts";
import { nameFromKey } from "./scalar.ts";

/** A document as read: its text, its nodes, and where everything stands. */
export class Tree {
  readonly text: string;
  readonly syntax: Syntax;
  private readonly found: Survey;
  private readonly collections = new Map<LibraryNode, YamlCollection | undefined>();
  private readonly shared: ReadonlyMap<LibraryNode, Link>;

  constructor(syntax: Syntax, found: Survey) {
    this.text = syntax.text;
    this.syntax = syntax;
    this.found = found;
    this.shared = new Map(found.links.map((link) => [link.target, link]));
  }

  /** The node itself, or what it is an alias of. */
  resolve(node: LibraryNode): LibraryNode {
    return isAlias(node) ? this.found.targets.get(node as Alias)! : node;
  }

  collection(node: LibraryNode): YamlCollection | undefined {
    if (!this.collections.has(node)) this.collections.set(node, collectionOf(node));
    return this.collections.get(node);
  }

  /** An alias of exactly this node. */
  aliasOf(node: LibraryNode): Link | undefined {
    return this.shared.get(node);
  }

  /** An alias outside a range whose anchor is inside: without the range it would mean nothing. */
  aliasFromOutside(start: number, end: number): Link | undefined {
    const { links } = this.found;
    for (
      let i = firstReached(links.length, (at) => links[at]!.targetStart >= start);
      i < links.length && links[i]!.targetStart < end;
      i++
    ) {
      const link = links[i]!;
      if (link.aliasStart < start || link.aliasStart >= end) return link;
    }
    return undefined;
  }
}

/** Throws a `Fault` where the text is not YAML, or not YAML that can be edited safely. */
export function readTree(text: string): Tree {
  const syntax = parseSyntax(text);
  return new Tree(syntax, survey(syntax.content));
}

/** What can only be known after looking at the whole document once. */
interface Survey {
  /** What each alias stands for. */
  readonly targets: ReadonlyMap<Alias, LibraryNode>;
  /** Every alias with its target's place, in the order of the targets. */
  readonly links: readonly Link[];
}

interface Link {
  readonly anchor: string;
  readonly target: LibraryNode;
  readonly targetStart: number;
  readonly aliasStart: number;
}

function survey(content: LibraryNode | undefined): Survey {
  const walk = new Walk();
  if (content !== undefined && walk.visit(content) > maxExpandedValues)
    throw new Fault(
      `aliases make more than ${maxExpandedValues} values of this file, which is refused as an alias bomb`,
    );
  walk.links.sort((a, b) => a.targetStart - b.targetStart);
  return walk;
}

class Walk implements Survey {
  readonly targets = new Map<Alias, LibraryNode>();
  readonly links: Link[] = [];
  /** Anchors as they stand at this point of the text: a later one of the same name takes over. */
  private readonly anchors = new Map<string, LibraryNode>();
  private readonly sizes = new Map<LibraryNode, number>();

  /** How many values a node stands for, with its aliases followed. */
  visit(node: LibraryNode): number {
    if (isAlias(node)) return this.follow(node);
    if (node.anchor !== undefined) this.anchors.set(node.anchor, node);
    refuseDoubtful(node);
    let size = 1;
    if (isMap(node))
      for (const pair of this.pairsOf(node.items as Pair<LibraryNode, LibraryNode | null>[]))
        size += this.visitPair(pair);
    if (isSeq(node))
      for (const item of node.items as (LibraryNode | null)[]) size += item === null ? 1 : this.visit(item);
    if (node.anchor !== undefined) this.sizes.set(node, size);
    return size;
  }

  private visitPair({ key, value }: Pair<LibraryNode, LibraryNode | null>): number {
    if (key.anchor !== undefined) this.visit(key);
    return value === null ? 1 : this.visit(value);
  }

  private *pairsOf(
    pairs: readonly Pair<LibraryNode, LibraryNode | null>[],
  ): Generator<Pair<LibraryNode, LibraryNode | null>> {
    const seen = new Set<string>();
    for (const pair of pairs) {
      if (!isScalar(pair.key))
        throw new Fault(
          "a key that is an alias, a list or a map can't be handled; edit this file by hand",
          startOf(pair.key),
        );
      const name = nameOfKey(pair.key);
      if (seen.has(name))
        throw new Fault(`one map has the key ${JSON.stringify(name)} twice; remove one of them`, startOf(pair.key));
      seen.add(name);
      yield pair;
    }
  }

  private follow(alias: Alias): number {
    const target = this.anchors.get(alias.source);
    if (target === undefined)
      throw new Fault("this alias has no anchor before it (a text that begins with * needs quotes)", startOf(alias));
    const size = this.sizes.get(target);
    if (size === undefined) throw new Fault(`the alias *${alias.source} is inside what it refers to`, startOf(alias));
    this.targets.set(alias, target);
    this.links.push({ anchor: alias.source, target, targetStart: startOf(target), aliasStart: startOf(alias) });
    return size;
  }
}

/** An escaped line end (an odd number of backslashes) with an empty line behind it. */
const emptyAfterEscaped = /(?<!\\)(?:\\\\)*\\\r?\n[ \t]*\r?\n/;

function refuseDoubtful(node: LibraryNode): void {
  const token = isScalar(node) ? node.srcToken : undefined;
  const at = token?.type === "double-quoted-scalar" ? token.source.search(emptyAfterEscaped) : -1;
  if (at !== -1) throw new Fault(readersDiffer("an empty line behind an escaped line end"), startOf(node) + at);
}

export function nameOfKey(key: Scalar): string {
  return nameFromKey({ text: String(key.value ?? ""), plain: key.type === "PLAIN", tag: key.tag });
}

function startOf(node: LibraryNode): number {
  return node.range?.[0] ?? 0;
}
