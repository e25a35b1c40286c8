import { changesBytes } from "../core/plan-document.ts";
import { field } from "../core/value.ts";
import type { FileDecision } from "./file-entry.ts";

/** A comment in an entry can't go along to another place, and is not ours to lose: the entry stays where it is, and that is told. */
export function withCommentKept(decision: FileDecision): FileDecision {
  const { actual, outcome, moved } = decision;
  if (!moved || actual === undefined || !changesBytes(decision) || actual.comments.length === 0 || staysInPlace(decision)) return decision;
  return {
    ...decision,
    actual: { ...actual, fixed: "it is to be renamed, and a comment inside it would be lost" },
    outcome: { ...outcome, verdict: "keep", reason: "locked", result: actual.value, record: { kind: "same" }, conflicts: [] },
  };
}

/** An item of a list is renamed where it stands, unless a part of its key that it does not hold itself leads to another list or group. */
function staysInPlace({ desired, recorded, rekeyed }: FileDecision): boolean {
  if (desired === undefined || recorded === undefined || rekeyed || typeof desired.location.at(-1) === "string") return false;
  const around = Object.keys(desired.source).filter((name) => name !== "value" && field(desired.value, name) === undefined);
  return around.every((name) => desired.source[name] === recorded.source[name]);
}
