import { mergeText } from "../core/merge-text.ts";
import type { PlanEntry } from "../core/plan-document.ts";
import type { Value } from "../core/value.ts";
import { type Paint, printableLine } from "./colour.ts";
import { clashes } from "./field-changes.ts";
import { besideEachOther, ownersSide } from "./sides.ts";

/** What is in conflict: the user's and the owner's side by side, and what both began from. */
export function conflictLines({ base, actual, desired }: PlanEntry, owner: string, paint: Paint): string[] {
  const texts = [base, actual, desired].filter((value) => typeof value === "string");
  if (texts.length === 3 && texts.some((text) => text.includes("\n"))) return textLines(texts[0]!, texts[1]!, texts[2]!, owner, paint);
  return clashes(base, actual, desired).flatMap(({ path, ...sides }) =>
    clashLines(path.length === 0 ? "" : `${printableLine(path.join("."))}: `, sides, owner, paint),
  );
}

interface Sides {
  readonly base: Value | undefined;
  readonly yours: Value | undefined;
  readonly theirs: Value | undefined;
}

function clashLines(label: string, { base, yours, theirs }: Sides, owner: string, paint: Paint): string[] {
  return besideEachOther(label, [
    { name: "yours", value: yours, colour: paint.green },
    { name: ownersSide(owner), value: theirs, colour: paint.yellow },
    ...(base === undefined ? [] : [{ name: "before", value: base, colour: paint.dim }]),
  ]);
}

/** Of a longer text only the parts that both changed, by the line where they begin in the user's. */
function textLines(base: string, actual: string, desired: string, owner: string, paint: Paint): string[] {
  const merged = mergeText(base, actual, desired);
  if (merged.kind === "merged") return [];
  return merged.regions.flatMap((region) => {
    const sides = { base: region.base, yours: region.ours, theirs: region.theirs };
    return clashLines(`line ${region.line}: `, sides, owner, paint);
  });
}
