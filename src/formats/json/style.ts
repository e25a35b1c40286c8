import { isBlank, skipBlanksBack } from "../lines.ts";
import type { JsonNode } from "./tree.ts";

/** How a text is written near one container: what we add should look as if its author had written it. */
export interface JsonStyle {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
  /** Between a name and its value. */
  readonly colon: string;
  /** Behind a comma where the next entry stands on the same line. */
  readonly gap: string;
  /** Inside the braces of a map on one line. */
  readonly pad: () => string;
  /** A list of plain values nearby: a new one is written on one line, or on several, as this one is. */
  readonly list: () => JsonNode | undefined;
}

export function styleAt(container: JsonNode): JsonStyle {
  const colon = colonAt(container) ?? ": ";
  let pad: string | undefined;
  return {
    eol: container.scan.eol,
    unit: unitAt(container),
    colon,
    gap: gapAt(container) ?? (colon.endsWith(" ") ? " " : ""),
    pad: () => {
      pad ??= padAt(container) ?? "";
      return pad;
    },
    list: () => listNear(container),
  };
}

/** Whether a container's entries stand on lines of their own. */
export function hasLines(container: JsonNode): boolean {
  const first = container.members()[0];
  return first !== undefined && hasBreak(container.scan.text, container.start, first.start);
}

/** The indentation of the line on which an entry starts. */
export function lineIndent(node: JsonNode): string {
  const own = indentBefore(node.scan.text, node.entryRanges[0]!.start);
  return own ?? (node.parent === undefined ? "" : lineIndent(node.parent));
}

/** The indentation for an entry beside the given positions, or as the first one. */
export function entryIndent(container: JsonNode, neighbours: readonly number[]): string {
  for (const position of [...neighbours, 0]) {
    const member = container.members()[position];
    const indent = member && hasLines(container) ? indentBefore(container.scan.text, member.start) : undefined;
    if (indent !== undefined) return indent;
  }
  return lineIndent(container) + unitAt(container);
}

/** One step of indentation, as the nearest container around that shows it has it. */
function unitAt(container: JsonNode): string {
  for (let node: JsonNode | undefined = container; node !== undefined; node = node.parent) {
    const first = node.members()[0];
    const indent = first && hasLines(node) ? indentBefore(node.scan.text, first.start) : undefined;
    const base = indent === undefined ? "" : lineIndent(node);
    if (indent !== undefined && indent.length > base.length && indent.startsWith(base))
      return indent.slice(base.length);
  }
  return "  ";
}

/** How the nearest map, around or right inside, joins a name and its value. */
function colonAt(container: JsonNode): string | undefined {
  for (let node: JsonNode | undefined = container; node !== undefined; node = node.parent) {
    const map = node.kind === "list" && node.members().length > 0 ? node.child(0) : node;
    const colon = colonOf(map);
    if (colon !== undefined) return colon;
  }
  return undefined;
}

export function colonOf(map: JsonNode): string | undefined {
  const first = map.kind === "map" ? map.members()[0] : undefined;
  const colon = first === undefined ? undefined : map.scan.text.slice(first.nameEnd, first.valueStart);
  return colon !== undefined && /^[ \t]*:[ \t]*$/.test(colon) ? colon : undefined;
}

/** How many members show a container's habits, and how long each may be. */
const sample = { members: 16, length: 1 << 14 };

/** The list of plain values in the nearest container around that has one, up to two levels down. */
function listNear(container: JsonNode): JsonNode | undefined {
  for (let node: JsonNode | undefined = container; node !== undefined; node = node.parent) {
    const found = listIn(node, 2);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listIn(node: JsonNode, levels: number): JsonNode | undefined {
  const children = lastChildren(node);
  const isPlain = (child: JsonNode) => child.kind === "list" && child.child(0).kind === "scalar";
  const own = children.find((child) => child.members().length > 0 && isPlain(child));
  if (own !== undefined || levels === 1) return own;
  for (const child of children) {
    const below = child.kind === "scalar" ? undefined : listIn(child, levels - 1);
    if (below !== undefined) return below;
  }
  return undefined;
}

function lastChildren(node: JsonNode): JsonNode[] {
  const near = node.members().slice(-sample.members);
  const first = node.members().length - near.length;
  return near
    .flatMap(({ valueStart, end }, i) => (end - valueStart > sample.length ? [] : node.child(first + i)))
    .reverse();
}

/** The blanks between entries on one line, in the nearest container around that has such entries. */
export function gapAt(container: JsonNode): string | undefined {
  const { text } = container.scan;
  for (let node: JsonNode | undefined = container; node !== undefined; node = node.parent) {
    const [first, second] = node.members();
    if (first === undefined || second === undefined) continue;
    if (isBlank(text, first.comma + 1, second.start) && !hasBreak(text, first.comma + 1, second.start))
      return text.slice(first.comma + 1, second.start);
  }
  return undefined;
}

/** The blanks inside the braces of the nearest map on one line, around or beside. */
function padAt(container: JsonNode): string | undefined {
  for (let node: JsonNode | undefined = container; node !== undefined; node = node.parent)
    for (const near of [node, ...lastChildren(node)]) {
      const pad = near.kind === "map" ? padOf(near) : undefined;
      if (pad !== undefined) return pad;
    }
  return undefined;
}

/** What stands between a bracket and the first entry on the same line. */
export function padOf(container: JsonNode): string | undefined {
  const { text } = container.scan;
  const first = container.members()[0];
  if (first === undefined || hasLines(container) || !isBlank(text, container.start + 1, first.start)) return undefined;
  return text.slice(container.start + 1, first.start);
}

/** A line ends at `\n`, `\r\n` or a lone `\r`, as it does for a `//` comment. */
export function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x0a || code === 0x0d;
}

export function hasBreak(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isBreak(text, at)) return true;
  return false;
}

/** The start of the last line end between two offsets. */
export function lastBreak(text: string, start: number, end: number): number | undefined {
  for (let at = end - 1; at >= start; at--) {
    if (isBreak(text, at)) return text[at] === "\n" && at > start && text[at - 1] === "\r" ? at - 1 : at;
  }
  return undefined;
}

/** The offset behind the line end that stands here. */
export function afterBreak(text: string, at: number): number {
  return text[at] === "\r" && text[at + 1] === "\n" ? at + 2 : at + 1;
}

/** The indentation before an offset; undefined where something else stands before it on its line. */
export function indentBefore(text: string, offset: number): string | undefined {
  const at = skipBlanksBack(text, offset);
  const first = at === 0 || isBreak(text, at - 1) || (at === 1 && text.charCodeAt(0) === 0xfeff);
  return first ? text.slice(at, offset) : undefined;
}
