import type { Value } from "../../core/value.ts";
import type { Splice } from "../splice.ts";
import { hasBreak, indentBefore, isBlank, isBreak, skipSpaces } from "./blanks.ts";
import { addBehindLeading, addFirstLeading } from "./leading-comma.ts";
import type { JsonNode } from "./node.ts";
import { type Place, renderEntry } from "./render.ts";
import { endOfComment } from "./scan.ts";
import { entryIndent, hasLines, type Style, styleAt } from "./style.ts";

export interface Addition {
  readonly name: string | undefined;
  readonly value: Value;
  /** Where several meet between two members: those behind the one come first, then those before the other, then those for the end. */
  readonly order: 0 | 1 | 2;
}

export interface InsertContext {
  readonly container: JsonNode;
  /** The author ends this container in a comma: so does what we add at its end. */
  readonly endsInComma: boolean;
  /** The slot whose group will stand last, if one will. */
  readonly lastSlot: number | undefined;
}

/** The text of an addition that takes a member's place. */
export function entryText(container: JsonNode, position: number, { name, value }: Addition): string {
  const indent = indentBefore(container.scan.text, container.members()[position]!.start);
  const place: Place = indent === undefined ? { kind: "within" } : { kind: "lines", indent };
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
      .map((one) => `${style.eol}${indent}${renderEntry(one.name, one.value, { kind: "lines", indent }, style, model)},`)
      .join("");
    return [{ start: line.at, end: line.at, text }];
  }
  const at = skipSpaces(container.scan.text, container.start + 1);
  const text = group.map((one) => `${renderEntry(one.name, one.value, { kind: "within" }, style, model)},${style.gap}`).join("");
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
  readonly place: Place;
  /** What stands between the comma before an entry and the entry. */
  readonly lead: string;
}

function placeBehind(container: JsonNode, position: number, style: Style): Landing {
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

interface LineEnd {
  /** What comes behind the comments on the line: its end, the container's end, or another entry. */
  readonly kind: "break" | "close" | "entry";
  /** Behind the comments and, where the line ends, behind its blanks. */
  readonly at: number;
  readonly commentEnd: number;
  /** Whether a `//` comment forbids going on in this line. */
  readonly forced: boolean;
}

export function endOfLine(container: JsonNode, from: number): LineEnd {
  const { text } = container.scan;
  let commentEnd = from;
  for (let at = skipSpaces(text, from); ; at = skipSpaces(text, commentEnd)) {
    if (isBreak(text, at)) return { kind: "break", at, commentEnd, forced: false };
    if (at === container.end - 1) return { kind: "close", at: commentEnd, commentEnd, forced: false };
    if (text[at] !== "/") return { kind: "entry", at: from, commentEnd, forced: false };
    commentEnd = endOfComment(text, at);
    if (text[at + 1] === "/") return { kind: "break", at: commentEnd, commentEnd, forced: true };
  }
}
