/**
 * What an owner or a user says about entries whose key matches. Each property is taken from the first policy that has
 * it.
 */
export interface Policy {
  /** A pattern over keys: `*` is any text, `\*` a star. */
  readonly match: string;
  /** Only in this target. */
  readonly file?: string | undefined;
  /** Only for this owner (in the user's own policies). */
  readonly owner?: string | undefined;
  readonly whenDeleted?: "restore" | "respect" | undefined;
  readonly whenEdited?: "merge" | "keep" | "overwrite" | undefined;
  readonly whenPresent?: "keep" | "adopt" | undefined;
  readonly ignore?: readonly string[] | undefined;
  readonly createOnly?: boolean | undefined;
  /** Of what the user edited, when the owner is uninstalled. */
  readonly onUninstall?: "keep" | "remove" | undefined;
}

export interface Rulings {
  readonly whenDeleted: "restore" | "respect";
  readonly whenEdited: "merge" | "keep" | "overwrite";
  readonly whenPresent: "keep" | "adopt";
  readonly ignore: readonly string[];
  readonly createOnly: boolean;
  readonly onUninstall: "keep" | "remove";
}

const defaults: Rulings = {
  whenDeleted: "restore",
  whenEdited: "merge",
  whenPresent: "keep",
  ignore: [],
  createOnly: false,
  onUninstall: "keep",
};

/** The rulings for one key. `policies` are already narrowed to the owner and the file. */
export function rulingsFor(key: string, policies: readonly Policy[]): Rulings {
  if (policies.length === 0) return defaults;
  const matching = policies.filter((policy) => matchesPattern(policy.match, key));
  if (matching.length === 0) return defaults;
  const first = <P extends keyof Rulings>(property: P): Rulings[P] =>
    (matching.find((policy) => policy[property] !== undefined)?.[property] as Rulings[P] | undefined) ??
    defaults[property];
  return {
    whenDeleted: first("whenDeleted"),
    whenEdited: first("whenEdited"),
    whenPresent: first("whenPresent"),
    ignore: first("ignore"),
    createOnly: first("createOnly"),
    onUninstall: first("onUninstall"),
  };
}

/** Whole-text wildcard match in linear space and without backtracking blow-up: only the last star is ever retried. */
export function matchesPattern(pattern: string, text: string): boolean {
  const parts = patternParts(pattern);
  let [at, part, retryPart, retryAt] = [0, 0, -1, 0];
  while (at < text.length) {
    if (part < parts.length && parts[part] === "*") {
      [retryPart, retryAt] = [part++, at];
    } else if (part < parts.length && parts[part] === `=${text[at]}`) {
      part++;
      at++;
    } else if (retryPart >= 0) {
      part = retryPart + 1;
      at = ++retryAt;
    } else return false;
  }
  while (parts[part] === "*") part++;
  return part === parts.length;
}

/** `*` for a wildcard, `=c` for the character c. Only `\\*` is an escape: keys may be copied in as they are. */
function patternParts(pattern: string): string[] {
  const parts: string[] = [];
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "\\" && pattern[i + 1] === "*") {
      parts.push("=*");
      i++;
    } else if (pattern[i] !== "*") parts.push(`=${pattern[i]}`);
    else if (parts.at(-1) !== "*") parts.push("*");
  }
  return parts;
}
