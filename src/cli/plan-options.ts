/** What `plan` takes besides the common options. */
export const planOptions = {
  diff: { type: "boolean" },
  "exit-code": { type: "boolean" },
  "no-prune": { type: "boolean" },
  unhold: { type: "boolean" },
  out: { type: "string" },
} as const;

/** What `apply` takes besides the common options. */
export const applyOptions = {
  diff: { type: "boolean" },
  "dry-run": { type: "boolean" },
  strict: { type: "boolean" },
  "no-prune": { type: "boolean" },
  unhold: { type: "boolean" },
} as const;
