import { unquoted } from "../fault.ts";
import type { Abridging, Document, Edit, EditResult, Format, Range, SetEdit } from "../format.ts";
import { splice } from "../splice.ts";
import { applyToData, compareData } from "./compare.ts";

/** Both texts of an edit without the parts it leaves alone, and those parts. */
interface Abridged {
  readonly before: string;
  readonly after: string;
  readonly parts: readonly string[];
  readonly marks: readonly string[];
}

/** A word nobody writes; where somebody did, nothing is left out. Its rare first letter is found quickly. */
const mark = "Z-stet-stands-in-for-";

/** So much of a part is looked for; the whole of it must follow. Longer needles could take longer than one pass. */
const headLength = 64;

/** Undefined where there is nothing to leave out, or where the parts are not in the edited text as they were. */
function abridge(
  abridging: Abridging,
  document: Document,
  edits: readonly Edit[],
  after: string,
): Abridged | undefined {
  const before = document.text;
  const ranges = document.untouched(edits);
  if (ranges.length === 0 || before.includes(mark) || after.includes(mark)) return undefined;
  const parts = ranges.map(({ start, end }) => before.slice(start, end));
  const found = findInOrder(after, parts);
  if (found === undefined) return undefined;
  const marks = ranges.map((_, i) => `${mark}${i}-`);
  const shorten = (text: string, left: readonly Range[]) =>
    splice(
      text,
      left.map((range, i) => ({ ...range, text: abridging.standIn(marks[i]!) })),
    );
  const [old, made] = [shorten(before, ranges), shorten(after, found)];
  if (old.kind === "overlap" || made.kind === "overlap") return undefined;
  return { before: old.text, after: made.text, parts, marks };
}

/** Parts are only looked for, not known to be: should the wrong place be hit, the shorter texts will not agree. */
function findInOrder(text: string, parts: readonly string[]): Range[] | undefined {
  const ranges: Range[] = [];
  let from = 0;
  for (const part of parts) {
    const start = text.indexOf(part.slice(0, headLength), from);
    from = start + part.length;
    // Compared as a whole: over megabytes, many times as quick as `startsWith`.
    if (start === -1 || text.slice(start, from) !== part) return undefined;
    ranges.push({ start, end: from });
  }
  return ranges;
}

/**
 * The check behind every write. The format's *second* reader reads both texts, the edits are made on the data of the
 * first, and the second must hold the outcome. Undefined when it does, else one line saying where they differ. It knows
 * nothing of splices, so no mistake in ours or in a library's ranges can hide from it.
 */
export function verifyEdit(format: Format, before: string, edits: readonly Edit[], after: string): string | undefined {
  return verifyAgainst(() => format.readIndependently(before), format, edits, after);
}

function verifyAgainst(
  before: () => unknown,
  format: Format,
  edits: readonly Edit[],
  after: string,
): string | undefined {
  const old = readOrSay(before);
  if (old.kind === "unreadable") return `a second reader can't read the text as it was: ${old.message}`;
  const made = readOrSay(() => format.readIndependently(after));
  if (made.kind === "unreadable") return `a second reader can't read the text as it would be: ${made.message}`;
  return faultIn(old.data, edits, made.data);
}

function faultIn(old: unknown, edits: readonly Edit[], made: unknown): string | undefined {
  const meant = applyToData(old, edits);
  if (meant.kind === "impossible") return meant.message;
  const where = compareData(meant.data, made);
  return where === undefined ? undefined : `the edited text does not say what was meant at ${where}`;
}

/**
 * The same check at half the price or less: long parts that stand unchanged in both texts are read once, on their own.
 * False says nothing; the full check decides.
 */
export function passesAbridged(format: Format, document: Document, edits: readonly Edit[], after: string): boolean {
  const { abridging } = format;
  const short = abridging && abridge(abridging, document, edits, after);
  if (!short) return false;
  const { marks, parts } = short;
  try {
    const [old, made] = [format.readIndependently(short.before), format.readIndependently(short.after)];
    if (!abridging.sees(old, marks) || !abridging.sees(made, marks)) return false;
    return (
      abridging.readApart(parts, marks, [old, made], format.readIndependently) &&
      faultIn(old, edits, made) === undefined
    );
  } catch {
    return false;
  }
}

/** Edits a document and checks the outcome: what does not pass is refused, whoever made the mistake. */
export function editVerified(format: Format, document: Document, edits: readonly Edit[]): EditResult {
  const result = editChecked(format, document, edits);
  if (result.kind === "edited" || !edits.some(hasText)) return result;
  // A text that once stood there need not fit any more: then the value is written as any other.
  return editChecked(
    format,
    document,
    edits.map((edit) => (hasText(edit) ? { ...edit, text: undefined } : edit)),
  );
}

function hasText(edit: Edit): edit is SetEdit {
  return edit.kind === "set" && edit.text !== undefined;
}

function editChecked(format: Format, document: Document, edits: readonly Edit[]): EditResult {
  const result = document.edit(edits);
  if (result.kind === "refused" || passesAbridged(format, document, edits, result.text)) return result;
  const before = () => document.independently?.() ?? format.readIndependently(document.text);
  const fault = verifyAgainst(before, format, edits, result.text);
  if (fault === undefined) return result;
  return { kind: "refused", message: `not changed, because the edit failed its check: ${fault}`, offset: 0 };
}

function readOrSay(read: () => unknown): { kind: "data"; data: unknown } | { kind: "unreadable"; message: string } {
  try {
    return { kind: "data", data: read() };
  } catch (error) {
    return { kind: "unreadable", message: unquoted(error instanceof Error ? error.message : String(error)) };
  }
}
