import type { PlanEntry } from "../core/plan-document.ts";
import type { Value } from "../core/value.ts";
import { mergeText } from "../text/merge-text.ts";
import type { Paint } from "./colour.ts";
import { clashes, fieldChanges } from "./field-changes.ts";
import { besideEachOther, fieldLabel, ownersSide } from "./sides.ts";

/** What is in conflict: the user's and the owner's side by side, and what both began from. */
export function conflictLines(entry: PlanEntry, owner: string, paint: Paint): string[] {
  const { base, actual, desired } = entry;
  if (entry.others !== undefined) return wishLines(entry, owner, paint);
  const texts = [base, actual, desired].filter((value) => typeof value === "string");
  if (texts.length === 3 && texts.some((text) => text.includes("\n"))) return textLines(texts[0]!, texts[1]!, texts[2]!, owner, paint);
  return clashes(base, actual, desired).flatMap(({ path, ...sides }) => clashLines(fieldLabel(path), sides, owner, paint));
}

/** Where owners differ: what is there, and what this one wants. */
function wishLines({ actual, desired }: PlanEntry, owner: string, paint: Paint): string[] {
  return fieldChanges(actual, desired).flatMap(({ path, before, after }) =>
    besideEachOther(fieldLabel(path), [
      { name: "there", value: before, colour: paint.green },
      { name: ownersSide(owner), value: after, colour: paint.yellow },
    ]),
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
