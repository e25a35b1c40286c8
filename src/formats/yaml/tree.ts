import { type Alias, isAlias, type Node as LibraryNode } from "yaml";
import type { Malformed } from "../format.ts";
import { type Collection, collectionOf } from "./collection.ts";
import { parseSyntax, type Syntax } from "./parse.ts";
import { type Link, type Survey, survey } from "./survey.ts";

/** A document as read: its text, its nodes, and where everything stands. */
export class Tree {
  readonly text: string;
  readonly syntax: Syntax;
  private readonly found: Survey;
  private readonly collections = new Map<LibraryNode, Collection | undefined>();
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

  collection(node: LibraryNode): Collection | undefined {
    if (!this.collections.has(node)) this.collections.set(node, collectionOf(node));
    return this.collections.get(node);
  }

  /** An alias of exactly this node. */
  aliasOf(node: LibraryNode): Link | undefined {
    return this.shared.get(node);
  }

  /** An alias outside a range of something inside it: the range can't go, or the alias would mean nothing. */
  aliasFromOutside(start: number, end: number): Link | undefined {
    const { links } = this.found;
    for (let i = firstFrom(links, start); i < links.length && links[i]!.targetStart < end; i++) {
      const link = links[i]!;
      if (link.aliasStart < start || link.aliasStart >= end) return link;
    }
    return undefined;
  }
}

function firstFrom(links: readonly Link[], start: number): number {
  let low = 0;
  let high = links.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (links[middle]!.targetStart < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type TreeResult = { readonly kind: "tree"; readonly tree: Tree } | Malformed;

export function readTree(text: string): TreeResult {
  const parsed = parseSyntax(text);
  if (parsed.kind === "malformed") return parsed;
  const surveyed = survey(parsed.syntax.content);
  if (surveyed.kind === "malformed") return surveyed;
  return { kind: "tree", tree: new Tree(parsed.syntax, surveyed.survey) };
}
