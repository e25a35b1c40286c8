import { Exact, isList, isMap, type Value } from "../../src/core/value.ts";
import type { Edit, InsertEdit, Path, RemoveEdit, SetEdit } from "../../src/formats/format.ts";
import type { Samples } from "./conformance.ts";

/**
 * All cases in CI, and with WHOLE=1. Elsewhere a few of many, spread over the list, and others for each document: the
 * whole of YAML takes half a minute.
 */
export function chosen<T>(cases: readonly T[], turn: number): readonly T[] {
  const isWhole = process.env.CI === "true" || process.env.WHOLE === "1";
  return isWhole || cases.length <= 6 ? cases : cases.filter((_, i) => (i + turn) % 5 === 0);
}

export interface Container {
  readonly path: Path;
  readonly value: Value;
}

/** Every map and list of a value, the root first. */
export function* containersOf(value: Value, path: Path = []): Generator<Container> {
  if (!isMap(value) && !isList(value)) return;
  yield { path, value };
  for (const [step, child] of childrenOf(value)) yield* containersOf(child, [...path, step]);
}

function childrenOf(value: Value): [string | number, Value][] {
  if (isList(value)) return value.map((item, i) => [i, item]);
  return isMap(value) ? Object.entries(value) : [];
}

/** One insertion for every place there is: the end, and before and behind each entry. */
export function inserts(value: Value, samples: Samples): InsertEdit[] {
  return [...containersOf(value)].flatMap(({ path, value: container }) => {
    const name = isMap(container) ? samples.names[0] : undefined;
    const steps = childrenOf(container).map(([step]) => step);
    const places = ["end" as const, ...steps.flatMap((step) => [{ before: step }, { after: step }])];
    return places.map((place, i) => ({
      kind: "insert" as const,
      into: path,
      name,
      value: fitting(container, samples, i),
      place,
    }));
  });
}

/** A value like those a list holds (some formats have no mixed lists); in maps any of the samples. */
function fitting(container: Value, { values }: Samples, turn: number): Value {
  if (!isList(container)) return values[turn % values.length]!;
  const like = container[0];
  if (isMap(like)) return { ...like, extra: "added" };
  if (isList(like)) return [...like];
  if (typeof like === "number") return 4711;
  if (typeof like === "boolean") return !like;
  return "added text";
}

/** Every entry given another value of its own kind, and every entry of a map given each of the sample values. */
export function sets(value: Value, samples: Samples): SetEdit[] {
  return [...containersOf(value)].flatMap(({ path, value: container }) =>
    childrenOf(container).flatMap(([step, child]) => {
      const others = isMap(container) ? samples.values : [];
      return [changed(child), ...others].map((next) => ({ kind: "set" as const, at: [...path, step], value: next }));
    }),
  );
}

function changed(value: Value): Value {
  if (value instanceof Exact || value === null) return value;
  if (isMap(value)) return { ...value, changed: "yes" };
  if (isList(value)) return value.length === 0 ? ["first"] : [...value, value[0]!];
  if (typeof value === "number") return value + 1;
  return typeof value === "boolean" ? !value : `${value} changed`;
}

export function removals(value: Value): RemoveEdit[] {
  return [...containersOf(value)].flatMap(({ path, value: container }) =>
    childrenOf(container).map(([step]) => ({ kind: "remove" as const, at: [...path, step] })),
  );
}

/**
 * Edits that meet: all or neighbouring entries removed, entries added beside removed and changed ones, and everything
 * changed at once.
 */
export function batches(value: Value, samples: Samples): Edit[][] {
  const perContainer = [...containersOf(value)].flatMap((container) => batchesOf(container, samples));
  const scalars = sets(value, samples).filter(({ at }, i, all) => isFirstScalarSet(value, at, all, i));
  return [...perContainer, scalars].filter((edits) => edits.length > 0);
}

function isFirstScalarSet(value: Value, at: Path, all: readonly SetEdit[], i: number): boolean {
  const child = at.reduce<Value | undefined>(
    (v, step) => (v as Record<string | number, Value> | undefined)?.[step],
    value,
  );
  return (
    !isMap(child) && !isList(child) && all.findIndex((other) => JSON.stringify(other.at) === JSON.stringify(at)) === i
  );
}

function batchesOf({ path, value }: Container, samples: Samples): Edit[][] {
  const steps = childrenOf(value).map(([step]) => step);
  const remove = (step: string | number): Edit => ({ kind: "remove", at: [...path, step] });
  const add = (place: InsertEdit["place"], n: number): Edit => ({
    kind: "insert",
    into: path,
    name: isMap(value) ? `${samples.names[0]}${n}` : undefined,
    value: fitting(value, samples, n),
    place,
  });
  const all = steps.map(remove);
  const beside = steps.map((step) => [remove(step), add({ after: step }, 1), add({ after: step }, 2)]);
  const before = steps.map((step) => [add({ before: step }, 1), remove(step)]);
  const changedToo = steps.map((step, i): Edit[] => [
    { kind: "set", at: [...path, step], value: fitting(value, samples, i) },
    add({ after: step }, 1),
  ]);
  return [
    all,
    steps.slice(0, -1).map(remove),
    steps.slice(1).map(remove),
    steps.filter((_, i) => i % 2 === 0).map(remove),
    [add("end", 1), add("end", 2), add("end", 3)],
    [...all, add("end", 1)],
    [...all, add("end", 1), add("end", 2)],
    ...beside,
    ...before,
    ...changedToo,
  ];
}
