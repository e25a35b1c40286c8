import { isBlank, skipBlanks, skipSpaceBack } from "../lines.ts";
import type { Splice } from "../splice.ts";
import { lineOfComma } from "./insert.ts";
import { afterBreak, isBreak, lastBreak } from "./style.ts";
import type { JsonNode, Member } from "./tree.ts";

/** Takes members out, each with the comma behind it and the line it leaves empty. Comments beside them stay. */
export function cutRuns(container: JsonNode, removed: ReadonlySet<number>): Splice[] {
  const members = container.members();
  const splices: Splice[] = [];
  for (const position of [...removed].sort((a, b) => a - b)) {
    const previous = removed.has(position - 1) ? members[position - 1] : undefined;
    const member = members[position]!;
    if (previous !== undefined && continues(container.scan.text, previous, member)) continue;
    splices.push(...cutRun(container, removed, position));
  }
  return splices;
}

/** Neighbours with nothing but blanks and a comma between them go in one cut. */
function continues(text: string, previous: Member, member: Member): boolean {
  return isBlank(text, previous.end, previous.comma) && isBlank(text, previous.comma + 1, member.start);
}

function cutRun(container: JsonNode, removed: ReadonlySet<number>, first: number): Splice[] {
  const { end, strayComma } = endOfRun(container, removed, first);
  const cut = { ...widen(container, container.members()[first]!.start, end), text: "" };
  return strayComma === undefined ? [cut] : [cut, { start: strayComma, end: strayComma + 1, text: "" }];
}

/** Where a run of removed members ends, with its last comma. A comma behind a comment goes alone: the comment stays. */
function endOfRun(
  container: JsonNode,
  removed: ReadonlySet<number>,
  first: number,
): { end: number; strayComma: number | undefined } {
  const { text } = container.scan;
  const members = container.members();
  let last = first;
  while (removed.has(last + 1) && continues(text, members[last]!, members[last + 1]!)) last++;
  const { end, comma } = members[last]!;
  if (comma === -1) return { end, strayComma: undefined };
  return isBlank(text, end, comma) ? { end: comma + 1, strayComma: undefined } : { end, strayComma: comma };
}

/** With the blanks that an insertion at this place would have brought. */
function widen(container: JsonNode, start: number, end: number): { start: number; end: number } {
  const { text } = container.scan;
  const blanks = skipSpaceBack(text, start);
  const rest = skipBlanks(text, end);
  const line = lastBreak(text, blanks, start);
  if (line === undefined) {
    const first = blanks === container.start + 1;
    const followed = !isBreak(text, rest) && rest !== container.end - 1;
    return first && followed ? { start, end: rest } : { start: blanks, end };
  }
  if (isBreak(text, rest))
    return { start: isBlankLineLeft(container, blanks, line, rest) ? lastBreak(text, blanks, line)! : line, end: rest };
  // What follows on the line would slip into a line comment above if the line end went.
  if (rest === container.end - 1 && !endsInLineComment(container, blanks)) return { start: line, end };
  return { start, end: rest };
}

/** A blank line above, and below it another one or the end: one of them was there for the entry. */
function isBlankLineLeft(container: JsonNode, blanks: number, line: number, rest: number): boolean {
  const { text } = container.scan;
  if (lastBreak(text, blanks, line) === undefined) return false;
  const next = skipBlanks(text, afterBreak(text, rest));
  return isBreak(text, next) || next === container.end - 1;
}

function endsInLineComment(container: JsonNode, offset: number): boolean {
  const { scan } = container;
  return scan.lastCommentEnd(container.start, offset) === offset && !scan.text.startsWith("*/", offset - 2);
}

/** Takes away the comma of a member that is now the last, with the line that starts with it. */
export function cutComma(container: JsonNode, position: number, removed: ReadonlySet<number>): Splice[] {
  const { text } = container.scan;
  const [member, next] = [container.members()[position]!, container.members()[position + 1]];
  if (member.comma === -1) return [];
  const line = lineOfComma(container, member, next);
  // As above: what stays of that line must not slip into a line comment.
  const joins = line !== undefined && endsInLineComment(container, skipSpaceBack(text, line));
  const safe = !joins || isBreak(text, skipBlanks(text, endOfRun(container, removed, position + 1).end));
  return [{ start: (safe ? line : undefined) ?? member.comma, end: member.comma + 1, text: "" }];
}
