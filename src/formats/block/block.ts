import { lineBreakAt } from "../../text/lines.ts";
import type { Malformed, Range, Trace } from "../format.ts";
import { commentStyleOf, findMarkers, type Marker, markerName } from "./markers.ts";

/**
 * An owner's section in a text that others write too: the lines between `# BEGIN OWNER MANAGED` and `# END OWNER
 * MANAGED`, wherever a person has moved it. Markers that leave any doubt make the text malformed for that owner.
 */
export type BlockReading = { readonly kind: "absent" } | FoundBlock | Malformed;

interface FoundBlock {
  readonly kind: "found";
  /** What stands between the markers, with `\n` for every line break. Empty, or ending in one. */
  readonly body: string;
  /** With the marker lines. */
  readonly outer: Range;
  readonly inner: Range;
}

export type BlockEdit =
  | {
      readonly kind: "edited";
      readonly text: string;
      /** Of a block that was inserted: what `removeBlock` needs to give every byte back. */
      readonly trace: Trace | undefined;
    }
  | { readonly kind: "refused"; readonly message: string; readonly offset: number };

export function readBlock(text: string, owner: string): BlockReading {
  const name = markerName(owner);
  const markers = findMarkers(text);
  const own = markers.filter((marker) => marker.owner === name);
  if (own.length === 0) return { kind: "absent" };
  const pair = pairOf(own, name);
  if (pair.kind === "malformed") return pair;
  const { begin, end } = pair;
  const inside = markers.find((marker) => marker.start > begin.start && marker.start < end.start);
  const foreign = inside ?? foreignAround(markers, begin, end);
  if (foreign) return entangled(foreign, name);
  const body = text.slice(begin.end, end.start).replaceAll("\r\n", "\n");
  return {
    kind: "found",
    body,
    outer: { start: begin.start, end: end.end },
    inner: { start: begin.end, end: end.start },
  };
}

export interface BlockPlace {
  readonly fileName: string;
  /** What another owner's insertion returned, by the name its markers have. */
  readonly traceOf: (name: string) => Trace | undefined;
}

/**
 * Puts the body into the owner's block: where it stands, or in a new block at the end, behind a blank line. It gets the
 * text's line breaks. A block that holds the body already is left as it is.
 */
export function writeBlock(text: string, owner: string, body: string, place: BlockPlace): BlockEdit {
  const found = readBlock(text, owner);
  if (found.kind === "malformed") return { ...found, kind: "refused" };
  const content = asLines(body);
  const [nested] = findMarkers(content);
  if (nested)
    return refuse(
      `line ${nested.line} of the block to be written is itself a marker (of ${nested.owner}); change that line`,
      0,
    );
  if (found.kind === "absent") return insertBlock(text, owner, content, place);
  if (found.body === content) return { kind: "edited", text, trace: undefined };
  const { start, end } = found.inner;
  return { kind: "edited", text: text.slice(0, start) + withBreaks(content, text) + text.slice(end), trace: undefined };
}

/** Takes the block out, and what was put before it to set it off, as far as that still stands there. */
export function removeBlock(text: string, owner: string, trace: Trace | undefined): BlockEdit {
  const found = readBlock(text, owner);
  if (found.kind === "malformed") return { ...found, kind: "refused" };
  if (found.kind === "absent") return { kind: "edited", text, trace: undefined };
  const { start, end } = found.outer;
  let kept = start;
  if (trace?.blankLine === true && isEmptyLineBefore(text, kept)) kept = withoutBreak(text, kept);
  if (end === text.length && takesBreak(text, kept, trace)) kept = withoutBreak(text, kept);
  return { kind: "edited", text: text.slice(0, kept) + text.slice(end), trace: undefined };
}

/**
 * The text ends in a line break if it did before. What follows a block keeps the break between, and so does the block
 * above, unless we ended its last line.
 */
function takesBreak(text: string, kept: number, trace: Trace | undefined): boolean {
  return trace?.lastLineEnded === true || (trace?.inherited === true && blockEndingAt(text, kept) === undefined);
}

function insertBlock(text: string, owner: string, content: string, { fileName, traceOf }: BlockPlace): BlockEdit {
  const style = commentStyleOf(fileName, text);
  if (style === undefined) return refuse("files of this type have no comments, so a block can't be marked in one", 0);
  const marker = (word: "BEGIN" | "END") =>
    `${style.open} ${word} ${markerName(owner)} MANAGED${style.close && ` ${style.close}`}\n`;
  const isEmpty = text === "" || text === "\ufeff";
  const lastLineEnded = !isEmpty && !text.endsWith("\n");
  const blankLine = !isEmpty && !endsInBlankLine(lastLineEnded ? `${text}\n` : text);
  // A carriage return of the text's own must not become half of our line break, and go with it.
  const ending = text.endsWith("\r") ? "\r\n" : withBreaks("\n", text);
  const added = withBreaks(`${blankLine ? "\n" : ""}${marker("BEGIN")}${content}${marker("END")}`, text);
  // The block above may go first. Then it is for this one to remember that the line above both of them had no line
  // break.
  const above = blockEndingAt(text, text.length);
  const traceAbove = above && traceOf(above.owner);
  const inherited = traceAbove?.lastLineEnded === true || traceAbove?.inherited === true;
  return {
    kind: "edited",
    text: text + (lastLineEnded ? ending : "") + added,
    trace: { blankLine, lastLineEnded, ...(inherited && { inherited }) },
  };
}

/** The last line of somebody's block, if that is the line which ends there. */
function blockEndingAt(text: string, end: number): Marker | undefined {
  return findMarkers(text.slice(text.lastIndexOf("\n", end - 2) + 1, end)).find((marker) => marker.kind === "end");
}

type Pair = { readonly kind: "pair"; readonly begin: Marker; readonly end: Marker };

function pairOf(own: readonly Marker[], name: string): Pair | Malformed {
  const [first, second, third] = own as readonly [Marker, ...(Marker | undefined)[]];
  if (first.kind === "end") {
    const swapped = second?.kind === "begin" ? `; the BEGIN in line ${second.line} should come before it` : "";
    return malformed(
      `END ${name} MANAGED has no BEGIN before it${swapped || "; delete it, or put the BEGIN line back"}`,
      first,
    );
  }
  if (second === undefined)
    return malformed(`BEGIN ${name} MANAGED has no END; put the END line back, or delete this line`, first);
  if (second.kind === "begin")
    return malformed(
      `line ${first.line} already has BEGIN ${name} MANAGED, and no END comes before this one; delete one of them`,
      second,
    );
  if (third) {
    const again = third.kind === "begin" ? "begins a second block" : "is there twice";
    return malformed(
      `${third.kind.toUpperCase()} ${name} MANAGED ${again}; keep one block and delete the other lines`,
      third,
    );
  }
  return { kind: "pair", begin: first, end: second };
}

/** The BEGIN of somebody's block that ours stands in: open before ours, ended behind it. */
function foreignAround(markers: readonly Marker[], begin: Marker, end: Marker): Marker | undefined {
  const open = new Map<string, Marker>();
  for (const marker of markers) {
    if (marker.start > end.start) {
      const opened = open.get(marker.owner);
      if (marker.kind === "end" && opened) return opened;
      open.delete(marker.owner);
    } else if (marker.start < begin.start) {
      if (marker.kind === "begin") open.set(marker.owner, marker);
      else open.delete(marker.owner);
    }
  }
  return undefined;
}

function entangled(foreign: Marker, name: string): Malformed {
  const message = `the blocks of ${name} and ${foreign.owner} run into each other; move the lines of one out of the other`;
  return malformed(message, foreign);
}

/** A block is lines: what stands in it ends in a line break. */
export function asLines(body: string): string {
  const text = body.replaceAll("\r\n", "\n");
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function withBreaks(content: string, text: string): string {
  return content.replaceAll("\n", lineBreakAt(text));
}

/** Whether the last line is ended and holds nothing but blanks. */
function endsInBlankLine(text: string): boolean {
  if (!text.endsWith("\n")) return false;
  return text.slice(text.lastIndexOf("\n", text.length - 2) + 1).trim() === "";
}

/** Only a line that is really empty can be the one we put there. */
function isEmptyLineBefore(text: string, end: number): boolean {
  const before = withoutBreak(text, end);
  return before < end && (before === 0 || text[before - 1] === "\n" || (before === 1 && text[0] === "\ufeff"));
}

/** The place before the line break that ends there, if one does. */
function withoutBreak(text: string, end: number): number {
  if (text[end - 1] !== "\n") return end;
  return text[end - 2] === "\r" ? end - 2 : end - 1;
}

function malformed(message: string, { start }: Marker): Malformed {
  return { kind: "malformed", message, offset: start };
}

function refuse(message: string, offset: number): BlockEdit {
  return { kind: "refused", message, offset };
}
