import { orFault } from "../fault.ts";
import type { Splice } from "../splice.ts";
import type { Addition } from "./addition.ts";
import type { JsonNode } from "./node.ts";
import { renderEntry } from "./render.ts";
import { Scan } from "./scan.ts";
import { entryIndent, lineIndent, styleAt } from "./style.ts";
import { hasBreak, indentBefore } from "./tokens.ts";

/** What `clear` is given back for a text that held no braces at all. No container's inside can look like this. */
const noBraces = { newlineBehind: "no braces, newline behind", newlineBefore: "no braces, newline before" } as const;

/** What stands between the ends of an empty container, to be given back to `clear`. */
export function innerOf(container: JsonNode): string {
  const { text } = container.scan;
  if (!container.isAbsent) return text.slice(container.start + 1, container.end - 1);
  return endsInLine(text) ? noBraces.newlineBehind : noBraces.newlineBefore;
}

/** A text that is empty or ends in a line end: what we append to it is a line. */
function endsInLine(text: string): boolean {
  return /^\ufeff?$|[\r\n]$/.test(text.slice(-1));
}

/** The first entries of a container without any. */
export function fillEmpty(container: JsonNode, group: readonly Addition[]): Splice[] {
  if (group.length === 0) return [];
  const { text, eol } = container.scan;
  if (!container.isAbsent) return fillBraces(container, group);
  const map = `{${linesOf(container, group, "  ")}${eol}}`;
  return [{ start: text.length, end: text.length, text: endsInLine(text) ? map + eol : eol + map }];
}

function linesOf(container: JsonNode, group: readonly Addition[], indent: string): string {
  const style = styleAt(container);
  return group
    .map(
      (one) => `${style.eol}${indent}${renderEntry(one.name, one.value, { kind: "lines", indent }, style, undefined)}`,
    )
    .join(",");
}

/** On lines where the container itself stands on a line of its own, within its line otherwise; comments stay above. */
function fillBraces(container: JsonNode, group: readonly Addition[]): Splice[] {
  const { scan, start, end } = container;
  const from = scan.lastCommentEnd(start, end) ?? start + 1;
  const isFirstOfLine = indentBefore(scan.text, container.entryRanges[0]!.start) !== undefined;
  if (isFirstOfLine || hasBreak(scan.text, start, end)) {
    const keepsEnd = from > start + 1 && hasBreak(scan.text, from, end);
    const close = keepsEnd ? scan.text.slice(from, end - 1) : scan.eol + lineIndent(container);
    return [{ start: from, end: end - 1, text: linesOf(container, group, entryIndent(container, [])) + close }];
  }
  const style = styleAt(container);
  const entries = group
    .map((one) => renderEntry(one.name, one.value, { kind: "within" }, style, undefined))
    .join(`,${style.gap}`);
  if (from > start + 1) return [{ start: from, end: from, text: ` ${entries}` }];
  const pad = container.kind === "map" ? style.pad() : "";
  return [{ start: from, end: end - 1, text: pad + entries + pad }];
}

/** Puts `inner` back between the ends of a container, or takes away the braces of a text that had none. */
export function clearContainer(container: JsonNode, inner: string): Splice | undefined {
  const { start, end, scan } = container;
  const braces = inner === noBraces.newlineBehind || inner === noBraces.newlineBefore;
  if (!braces) return isInner(inner) ? { start: start + 1, end: end - 1, text: inner } : undefined;
  if (container.parent !== undefined || container.isAbsent) return undefined;
  const { text, eol } = scan;
  if (inner === noBraces.newlineBehind)
    return { start, end: text.startsWith(eol, end) ? end + eol.length : end, text: "" };
  return { start: text.endsWith(eol, start) ? start - eol.length : start, end, text: "" };
}

/** Nothing but blanks and comments: anything else would make entries out of what was asked to be emptied. */
function isInner(inner: string): boolean {
  const scan = orFault("malformed", () => new Scan(inner));
  return scan instanceof Scan && scan.root === undefined;
}
