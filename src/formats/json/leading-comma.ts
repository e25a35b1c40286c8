import { isBlank, skipSpaceBack } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { type Addition, endOfLine, type InsertContext } from "./addition.ts";
import type { JsonNode, Member } from "./node.ts";
import { renderEntry } from "./render.ts";
import { styleAt } from "./style.ts";
import { hasBreak, indentBefore, lastBreak } from "./tokens.ts";

/**
 * Some people start lines with the comma. Undefined where this is not the style at the place. Between two members
 * nothing else changes: an addition brings the comma behind it, only that this stands on the next line.
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

/**
 * What stands before (a line end and the indentation) and behind the comma of a member, where it starts a line with the
 * next member on it.
 */
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
