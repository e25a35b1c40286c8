import { isScalar } from "yaml";
import { addTo, getOrMake } from "../../core/lists.ts";
import { isList, isMap, mapOf, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import { Fault, orFault, unquoted } from "../fault.ts";
import type { Edit, EditResult, InsertEdit, Path, RemoveEdit, SetEdit, Trace } from "../format.ts";
import { maxKeyLength } from "../limits.ts";
import { beginsLine, columnOf, lineStart, restIsBlank, skipBlanks } from "../lines.ts";
import { compareData } from "../verify/compare.ts";
import { BlockEdit, canEndInLiteral, insertYamlLines, lineBelow } from "./block.ts";
import { type Changes, groupsOf, noChanges, Patch } from "./changes.ts";
import type { YamlCollection, YamlEntry } from "./collection.ts";
import { FlowEdit } from "./flow.ts";
import type { YamlNode } from "./node.ts";
import { blockLines, blockValue, flowValue, type Setting } from "./render.ts";
import { readIndependently } from "./second-reader.ts";
import { styleOf, type YamlStyle } from "./style.ts";

/** `text`: what to edit, where the nodes are those of a text with stand-ins. */
export function editYaml(root: YamlNode, edits: readonly Edit[], text = root.tree.text): EditResult {
  return orFault("refused", () => new Editing(root, text).make(edits));
}

class Editing {
  private readonly root: YamlNode;
  private readonly patch: Patch;
  private readonly containers = new Map<unknown, Changes>();
  private readonly inners = new Map<number, string>();
  private readonly traces = new Map<number, Trace>();
  private readonly positions = new Map<InsertEdit, number>();

  constructor(root: YamlNode, text: string) {
    this.root = root;
    this.patch = new Patch(text);
  }

  make(edits: readonly Edit[]): EditResult {
    const doubt = readersDisagree(this.root);
    if (doubt !== undefined)
      throw new Fault(
        `two YAML readers do not agree on this file (${doubt}), so it is not edited; write that part in a plainer way`,
        0,
      );
    // Removals first: an insertion may bring back a name that goes.
    for (const edit of edits) if (edit.kind !== "insert") this.note(edit);
    for (const [i, edit] of edits.entries()) if (edit.kind === "insert") this.noteInsertion(edit, i);
    // Inner containers first: where both end, what is added to the inner one stands first.
    const all = [...this.containers.values()].sort((a, b) => depthOf(b.node) - depthOf(a.node));
    for (const changes of all) this.change(changes);
    return { kind: "edited", text: this.patch.apply(), traces: this.traces, inners: this.inners };
  }

  /** Values are set at once; entries that come and go are gathered by container. */
  private note(edit: Exclude<Edit, InsertEdit>): void {
    const node = this.find(edit.at);
    if (edit.kind === "clear") this.noteClearing(node, edit.inner);
    else this.noteChange(edit, node);
  }

  private noteChange(edit: SetEdit | RemoveEdit, node: YamlNode): void {
    refuseIf(node.locked(), node);
    if (node.parent === undefined || node.entry === undefined)
      throw new Fault("the whole document can't be set or removed as an entry", 0);
    if (edit.kind === "set") setValue(node, edit, this.patch);
    else {
      const { removed, blanks } = this.changesOf(node.parent);
      const position = node.parent.collection!.position(node.entry.name)!;
      removed.add(position);
      if (typeof edit.trace?.blanks === "number") blanks.set(position, edit.trace.blanks);
    }
  }

  private noteClearing(node: YamlNode, inner: string): void {
    refuseIf(node.closed() ?? (node.parent === undefined ? undefined : node.locked()), node);
    if (node.isVacant || node.isWrittenNull) return;
    const { collection } = node;
    if (collection === undefined)
      throw new Fault("there is no map or list here to take everything out of", startOf(node));
    const changes = this.changesOf(node);
    changes.inner = inner;
    for (const position of collection.entries.keys()) changes.removed.add(position);
  }

  private noteInsertion(edit: InsertEdit, i: number): void {
    this.positions.set(edit, i);
    const node = this.find(edit.into);
    refuseIf(node.closed(), node);
    const { name } = edit;
    if (name !== undefined && name.length > maxKeyLength)
      throw new Fault(`a name of more than ${maxKeyLength} characters can't stand as a plain key`, startOf(node));
    const changes = this.changesOf(node);
    const inner = innerOf(node);
    if (inner !== undefined) this.inners.set(i, inner);
    if (node.isVacant || node.isWrittenNull) this.noteFirst(changes, edit);
    else this.notePlaced(changes, edit);
  }

  /** Where nothing is written, the first insertion decides whether it becomes a map or a list. */
  private noteFirst({ node, atEnd }: Changes, edit: InsertEdit): void {
    if (node.isVacant && node.parent?.collection?.style === "flow")
      throw new Fault("there is no value here to add to; write {} or [] in its place", startOf(node));
    const [first] = atEnd;
    if (first !== undefined && (first.name === undefined) !== (edit.name === undefined))
      throw new Fault("one value can't become both a map and a list", startOf(node));
    atEnd.push(edit);
  }

  private notePlaced(changes: Changes, edit: InsertEdit): void {
    const { node } = changes;
    const { name, place } = edit;
    const { collection } = node;
    if (collection === undefined || (collection.kind === "map") !== (name !== undefined))
      throw new Fault(
        `a ${name === undefined ? "list" : "map"} is needed here, and this is something else`,
        startOf(node),
      );
    const there = name === undefined ? undefined : collection.position(name);
    if (there !== undefined && !changes.removed.has(there))
      throw new Fault(`there already is an entry ${JSON.stringify(name)}`, startOf(node));
    if (place === "end") changes.atEnd.push(edit);
    else if ("after" in place) addTo(changes.after, positionOf(node, place.after), edit);
    else addTo(changes.before, positionOf(node, place.before), edit);
  }

  private change(changes: Changes): void {
    const { node } = changes;
    const { collection } = node;
    if (node.isVacant) fillVacant(changes, this.patch);
    else if (node.isWrittenNull) replaceNull(changes, this.patch);
    else new (collection!.style === "block" ? BlockEdit : FlowEdit)(changes, collection!, this.patch).run();
  }

  private changesOf(node: YamlNode): Changes {
    const key = node.written ?? node.entry?.item ?? this.root;
    const remember = (insert: InsertEdit, trace: Trace) => this.traces.set(this.positions.get(insert)!, trace);
    return getOrMake(this.containers, key, () => noChanges(node, remember));
  }

  private find(path: Path): YamlNode {
    let node = this.root;
    for (const step of path) {
      const child = node.child(step);
      if (child === undefined) throw new Fault(`there is nothing at ${path.join(".")}`, startOf(node));
      node = child;
    }
    return node;
  }
}

/** Where the two readers see different documents, in words: such a text is not edited. */
function readersDisagree(root: YamlNode): string | undefined {
  try {
    const where = compareData(root.value(), readIndependently(root.tree.text));
    return where === undefined ? undefined : `at ${where}`;
  } catch (error) {
    return unquoted(error instanceof Error ? error.message : String(error));
  }
}

/** What an empty container holds, to be put back when it is empty again; undefined for one that is not. */
function innerOf(node: YamlNode): string | undefined {
  if (node.isVacant) return "";
  if (node.isWrittenNull) return node.tree.text.slice(node.entry!.valueStart, node.entry!.end);
  const { collection } = node;
  if (collection?.style !== "flow" || collection.entries.length > 0) return undefined;
  return node.tree.text.slice(collection.open + 1, collection.close);
}

function positionOf(node: YamlNode, sibling: string | number): number {
  const position = node.collection!.position(sibling);
  if (position === undefined)
    throw new Fault(`there is no entry ${JSON.stringify(sibling)} to stand beside`, startOf(node));
  return position;
}

function refuseIf(reason: string | undefined, node: YamlNode): void {
  if (reason !== undefined) throw new Fault(`this entry can't be edited safely: ${reason}`, startOf(node));
}

function depthOf(node: YamlNode): number {
  return node.parent === undefined ? 0 : depthOf(node.parent) + 1;
}

function startOf(node: YamlNode): number {
  return node.entryRanges[0]!.start;
}

/** Makes a map or list where nothing is written: below `key:`, behind a dash, in an empty file. */
function fillVacant(changes: Changes, patch: Patch): void {
  const { node } = changes;
  const { text, syntax } = node.tree;
  const inserts = groupsOf(changes, 0).flatMap((group) => group.inserts);
  const style = styleOf(node.tree, node.parent?.collection);
  const isList = inserts[0]?.name === undefined;
  const indent = indentBelow(changes, isList, style);
  const lines = (literals: boolean) => blockLines(inserts, indent, { style, literals });
  const { entry } = node;
  if (entry === undefined) {
    insertYamlLines(patch, text, syntax.bodyEnd, lines);
  } else if (node.parent?.collection?.kind === "list" && restIsBlank(text, entry.headEnd)) {
    const added = lines(text.length > entry.headEnd).join(lineBreakAt(text, entry.headEnd));
    patch.insert(entry.headEnd, ` ${added.slice(indent)}`);
  } else {
    insertYamlLines(patch, text, lineBelow(text, entry.headEnd, columnOf(text, entry.start)), lines);
  }
}

/** Makes a map or list where a null is written, on its line; `clear` puts the null back. */
function replaceNull(changes: Changes, patch: Patch): void {
  const { entry, tree, parent } = changes.node;
  const style = styleOf(tree, parent?.collection);
  const inserts = groupsOf(changes, 0).flatMap((group) => group.inserts);
  const isList = inserts[0]?.name === undefined;
  const value = isList ? inserts.map((one) => one.value) : mapOf(inserts.map((one) => [one.name!, one.value]));
  patch.replace(entry!.valueStart, entry!.end, flowValue(value, style, parent?.collection?.style === "flow"));
}

function indentBelow({ node }: Changes, isList: boolean, style: YamlStyle): number {
  if (node.entry === undefined) return 0;
  const column = columnOf(node.tree.text, node.entry.start);
  if (node.parent?.collection?.kind === "list") return column + 2;
  return isList && style.indentless ? column : column + style.step;
}

/** Writes another value in the place of one. What stands before and behind it does not move. */
function setValue(node: YamlNode, { value, text }: Pick<SetEdit, "value" | "text">, patch: Patch): void {
  const entry = node.entry!;
  const siblings = node.parent!.collection!;
  const style = styleLike(node, styleOf(node.tree, siblings));
  if (entry.vacant) patch.insert(entry.headEnd, vacantText(node, value, style));
  else if (text !== undefined) patch.replace(entry.valueStart, entry.end, text);
  else if (siblings.style === "flow") patch.replace(entry.valueStart, entry.end, flowValue(value, style, true));
  else patch.replace(entry.valueStart, entry.end, blockText(node, value, style));
}

/** A string keeps the quotes that the one before it had. */
function styleLike(node: YamlNode, style: YamlStyle): YamlStyle {
  const { written } = node;
  if (!isScalar(written)) return style;
  if (written.type === "QUOTE_SINGLE") return { ...style, quote: "'", quoteStrings: true };
  if (written.type === "QUOTE_DOUBLE") return { ...style, quote: '"', quoteStrings: true };
  return written.type === "PLAIN" && typeof node.value() === "string" ? { ...style, quoteStrings: false } : style;
}

function vacantText(node: YamlNode, value: Value, style: YamlStyle): string {
  const entry = node.entry!;
  const { text } = node.tree;
  const siblings = node.parent!.collection!;
  const hasColon = entry.key === undefined || (entry.item.sep ?? []).some((token) => token.type === "map-value-ind");
  if (siblings.style === "flow") return `${hasColon ? " " : ": "}${flowValue(value, style, true)}`;
  const { setting, indent } = placeBelow(node, siblings, entry, value, style);
  const rest = text[skipBlanks(text, entry.headEnd)];
  if (rest === "#" || (!isFilled(value) && !setting.literals)) return ` ${flowValue(value, style, false)}`;
  const lines = blockValue(value, indent, setting);
  const onNextLine = isFilled(value) && siblings.kind === "map";
  const lineBreak = lineBreakAt(text, entry.headEnd);
  return (onNextLine ? lineBreak + " ".repeat(indent) : " ") + lines.join(lineBreak);
}

function placeBelow(
  node: YamlNode,
  siblings: YamlCollection,
  entry: YamlEntry,
  value: Value,
  style: YamlStyle,
): { setting: Setting; indent: number } {
  const { text } = node.tree;
  const column = columnOf(text, entry.start);
  const setting = { style, literals: canEndInLiteral(text, entry.end, column) };
  if (siblings.kind === "list") return { setting, indent: column + 2 };
  return { setting, indent: isList(value) && value.length > 0 && style.indentless ? column : column + style.step };
}

/** A value that begins its own line or stands behind a bare dash is written as a block; any other stays on its line. */
function blockText(node: YamlNode, value: Value, style: YamlStyle): string {
  const entry = node.entry!;
  const { text } = node.tree;
  const siblings = node.parent!.collection!;
  const wasFlow = node.collection?.style === "flow";
  const bareDash = entry.headEnd === entry.start + 1 && !text.slice(entry.headEnd, entry.valueStart).includes("\t");
  const behindDash = siblings.kind === "list" && bareDash && !wasFlow;
  const onOwnLine = lineStart(text, entry.valueStart) > entry.start && beginsLine(text, entry.valueStart);
  const { setting, indent } = placeBelow(node, siblings, entry, value, style);
  const lineBreak = lineBreakAt(text, entry.valueStart);
  if (isFilled(value) && !onOwnLine && !behindDash) return flowValue(value, style, false);
  const column = columnOf(text, entry.valueStart);
  if (!onOwnLine) return blockValue(value, isFilled(value) ? column : indent, setting).join(lineBreak);
  const deepEnough =
    column > columnOf(text, entry.start) || (isList(value) && value.length > 0 && siblings.kind === "map");
  const target = deepEnough ? column : indent;
  return " ".repeat(target - column) + blockValue(value, target, setting).join(lineBreak);
}

function isFilled(value: Value): boolean {
  return (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0);
}
