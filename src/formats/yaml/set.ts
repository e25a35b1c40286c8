import { isScalar } from "yaml";
import { isList, isMap, type Value } from "../../core/value.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { SetEdit } from "../format.ts";
import { beginsLine, columnOf, lineStart, skipBlanks } from "../lines.ts";
import { canEndInLiteral } from "./block.ts";
import type { Patch } from "./changes.ts";
import type { YamlCollection, YamlEntry } from "./collection.ts";
import type { YamlNode } from "./node.ts";
import { blockValue, flowValue, type Setting } from "./render.ts";
import { styleOf, type YamlStyle } from "./style.ts";

/** Writes another value in the place of one. What stands before and behind it does not move. */
export function setValue(node: YamlNode, { value, text }: Pick<SetEdit, "value" | "text">, patch: Patch): void {
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
