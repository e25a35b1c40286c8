import { quoted } from "../core/messages.ts";
import type { PlanDocument, PlanEntry } from "../core/plan-document.ts";
import { printableLine } from "./colour.ts";
import { maskText } from "./mask/text.ts";
import type { Occasion } from "./verdict-words.ts";

export interface HintOptions {
  readonly program: string;
  readonly occasion?: Occasion | undefined;
}

/** The command that changes what becomes of an entry, with what it would do; none where there is nothing to choose. */
export function hintFor(entry: PlanEntry, { name }: PlanDocument, { program, occasion }: HintOptions): string | undefined {
  // Whoever leaves has no entries to speak of, and whoever goes back asked for just that.
  if (occasion === "uninstall" || (occasion === "rollback" && entry.verdict !== "conflict")) return undefined;
  const key = quoted(printableLine(typedPart(entry.key)));
  switch (entry.verdict) {
    case "restore":
      return `to keep it out: ${program} disown ${key}`;
    case "conflict":
      return conflictHint(entry, name, program, key);
    case "keep":
      break;
    default:
      return undefined;
  }
  switch (entry.reason) {
    case "user-owned":
      return `to let ${name} keep it current: ${program} adopt ${key}`;
    case "user-modified":
    case "create-only":
      return `to take ${name}'s instead: ${program} resolve ${key} --theirs`;
    case "user-deleted":
      return `to have it back: ${program} adopt ${key}`;
    case "disowned":
      return `to let ${name} have it back: ${program} adopt ${key}`;
    case "obsolete-modified":
      return `to keep it for good: ${program} disown ${key}`;
    case "prune-off":
      return `to remove it: ${program} apply without --no-prune`;
    case "locked":
    case "blocked":
      return `to see why: ${program} explain ${key}`;
    default:
      return undefined;
  }
}

/** A command takes an unambiguous part of a key: of a masked one, the longest that is really there. */
function typedPart(key: string): string {
  return key.split(maskText).reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

function conflictHint(entry: PlanEntry, name: string, program: string, key: string): string {
  const owner = entry.reason === "owners-differ" ? ` --owner ${name}` : "";
  return `to settle it: ${program} resolve ${key}${owner} --mine (or --theirs)`;
}
