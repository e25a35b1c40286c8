import type { Document, Edit, EditResult, Format, SetEdit } from "../format.ts";
import { unquoted } from "../unquoted.ts";
import { abridge } from "./abridge.ts";
import { applyToData } from "./apply.ts";
import { compareData } from "./compare.ts";

/**
 * The check behind every write: both texts are read by the format's *second* reader, the edits are made on the plain
 * data of the first, and the outcome must be what the second text holds. Undefined when it is; else one line saying
 * where they part.
 *
 * It knows nothing of splices, so a mistake in ours or in a library's ranges can't hide from it.
 */
export function verifyEdit(format: Format, before: string, edits: readonly Edit[], after: string): string | undefined {
  const old = readOrSay(format, before);
  if (old.kind === "unreadable") return `a second reader can't read the text as it was: ${old.message}`;
  const made = readOrSay(format, after);
  if (made.kind === "unreadable") return `a second reader can't read the text as it would be: ${made.message}`;
  return faultIn(old.data, edits, made.data);
}

function faultIn(old: unknown, edits: readonly Edit[], made: unknown): string | undefined {
  const meant = applyToData(old, edits);
  if (meant.kind === "impossible") return meant.message;
  const where = compareData(meant.data, made);
  return where === undefined ? undefined : `the edited text does not hold what was meant at ${where}`;
}

/**
 * The same check at half the price, or less: long parts that stand unchanged in both texts are read once, on their own,
 * and the texts without them are checked. False says nothing: the check in full has the last word.
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
  const fault = verifyEdit(format, document.text, edits, result.text);
  if (fault === undefined) return result;
  return { kind: "refused", message: `not changed, because the change did not pass its check: ${fault}`, offset: 0 };
}

function readOrSay(
  format: Format,
  text: string,
): { kind: "data"; data: unknown } | { kind: "unreadable"; message: string } {
  try {
    return { kind: "data", data: format.readIndependently(text) };
  } catch (error) {
    return { kind: "unreadable", message: unquoted(error instanceof Error ? error.message : String(error)) };
  }
}
