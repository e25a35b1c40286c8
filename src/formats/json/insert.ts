import { isBlank, skipBlanks } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { type Addition, endOfLine, type InsertContext } from "./addition.ts";
import { addBehindLeading, addFirstLeading } from "./leading-comma.ts";
import type { JsonNode } from "./node.ts";
import { type JsonPlace, renderEntry } from "./render.ts";
import { entryIndent, hasLines, type JsonStyle, styleAt } from "./style.ts";
import { hasBreak, indentBefore } from "./tokens.ts";

/** The text of an addition that takes a member's place. */
export function entryText(container: JsonNode, position: number, { name, value }: Addition): string {
  const indent = indentBefore(container.scan.text, container.members()[position]!.start);
  const place: JsonPlace = indent === undefined ? { kind: "within" } : { kind: "lines", indent };
  return renderEntry(name, value, place, styleAt(container), container.child(position));
}

/** Before all members: on lines of their own where the first stands on one, else right before it. */
export function addFirst(context: InsertContext, group: readonly Addition[]): Splice[] {
  const leading = addFirstLeading(context, group);
  if (leading !== undefined) return leading;
  const { container } = context;
  const style = styleAt(container);
  const line = endOfLine(container, container.start + 1);
  const model = container.child(0);
  if (line.kind === "break") {
    const indent = entryIndent(container, []);
    const text = group
      .map(
        (one) => `${style.eol}${indent}${renderEntry(one.name, one.value, { kind: "lines", indent }, style, model)},`,
      )
      .join("");
    return [{ start: line.at, end: line.at, text }];
  }
  const at = skipBlanks(container.scan.text, container.start + 1);
  const text = group
    .map((one) => `${renderEntry(one.name, one.value, { kind: "within" }, style, model)},${style.gap}`)
    .join("");
  return [{ start: at, end: at, text }];
}

/** Behind a member: the comma right behind its value, the new entries behind what else stands on its line. */
export function addBehind(context: InsertContext, position: number, group: readonly Addition[]): Splice[] {
  const leading = addBehindLeading(context, position, group);
  if (leading !== undefined) return leading;
  const { container, endsInComma, lastSlot } = context;
  const member = container.members()[position]!;
  const style = styleAt(container);
  const { at, place, lead } = placeBehind(container, position, style);
  const model = container.child(position);
  const entries = group.map((one) => lead + renderEntry(one.name, one.value, place, style, model));
  const ends = lastSlot !== position + 1 || endsInComma ? "," : "";
  const added: Splice = { start: at, end: at, text: `${entries.join(",")}${ends}` };
  return member.comma === -1 ? [{ start: member.end, end: member.end, text: "," }, added] : [added];
}

interface Landing {
  readonly at: number;
  readonly place: JsonPlace;
  /** What stands between the comma before an entry and the entry. */
  readonly lead: string;
}

function placeBehind(container: JsonNode, position: number, style: JsonStyle): Landing {
  const { text } = container.scan;
  const member = container.members()[position]!;
  const from = member.comma === -1 ? member.end : member.comma + 1;
  const line = endOfLine(container, from);
  const isLast = position === container.members().length - 1;
  const ownLine = line.kind === "break" && (!isLast || line.forced || indentBefore(text, member.start) !== undefined);
  const beforeClose = line.kind === "close" && hasLines(container) && indentBefore(text, member.start) !== undefined;
  if (ownLine || beforeClose) {
    const indent = entryIndent(container, [position, position + 1]);
    return { at: line.at, place: { kind: "lines", indent }, lead: style.eol + indent };
  }
  return {
    at: line.kind === "entry" ? from : line.commentEnd,
    place: { kind: "within" },
    lead: gapBeside(container, position) ?? style.gap,
  };
}

/** The blanks between two entries on one line, at this place. */
function gapBeside(container: JsonNode, position: number): string | undefined {
  const { text } = container.scan;
  const members = container.members();
  const left = members[position + 1] === undefined ? members[position - 1] : members[position];
  const right = members[position + 1] ?? members[position];
  if (left === undefined || right === undefined) return undefined;
  const [start, end] = [left.comma + 1, right.start];
  return isBlank(text, start, end) && !hasBreak(text, start, end) ? text.slice(start, end) : undefined;
}
