import type { Diagnostic } from "../../core/diagnostic.ts";
import { jsonText } from "../../report/json-text.ts";

/**
 * What `--json` prints where a command could not do its work: a document like any other, in which nothing changes, with
 * the reason.
 */
export function failureDocument(diagnostics: readonly Diagnostic[]): string {
  return `${jsonText({ format_version: 1, changed: 0, summary: {}, entries: [], files: [], diagnostics })}\n`;
}
