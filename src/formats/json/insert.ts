import type { Value } from "../../core/value.ts";
import { isBlank, skipBlanks, skipSpaceBack } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { endOfComment } from "./read.ts";
import { type JsonPlace, renderEntry } from "./render.ts";
import { entryIndent, hasBreak, hasLines, indentBefore, isBreak, type JsonStyle, lastBreak, styleAt } from "./style.ts";
import type { JsonNode, Member } from "./tree.ts";

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

/**
 * Where lines start with the comma; undefined where they don't. Between two members an addition still brings the comma
 * behind it, which here stands on the next line.
 */
export function addBehindLeading(
  context: InsertContext,
  position: number,
  group: readonly Addition[],
): Splice[] | undefined {
  const { container, endsInComma, lastSlot } = context;
  const members = container.members();
  const member = members[position]!;
  if (position === members.length - 1)
    return member.comma === -1 ? addLastLeading(container, position, group) : undefined;
  const separator = separatorAt(container, position);
  if (separator === undefined) return undefined;
  const entries = group.map((one) => separator.gap + leadingEntry(container, position, one));
  const ends = lastSlot !== position + 1 || endsInComma ? `${separator.line},` : "";
  const at = member.comma + 1;
  return [{ start: at, end: at, text: entries.join(`${separator.line},`) + ends }];
}

/** At the end, where the comma goes in front of the addition instead of behind the last member. */
function addLastLeading(container: JsonNode, position: number, group: readonly Addition[]): Splice[] | undefined {
  const separator = separatorAt(container, position - 1);
  if (separator === undefined) return undefined;
  const { at } = endOfLine(container, container.members()[position]!.end);
  const text = group
    .map((one) => `${separator.line},${separator.gap}${leadingEntry(container, position, one)}`)
    .join("");
  return [{ start: at, end: at, text }];
}

/** Before the first member, which then gets the comma in front. */
export function addFirstLeading({ container }: InsertContext, group: readonly Addition[]): Splice[] | undefined {
  const separator = separatorAt(container, 0);
  const { start } = container.members()[0]!;
  if (separator === undefined || !isBlank(container.scan.text, container.start + 1, start)) return undefined;
  const text = group.map((one) => `${leadingEntry(container, 0, one)}${separator.line},${separator.gap}`).join("");
  return [{ start, end: start, text }];
}

function leadingEntry(container: JsonNode, position: number, { name, value }: Addition): string {
  const comma = container.members().find((member) => member.comma !== -1)!.comma;
  const indent = indentBefore(container.scan.text, comma) ?? "";
  return renderEntry(name, value, { kind: "lines", indent }, styleAt(container), container.child(position));
}

/** The line end and indentation before, and the blanks behind, a comma that starts the next member's line. */
function separatorAt(container: JsonNode, position: number): { line: string; gap: string } | undefined {
  const { text } = container.scan;
  const [member, next] = [container.members()[position], container.members()[position + 1]];
  const line = member === undefined ? undefined : lineOfComma(container, member, next);
  if (line === undefined) return undefined;
  return { line: text.slice(line, member!.comma), gap: text.slice(member!.comma + 1, next!.start) };
}

/** The line end before a comma that starts a line and is followed by the next member on it. */
export function lineOfComma(
  { scan: { text } }: JsonNode,
  { comma }: Member,
  next: Member | undefined,
): number | undefined {
  if (comma === -1 || next === undefined) return undefined;
  const sameLine = isBlank(text, comma + 1, next.start) && !hasBreak(text, comma + 1, next.start);
  return sameLine ? lastBreak(text, skipSpaceBack(text, comma), comma) : undefined;
}

export interface Addition {
  readonly name: string | undefined;
  readonly value: Value;
  /** Between two members: first those behind the one, then those before the other, then those for the end. */
  readonly order: 0 | 1 | 2;
}

export interface InsertContext {
  readonly container: JsonNode;
  /** The author ends this container in a comma: so does what we add at its end. */
  readonly endsInComma: boolean;
  /** The slot whose group will stand last, if one will. */
  readonly lastSlot: number | undefined;
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
  for (let at = skipBlanks(text, from); ; at = skipBlanks(text, commentEnd)) {
    if (isBreak(text, at)) return { kind: "break", at, commentEnd, forced: false };
    if (at === container.end - 1) return { kind: "close", at: commentEnd, commentEnd, forced: false };
    if (text[at] !== "/") return { kind: "entry", at: from, commentEnd, forced: false };
    commentEnd = endOfComment(text, at);
    if (text[at + 1] === "/") return { kind: "break", at: commentEnd, commentEnd, forced: true };
  }
}
