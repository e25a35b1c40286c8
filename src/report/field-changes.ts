import { equalValues, field, isMap, type Value } from "../core/value.ts";

/** What differs between two values, by the path of the smallest fields that do; an empty path is the value itself. */
export interface FieldChange {
  readonly path: readonly string[];
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

export function fieldChanges(before: Value | undefined, after: Value | undefined, path: readonly string[] = []): FieldChange[] {
  if (equalValues(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ path, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    fieldChanges(field(before, name), field(after, name), [...path, name]),
  );
}

/** A field that both sides changed, differently. */
export interface Clash {
  readonly path: readonly string[];
  readonly base: Value | undefined;
  readonly yours: Value | undefined;
  readonly theirs: Value | undefined;
}

export function clashes(base: Value | undefined, yours: Value | undefined, theirs: Value | undefined): Clash[] {
  const paths = new Map(
    [...fieldChanges(base, yours), ...fieldChanges(base, theirs)].map(({ path }) => [JSON.stringify(path), path] as const),
  );
  return [...paths.values()]
    .map((path) => ({ path, base: valueAt(base, path), yours: valueAt(yours, path), theirs: valueAt(theirs, path) }))
    .filter((each) => !equalValues(each.yours, each.theirs) && !equalValues(each.base, each.yours) && !equalValues(each.base, each.theirs));
}

function valueAt(value: Value | undefined, path: readonly string[]): Value | undefined {
  return path.reduce<Value | undefined>((at, name) => field(at, name), value);
}
