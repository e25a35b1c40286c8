import { writes } from "../core/plan.ts";
import { pathKey } from "../entries/entry-paths.ts";
import type { FileDecision } from "../entries/file-entry.ts";
import type { Path } from "../formats/format.ts";

/**
 * What can only be decided once something of ours has gone: `a: 1` becomes `a: { b: 1 }`, or the other way round. Where one wish takes the
 * place of another, the old entry goes first, and the new one is planned on the text without it.
 */
export function waitingForRemovals(decisions: readonly FileDecision[]): ReadonlySet<string> {
  const removed = decisions.filter(({ outcome, actual }) => actual && outcome.result === undefined && writes(outcome, actual));
  if (removed.length === 0) return new Set();
  const going = new Set(removed.map(({ actual }) => pathKey(actual!.path)));
  const emptying = new Set(removed.flatMap(({ actual }) => prefixesOf(actual!.path)));
  const waits = ({ desired, recorded, actual }: FileDecision) => {
    if (desired === undefined) return false;
    if (actual !== undefined && prefixesOf(actual.path).some((prefix) => going.has(prefix))) return true;
    // What is to be renamed into a place that is taken waits like what is to be added there.
    if (actual !== undefined && desired.blocked === undefined) return recorded === undefined && emptying.has(pathKey(actual.path));
    const names = desired.location.filter((step): step is string => typeof step === "string");
    return prefixesOf(names.length < desired.location.length ? [...names, 0] : names).some((prefix) => going.has(prefix));
  };
  return new Set(decisions.filter(waits).map(({ key }) => key));
}

/** All containers around what stands at a path, but the root: that one never goes. */
function prefixesOf(path: Path): string[] {
  return path.slice(1).map((_, i) => pathKey(path.slice(0, i + 1)));
}

/** Nothing yet: what is there stays, and so does what is recorded. */
export function waiting(decision: FileDecision): FileDecision {
  const outcome = { verdict: "keep", reason: "blocked", result: decision.actual?.value, record: { kind: "same" }, conflicts: [] } as const;
  return { ...decision, copies: [], outcome };
}
