export const findingCodes = [
  "unreadable-registry",
  "unreadable-file",
  "script-missing",
  "script-not-executable",
  "program-not-found",
  "tilde-not-expanded",
  "variable-not-expanded",
  "missing-file",
  "missing-entry",
  "conflict",
  "duplicate",
  "hash-mismatch",
  "shadowed-file",
  "other-config-folder",
  "hooks-disabled",
  "managed-elsewhere",
  "unfinished-run",
  "open-permissions",
  "damaged-history",
  "stale-history",
  "project-gone",
  "held",
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** Something that keeps an installation from being effective, or from being what its records say. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: "error" | "warning" | "info";
  /** What is wrong. */
  readonly message: string;
  readonly fix: string;
  readonly owner?: string | undefined;
  readonly file?: string | undefined;
  readonly key?: string | undefined;
}
