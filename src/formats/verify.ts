import type { Document, Edit, EditResult, Format } from "./format.ts";
import { applyToData } from "./verify-apply.ts";
import { compareData } from "./verify-compare.ts";

/**
 * The check behind every write: both texts are read by the format's *second* reader, the edits are made on the plain data of the first,
 * and the outcome must be what the second text holds. Undefined when it is; else one line saying where they part.
 *
 * It knows nothing of splices, so a mistake in ours or in a library's ranges can't hide from it.
 */
export function verifyEdit(format: Format, before: string, edits: readonly Edit[], after: string): string | undefined {
  const old = readOrSay(format, before);
  if (old.kind === "unreadable") return `a second reader can't read the text as it was: ${old.message}`;
  const made = readOrSay(format, after);
  if (made.kind === "unreadable") return `a second reader can't read the text as it would be: ${made.message}`;
  const meant = applyToData(old.data, edits);
  if (meant.kind === "impossible") return meant.message;
  const where = compareData(meant.data, made.data);
  return where === undefined ? undefined : `the edited text does not hold what was meant at ${where}`;
}

/** Edits a document and checks the outcome: what does not pass is refused, whoever made the mistake. */
export function editVerified(format: Format, document: Document, edits: readonly Edit[]): EditResult {
  const result = document.edit(edits);
  if (result.kind === "refused") return result;
  const fault = verifyEdit(format, document.text, edits, result.text);
  if (fault === undefined) return result;
  return { kind: "refused", message: `not changed, because the change did not pass its check: ${fault}`, offset: 0 };
}

function readOrSay(format: Format, text: string): { kind: "data"; data: unknown } | { kind: "unreadable"; message: string } {
  try {
    return { kind: "data", data: format.readIndependently(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "unreadable", message: message.split("\n", 1)[0] ?? message };
  }
}
