import { YAMLException } from "js-yaml";
import { InputError } from "../../core/diagnostic.ts";
import type { DiagnosticCode } from "../../core/diagnostic-codes.ts";
import { tooLong } from "../../formats/limits.ts";
import { unquoted } from "../../formats/unquoted.ts";

/**
 * What a reader of js-yaml makes of a text, within the limit of all YAML; what is wrong is told under `code`, where it
 * stands.
 */
export function parseYaml<T>(
  text: string,
  { file, code }: { readonly file: string; readonly code: DiagnosticCode },
  read: (text: string) => T,
): T {
  const long = tooLong(text, "YAML");
  if (long !== undefined) throw new InputError({ code, message: long.message, file });
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line, column } = error.mark ?? { line: 0, column: 0 };
    throw new InputError({ code, message: unquoted(error.reason), file, line: line + 1, column: column + 1 });
  }
}
