import { containerFinder, type Node, type Path } from "../../formats/format.ts";
import type { PathContext } from "../paths/path-context.ts";
import { groupIdentity } from "./groups.ts";
import { dottedStep, type EntryKey, keyText, settingType } from "./keys.ts";
import { type FieldText, keysOfSource, sourceOf, textOfNode } from "./parts.ts";
import type { CompiledRule, CompiledRules, NormaliserName, RuleStep } from "./rule.ts";

/** The inputs of key and pair by name, with the home as `~` and links unresolved: what a record keeps. */
export type IdentitySource = Readonly<Record<string, string>>;

export interface Keys {
  /** For people and records: the portable text. */
  readonly key: EntryKey;
  /** For comparing, and only today on this machine: every path resolved. Equal means the same entry. */
  readonly match: string;
  /** The weaker key, resolved like `match`. */
  readonly pair: string | undefined;
}

/** An entry of a document, found by a rule or, where none covers it, as a setting. */
export interface Identified extends Keys {
  readonly type: string;
  readonly source: IdentitySource;
  readonly path: Path;
  readonly node: Node;
  /** Undefined for a setting. */
  readonly rule: CompiledRule | undefined;
  /** The lists on the way, outermost first, without the entry's own: which group it belongs to in each. */
  readonly steps: readonly GroupStep[];
  /** A setting that is a list of maps or lists: it will be handled as one value, which is worth telling. */
  readonly listWithoutRule: boolean;
}

export interface GroupStep {
  /** Which list of the rule this is, from 0: the `depth` that `groupIdentity` takes. */
  readonly depth: number;
  /** Where in `path` the group's position stands. */
  readonly pathIndex: number;
  /**
   * Canonical text of the key parts that the group itself supplies; two groups with one identity hold the same entries.
   */
  readonly identity: string;
}

/** An item that a rule leads to and can't name: a template with one is wrong, a target may hold what it likes. */
interface Unidentified {
  readonly type: string;
  readonly path: Path;
  readonly node: Node;
  /** The field that is missing, or not a text. */
  readonly missing: string;
}

export { completeSource, keysFrom, keysFromText, normaliseValue, portableValue } from "./recorded.ts";

export interface Identification {
  /** In the order of the document. */
  readonly entries: readonly Identified[];
  readonly unidentified: readonly Unidentified[];
}

/** Everything a template wants: the entries of every rule, and leaf by leaf, as settings, what no rule covers. */
export function identify(root: Node, rules: CompiledRules, ctx: PathContext): Identification {
  const walk: Walk = { ctx, settings: true, entries: [], unidentified: [] };
  visit(root, atRoot, startTrails(rules), false, walk);
  return walk;
}

/**
 * What rules find in a target, twins included. Items that a rule can't name are the user's business and left out;
 * nothing else is looked at.
 */
export function identifyUnderRules(root: Node, rules: CompiledRules, ctx: PathContext): readonly Identified[] {
  const walk: Walk = { ctx, settings: false, entries: [], unidentified: [] };
  visit(root, atRoot, startTrails(rules), false, walk);
  return walk.entries;
}

/** Finds settings by their way through maps. */
export function settingFinder(root: Node): (segments: readonly string[]) => Node | undefined {
  const step = (node: Node | undefined, name: string | number) =>
    node?.kind === "map" ? node.get(name as string) : undefined;
  const mapAround = containerFinder((path) => path.reduce(step, root as Node | undefined));
  return (segments) => {
    const last = segments.length - 1;
    return last < 0 ? root : step(mapAround(segments), segments[last]!);
  };
}

/** How far one rule has come on the way down to a node. */
interface Trail {
  readonly rule: CompiledRule;
  readonly done: number;
  readonly captures: ReadonlyMap<string, string>;
  /** The items passed on the way, innermost first: their fields can be parts of the key. */
  readonly around: readonly Node[];
  readonly steps: readonly GroupStep[];
}

interface Walk {
  readonly ctx: PathContext;
  /** Whether what no rule covers counts, as settings. */
  readonly settings: boolean;
  readonly entries: Identified[];
  readonly unidentified: Unidentified[];
}

function startTrails({ rules }: CompiledRules): readonly Trail[] {
  return rules.map((rule) => ({ rule, done: 0, captures: new Map(), around: [], steps: [] }));
}

/** Where the walk is: as steps, and as the dotted path that names a setting. */
interface Position {
  readonly path: Path;
  readonly dotted: string;
}

const atRoot: Position = { path: [], dotted: "" };

/** `inItem`: inside an item of a list that a rule walks; what no rule covers there belongs to the item. */
function visit(node: Node, at: Position, trails: readonly Trail[], inItem: boolean, walk: Walk): void {
  const going = trails.length === 0 ? trails : trails.filter((trail) => leadsInto(nextStep(trail), node));
  if (trails.length > 0 && claim(node, at.path, trails, going.length > 0, walk)) return;
  if (node.kind === "map") visitMap(node, at, going, inItem, walk);
  else if (going.length > 0) visitList(node, at.path, going, walk);
  else if (walk.settings && !inItem) addSetting(node, at, walk);
}

function visitMap(node: Node, at: Position, trails: readonly Trail[], inItem: boolean, walk: Walk): void {
  const { path, dotted } = at;
  const covers = walk.settings && !inItem;
  if (trails.length === 0 && !covers) return;
  const names = node.names();
  if (covers && names.length === 0 && trails.length === 0 && path.length > 0) addSetting(node, at, walk);
  for (const name of names) {
    const leading = trails.length === 0 ? trails : trails.filter((trail) => leadsTo(nextStep(trail), name));
    if (leading.length === 0 && !covers) continue;
    const child = node.get(name);
    if (child === undefined) continue;
    const onwards =
      leading.length === 0 ? leading : leading.map((trail) => advance(trail, child, name, path, walk.ctx));
    visit(child, { path: [...path, name], dotted: covers ? dottedStep(dotted, name) : "" }, onwards, inItem, walk);
  }
}

function visitList(node: Node, path: Path, trails: readonly Trail[], walk: Walk): void {
  const items = node.items();
  for (let position = 0; position < items.length; position++) {
    const item = items[position]!;
    const at = [...path, position];
    const found = walk.entries.length + walk.unidentified.length;
    const onwards = trails.map((trail) => advance(trail, item, position, path, walk.ctx));
    visit(item, { path: at, dotted: "" }, onwards, true, walk);
    // A group that leads to nothing would get lost without a word.
    if (walk.entries.length + walk.unidentified.length === found)
      walk.unidentified.push(leadsNowhere(item, at, onwards));
  }
}

function leadsNowhere(node: Node, path: Path, [trail]: readonly Trail[]): Unidentified {
  const step = trail && nextStep(trail);
  const missing = step?.kind === "name" ? step.name : step?.kind === "items" ? "items" : "fields";
  return { type: trail?.rule.type ?? settingType, path, node, missing };
}

function nextStep({ rule, done }: Trail): RuleStep | undefined {
  return rule.at[done];
}

function leadsInto(step: RuleStep | undefined, node: Node): boolean {
  return step !== undefined && node.kind === (step.kind === "items" ? "list" : "map");
}

function leadsTo(step: RuleStep | undefined, name: string): boolean {
  return step?.kind === "capture" || (step?.kind === "name" && step.name === name);
}

function advance(trail: Trail, child: Node, name: string | number, path: Path, ctx: PathContext): Trail {
  const step = nextStep(trail);
  const done = trail.done + 1;
  if (step?.kind === "name") return { ...trail, done };
  const around = [child, ...trail.around];
  if (step?.kind === "capture")
    return { ...trail, done, around, captures: new Map([...trail.captures, [step.name, String(name)]]) };
  if (done === trail.rule.at.length) return { ...trail, done, around };
  const depth = trail.steps.length;
  const group = { depth, pathIndex: path.length, identity: groupIdentity(trail.rule, depth, child, ctx) ?? "" };
  return { ...trail, done, around, steps: [...trail.steps, group] };
}

/**
 * Whether a rule ends here: the first that can name the node has it. One that can't says so, unless another rule goes
 * on from here.
 */
function claim(node: Node, path: Path, trails: readonly Trail[], othersGoOn: boolean, walk: Walk): boolean {
  const unnamed: Unidentified[] = [];
  for (const trail of trails) {
    if (trail.done < trail.rule.at.length) continue;
    const found = identifyItem(node, path, trail, walk.ctx);
    if ("key" in found) {
      walk.entries.push(found);
      return true;
    }
    unnamed.push(found);
  }
  if (unnamed.length === 0 || othersGoOn) return false;
  walk.unidentified.push(...unnamed.slice(0, 1));
  return true;
}

function identifyItem(node: Node, path: Path, trail: Trail, ctx: PathContext): Identified | Unidentified {
  const { rule, steps } = trail;
  const result = sourceOf(rule, (field, normaliser) => fieldText(field, normaliser, node, trail), ctx);
  if (result.kind === "missing") return { type: rule.type, path, node, missing: result.field };
  const keys = keysOfSource(rule, result.source, ctx);
  // A source just made has every part of the key, so this can't happen.
  if (keys === undefined) throw new Error(`no key for an entry of type ${rule.type}`);
  const { key, match, pair } = keys;
  return { key, match, pair, type: rule.type, source: result.source, path, node, rule, steps, listWithoutRule: false };
}

/** A capture, the scalar itself, or the field of the item or of the innermost item around it that has one. */
function fieldText(
  field: string,
  normaliser: NormaliserName | undefined,
  node: Node,
  { captures, around }: Trail,
): ReturnType<FieldText> {
  const captured = captures.get(field);
  if (captured !== undefined) return captured;
  if (field === "value" && node.kind !== "map") return textOfNode(node, normaliser);
  for (const item of around[0] === node ? around : [node, ...around]) {
    const text = item.kind === "map" ? textOfNode(item.get(field), normaliser) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

const noSteps: readonly GroupStep[] = [];

function addSetting(node: Node, { path, dotted }: Position, walk: Walk): void {
  const key = keyText(settingType, [dotted]);
  const listWithoutRule = node.kind === "list" && node.items().some((item) => item.kind !== "scalar");
  const source = { path: dotted };
  walk.entries.push({
    type: settingType,
    key,
    match: key,
    pair: undefined,
    source,
    path,
    node,
    rule: undefined,
    steps: noSteps,
    listWithoutRule,
  });
}
