import type { Value } from "../../core/value.ts";
import type { Place, Trace } from "../format.ts";

/**
 * Something new for a container. `edit`: the position of the edit it is for, undefined for what is part of another
 * change.
 */
export interface Insertion {
  readonly value: Value;
  readonly place: Place;
  readonly edit: number | undefined;
  /** Of what stands in the container already and was inserted, too. */
  readonly beside: readonly Trace[];
}

export function editsOf({ edit }: Insertion): number[] {
  return edit === undefined ? [] : [edit];
}

export function isBefore(place: Place): boolean {
  return place !== "end" && "before" in place;
}
