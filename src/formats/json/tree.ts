import { firstReached } from "../../core/search.ts";
import { type Exact, mapOf, numberFromText, type Value } from "../../core/value.ts";
import type { Node, Path, Range } from "../format.ts";
import { firstAtLeast, type Scan } from "./read.ts";

/** For so few members or lookups, comparing names is faster than making a table of them. */
const fewMembers = 8;
const fewLookups = 2;

const noPaths: readonly Path[] = [];

/** One entry of a container, as offsets. The comma is the one behind it: -1 where there is none. */
export interface Member {
  /** Start of the name in a map, of the value in a list. */
  readonly start: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly end: number;
  readonly comma: number;
}

/** A value in the text. It finds its own entries when asked, and nothing below them. */
export class JsonNode implements Node {
  readonly kind: "map" | "list" | "scalar";
  readonly scan: Scan;
  readonly parent: JsonNode | undefined;
  /** Position among its parent's members. */
  readonly position: number;
  readonly start: number;
  readonly end: number;
  private readonly entryStart: number;
  private found: readonly Member[] | undefined;
  private positions: Map<string, number> | undefined;
  private lookups = 0;
  private repeated: Set<string> | undefined;
  private children: (JsonNode | undefined)[] | undefined;

  constructor(
    scan: Scan,
    parent: JsonNode | undefined,
    position: number,
    place: { entryStart: number; start: number; end: number },
  ) {
    const first = scan.text[place.start];
    this.kind = first === "{" || place.start === place.end ? "map" : first === "[" ? "list" : "scalar";
    this.scan = scan;
    this.parent = parent;
    this.position = position;
    this.entryStart = place.entryStart;
    this.start = place.start;
    this.end = place.end;
  }

  get ranges(): readonly Range[] {
    return [{ start: this.start, end: this.end }];
  }

  get entryRanges(): readonly Range[] {
    return [{ start: this.entryStart, end: this.end }];
  }

  /** A root that stands for a text without any value. */
  get isAbsent(): boolean {
    return this.start === this.end;
  }

  /** Its entries in the order of the text, also those that a later entry of the same name hides. */
  members(): readonly Member[] {
    this.found ??=
      this.kind === "scalar" || this.isAbsent ? [] : findMembers(this.scan, this.start, this.kind === "map");
    return this.found;
  }

  child(position: number): JsonNode {
    this.children ??= new Array(this.members().length);
    let child = this.children[position];
    if (child === undefined) {
      const { start, valueStart, end } = this.members()[position]!;
      child = new JsonNode(this.scan, this, position, { entryStart: start, start: valueStart, end });
      this.children[position] = child;
    }
    return child;
  }

  nameOf({ start, nameEnd }: Member): string {
    return stringAt(this.scan.text, start, nameEnd);
  }

  /** By name, the position of the member that counts: the last. */
  private byName(): Map<string, number> {
    if (this.positions === undefined) {
      this.positions = new Map();
      const members = this.kind === "map" ? this.members() : [];
      for (let i = 0; i < members.length; i++) this.positions.set(this.nameOf(members[i]!), i);
    }
    return this.positions;
  }

  positionOf(step: string | number): number | undefined {
    if (typeof step === "string") return this.positionOfName(step);
    return this.kind === "list" && step >= 0 && step < this.members().length ? step : undefined;
  }

  private positionOfName(name: string): number | undefined {
    if (this.kind !== "map") return undefined;
    const members = this.members();
    this.lookups++;
    if (members.length > fewMembers && this.lookups > fewLookups) return this.byName().get(name);
    const position = members.findLastIndex((member) => this.hasName(member, name));
    return position === -1 ? undefined : position;
  }

  private hasName(member: Member, name: string): boolean {
    // Escapes only make a name longer.
    const length = member.nameEnd - member.start - 2;
    if (length < name.length) return false;
    const { text } = this.scan;
    return length === name.length && !name.includes("\\")
      ? text.startsWith(name, member.start + 1)
      : this.nameOf(member) === name;
  }

  /** Whether an earlier member has the name of the one that counts. */
  isRepeated(name: string): boolean {
    this.repeated ??= this.findRepeated();
    return this.repeated.has(name);
  }

  private findRepeated(): Set<string> {
    const seen = new Set<string>();
    const names = this.members().map((member) => this.nameOf(member));
    return new Set(names.filter((name) => seen.has(name) || !seen.add(name)));
  }

  get(name: string): JsonNode | undefined {
    const position = this.positionOfName(name);
    return position === undefined ? undefined : this.child(position);
  }

  names(): readonly string[] {
    return [...this.byName().keys()];
  }

  items(): readonly JsonNode[] {
    return this.kind === "list" ? this.members().map((_, i) => this.child(i)) : [];
  }

  value(): Value {
    return this.isAbsent ? mapOf([]) : valueAt(this.scan, this.start, this.end);
  }

  comments(): readonly Path[] {
    const { comments } = this.scan;
    if (comments.length === 0) return noPaths;
    const first = firstAtLeast(comments, this.entryStart);
    const paths: Path[] = [];
    // Starts stand at the even places; an odd one is the end of a comment right before the entry.
    for (let i = first + (first & 1); i < comments.length && comments[i]! < this.end; i += 2)
      paths.push(this.pathTo(comments[i]!));
    return paths;
  }

  /** The path below this node to the innermost container around an offset. */
  private pathTo(offset: number): Path {
    const path: (string | number)[] = [];
    for (let node: JsonNode = this; ; ) {
      const position = memberAround(node.members(), offset);
      if (position === undefined) return path;
      path.push(node.kind === "map" ? node.nameOf(node.members()[position]!) : position);
      node = node.child(position);
    }
  }

  locked(): undefined {
    return undefined;
  }

  fixed(): string | undefined {
    const name = this.parent?.kind === "map" ? this.parent.nameOf(this.parent.members()[this.position]!) : undefined;
    if (name === undefined || !this.parent?.isRepeated(name)) return undefined;
    return `${JSON.stringify(name)} is there more than once, and without the last one the one before it would count; keep one of them`;
  }
}

function findMembers(scan: Scan, start: number, isMap: boolean): Member[] {
  const { text } = scan;
  const close = isMap ? "}" : "]";
  const members: Member[] = [];
  let at = scan.skipGap(start + 1);
  while (text[at] !== close) {
    const nameEnd = isMap ? scan.skipValue(at) : at;
    const valueStart = isMap ? scan.skipGap(scan.skipGap(nameEnd) + 1) : at;
    const end = scan.skipValue(valueStart);
    const next = scan.skipGap(end);
    const comma = text[next] === "," ? next : -1;
    members.push({ start: at, nameEnd, valueStart, end, comma });
    at = comma === -1 ? next : scan.skipGap(comma + 1);
  }
  return members;
}

/** The member in whose value an offset lies. */
function memberAround(members: readonly Member[], offset: number): number | undefined {
  const position = firstReached(members.length, (i) => members[i]!.end > offset);
  const member = members[position];
  return member !== undefined && member.valueStart < offset ? position : undefined;
}

/** Straight from the offsets, so that a million entries leave no million nodes behind. */
function valueAt(scan: Scan, start: number, end: number): Value {
  const { text } = scan;
  if (text[start] === "[")
    return findMembers(scan, start, false).map((item) => valueAt(scan, item.valueStart, item.end));
  if (text[start] !== "{") return scalarAt(text, start, end);
  const map: Record<string, Value> = {};
  for (const member of findMembers(scan, start, true)) {
    const name = stringAt(text, member.start, member.nameEnd);
    const value = valueAt(scan, member.valueStart, member.end);
    // Assigned, that one would be the object's prototype.
    if (name === "__proto__") Object.defineProperty(map, name, { value, ...ownField });
    else map[name] = value;
  }
  return map;
}

const ownField = { writable: true, enumerable: true, configurable: true };

function stringAt(text: string, start: number, end: number): string {
  const inside = text.slice(start + 1, end - 1);
  return inside.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : inside;
}

function scalarAt(text: string, start: number, end: number): Exact | string | number | boolean | null {
  const first = text[start];
  if (first === '"') return stringAt(text, start, end);
  if (first === "t" || first === "f") return first === "t";
  return first === "n" ? null : numberFromText(text.slice(start, end));
}
