import { InputError } from "../../core/diagnostic.ts";
import type { PlaceRecord, Registry } from "../../core/records.ts";
import { canonicalText, isMap, mapOf, type Value } from "../../core/value.ts";
import type { OwnerState } from "../../engine/owner-state.ts";
import type { Place, PlaceMove } from "../../engine/place.ts";
import { settingType } from "../../identity/rules/keys.ts";
import type { Reading } from "../../readings/reading.ts";
import type { Move } from "../manifest/pack.ts";

/**
 * Files of a folder that a release ships under another name: the new place knows the old one, whose content and record
 * go along. By a declared move, or by the same content; exact, and unique both ways. Not where something stands at the
 * new name already, and not where another owner has a part in either.
 */
export function withRenames(places: readonly Place[], moves: readonly Move[], state: OwnerState): Place[] {
  const { registry, reader } = state;
  const going = places.filter((place) => isGoing(place, registry));
  if (registry === undefined || going.length === 0) return [...places];
  const isFree = ({ path }: Place) => reader.stat(path) === undefined && state.othersAt(path).length === 0;
  const coming = places.filter((place) => isComing(place, registry) && isFree(place));
  const renamed = new Map<Place, Place>();
  const pair = (from: Place | undefined, to: Place | undefined) => {
    if (
      from &&
      to &&
      ![...renamed.values()].includes(from) &&
      !renamed.has(to) &&
      state.othersAt(from.path).length === 0
    )
      renamed.set(to, from);
  };
  for (const move of moves) {
    const to = coming.find((place) => place.desired[0]!.key === move.to);
    pair(to && going.find((place) => keyOf(place, registry) === move.from && folderOf(place) === folderOf(to)), to);
  }
  const old = byContent(going, (place) => contentOnRecord(place, registry));
  for (const [content, [to, ...others]] of byContent(coming, (place) => withoutMode(place.desired[0]!.normal))) {
    const [from, ...more] = old.get(content) ?? [];
    if (others.length === 0 && more.length === 0) pair(from, to);
  }
  const left = new Set(renamed.values());
  return places.filter((place) => !left.has(place)).map((place) => renamedPlace(place, renamed.get(place), registry));
}

function renamedPlace(place: Place, from: Place | undefined, registry: Registry): Place {
  if (from === undefined) return place;
  const [key, record] = Object.entries(registry.files[from.section]!.entries)[0]!;
  const move = { from: from.reading.recorded(key, record).match, to: place.desired[0]!.match };
  return { ...place, renamedFrom: from, moves: [move] };
}

/** On record as a file of a folder, and no longer wanted. */
function isGoing({ desired, section, readingData, elsewhere }: Place, registry: Registry | undefined): boolean {
  if (readingData.name === undefined || desired.length > 0 || elsewhere) return false;
  const records = Object.values(registry?.files[section]?.entries ?? {});
  return records.length === 1 && records[0]!.state === undefined;
}

function isComing({ desired, section, readingData }: Place, registry: Registry): boolean {
  return readingData.name !== undefined && desired.length === 1 && registry.files[section] === undefined;
}

function keyOf({ section }: Place, registry: Registry): string | undefined {
  return Object.keys(registry.files[section]?.entries ?? {})[0];
}

function contentOnRecord({ section, reading }: Place, registry: Registry): Value {
  const [entry] = Object.entries((registry.files[section] as PlaceRecord).entries);
  return withoutMode(reading.recorded(entry![0], entry![1]).normal);
}

function withoutMode(value: Value): Value {
  return isMap(value) ? mapOf(Object.entries(value).filter(([name]) => name !== "mode")) : value;
}

function folderOf({ section, readingData: { name = "" } }: Place): string {
  return section.slice(0, -name.length);
}

function byContent(places: readonly Place[], contentOf: (place: Place) => Value): Map<string, Place[]> {
  const found = new Map<string, Place[]>();
  for (const place of places) {
    const key = `${folderOf(place)}\0${canonicalText(contentOf(place))}`;
    found.set(key, [...(found.get(key) ?? []), place]);
  }
  return found;
}

/**
 * Which of these moves are about entries of a file. A key that its rules can't make is one of another file, unless the
 * move names this one.
 */
export function movesWithin(moves: readonly Move[], reading: Reading): PlaceMove[] {
  return moves.flatMap((move) => {
    const read = readMove(move, reading);
    if (read.kind === "malformed" && move.file !== undefined) throw strangeMove(move, read.message);
    return read.kind === "malformed" || goesIntoItself(move) ? [] : [read];
  });
}

/** A move whose keys no file can have is a mistake. */
export function refuseStrangeMoves(moves: readonly Move[], readings: readonly Reading[]): void {
  for (const move of moves) {
    const read = readings.map((reading) => readMove(move, reading));
    const [first] = read;
    if (first?.kind === "malformed" && read.every(({ kind }) => kind === "malformed"))
      throw strangeMove(move, first.message);
  }
}

type ReadMove = ({ readonly kind: "move" } & PlaceMove) | { readonly kind: "malformed"; readonly message: string };

function readMove(move: Move, reading: Reading): ReadMove {
  const from = reading.identity(move.from);
  if (from.kind === "malformed") return from;
  const to = reading.identity(move.to);
  return to.kind === "malformed" ? to : { kind: "move", from: from.match, to: to.match };
}

function strangeMove({ where }: Move, message: string): InputError {
  return new InputError({ code: "invalid-key", message: `moved: ${message}`, ...where?.() });
}

/** A setting that goes into itself (`a` to `a.b`) is no rename: the one has to go before the other can stand. */
function goesIntoItself({ from, to }: Move): boolean {
  return isWithin(from, to) || isWithin(to, from);
}

function isWithin(inner: string, outer: string): boolean {
  return outer.startsWith(`${settingType}:`) && inner.startsWith(`${outer}.`);
}
