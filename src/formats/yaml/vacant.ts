import { mapOf } from "../../core/value.ts";
import { insertLines, lineBelow } from "./block.ts";
import { type Changes, groupsOf } from "./changes.ts";
import { columnOf, lineBreakAt, skipSpaces } from "./lines.ts";
import type { Patch } from "./patch.ts";
import { type Style, styleOf } from "./style.ts";
import { blockItem, blockPair, flowValue, type Setting } from "./write.ts";

/** Makes a map or list where nothing is written: below `key:`, behind a dash, in an empty file. */
export function fillVacant(changes: Changes, patch: Patch): void {
  const { node } = changes;
  const { text, syntax } = node.tree;
  const inserts = groupsOf(changes, 0).flatMap((group) => group.inserts);
  const style = styleOf(node.tree, node.parent?.collection);
  const isList = inserts[0]?.name === undefined;
  const indent = indentBelow(changes, isList, style);
  const lines = (literals: boolean) =>
    inserts.flatMap(({ name, value }) => {
      const setting: Setting = { style, literals };
      const [first, ...rest] =
        name === undefined ? blockItem(value, indent, setting) : blockPair(name, value, indent, setting);
      return [" ".repeat(indent) + first, ...rest];
    });
  const { entry } = node;
  if (entry === undefined) {
    insertLines(patch, text, syntax.bodyEnd, lines);
  } else if (node.parent?.collection?.kind === "list" && isEndOfLine(text, entry.headEnd)) {
    const added = lines(text.length > entry.headEnd).join(lineBreakAt(text, entry.headEnd));
    patch.insert(entry.headEnd, ` ${added.slice(indent)}`);
  } else {
    insertLines(patch, text, lineBelow(text, entry.headEnd, columnOf(text, entry.start)), lines);
  }
}

/** Makes a map or list where a null is written, on its line; `clear` puts the null back. */
export function replaceNull(changes: Changes, patch: Patch): void {
  const { entry, tree, parent } = changes.node;
  const style = styleOf(tree, parent?.collection);
  const inserts = groupsOf(changes, 0).flatMap((group) => group.inserts);
  const isList = inserts[0]?.name === undefined;
  const value = isList ? inserts.map((one) => one.value) : mapOf(inserts.map((one) => [one.name!, one.value]));
  patch.replace(entry!.valueStart, entry!.end, flowValue(value, style, parent?.collection?.style === "flow"));
}

function indentBelow({ node }: Changes, isList: boolean, style: Style): number {
  if (node.entry === undefined) return 0;
  const column = columnOf(node.tree.text, node.entry.start);
  if (node.parent?.collection?.kind === "list") return column + 2;
  return isList && style.indentless ? column : column + style.step;
}

function isEndOfLine(text: string, offset: number): boolean {
  const rest = text[skipSpaces(text, offset)];
  return rest === undefined || rest === "\n" || rest === "\r";
}
