import type { Diagnostic } from "../../core/diagnostic.ts";
import { sha256 } from "../../store/gate/content.ts";
import { type DeliveredContent, type EvaluatedHost, type FileKind, fileMode } from "./evaluation.ts";

/** What `stet host evaluate --json` prints. */
export interface EvaluationDocument {
  readonly host: string;
  /** The commit, with `-dirty` where the folder differs from it; null where there is none. */
  readonly rev: string | null;
  readonly services: readonly string[];
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly mode: string;
    readonly kind: FileKind;
    readonly service: string;
    readonly origin: readonly string[];
    /** Only of a symbolic link: where it points. */
    readonly link?: string;
  }[];
  readonly diagnostics: readonly Diagnostic[];
}

export function evaluationDocument(evaluation: EvaluatedHost, rev: string | undefined): EvaluationDocument {
  return {
    host: evaluation.host,
    rev: rev ?? null,
    services: evaluation.services,
    files: evaluation.files.map(({ path, kind, service, origin, content }) => ({
      path,
      sha256: contentHash(content),
      mode: contentMode(content),
      kind,
      service,
      origin,
      ...(content.kind === "symlink" ? { link: content.target } : {}),
    })),
    diagnostics: evaluation.diagnostics,
  };
}

/** Of the bytes, or of a link's target. */
export function contentHash(content: DeliveredContent): string {
  return sha256(content.kind === "file" ? content.bytes : content.target);
}

/** As octal text, and 0777 for a link, as `ls` has it. */
export function contentMode(content: DeliveredContent): string {
  if (content.kind === "symlink") return "0777";
  return fileMode(content).toString(8).padStart(4, "0");
}
