import { join } from "node:path";
import * as v from "valibot";
import type { Registry } from "../../core/records.ts";
import { sha256 } from "../gate/content.ts";
import type { Reader } from "../gate/gate.ts";
import { storeError } from "../gate/store-error.ts";
import { parseRegistry, registryPath } from "./registry.ts";
import { ownerFolder } from "./state-dir.ts";

const hash = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const kept = v.variant("kind", [
  v.object({ kind: v.literal("absent") }),
  /** `size`: in bytes; not said by generations of before 2026-11. */
  v.object({ kind: v.literal("file"), sha256: hash, mode: v.number(), size: v.optional(v.number()) }),
  v.object({ kind: v.literal("link"), target: v.string() }),
]);
const generationSchema = v.object({
  format: v.literal(1),
  number: v.pipe(v.number(), v.integer()),
  time: v.pipe(v.string(), v.isoTimestamp()),
  version: v.string(),
  /** The version before; null at the first install. */
  from: v.nullable(v.string()),
  note: v.string(),
  files: v.array(v.object({ path: v.string(), real: v.string(), before: kept, after: kept })),
  /** The object that holds the registry's text as it was; null where there was none. */
  registryBefore: v.nullable(hash),
  /** More objects that its states can't be made again without. */
  keeps: v.optional(v.array(hash)),
});

/** One transaction in the history: what it replaced, and by what. The bytes of every `before` are kept as objects. */
export type Generation = Readonly<v.InferOutput<typeof generationSchema>>;
export type KeptFile = Generation["files"][number]["before"];

/** The note of a generation that went back, and where to; 0 is before the first. */
export function rollbackNote(to: number): string {
  return `rollback to ${to}`;
}
export function rollbackTarget({ note }: Pick<Generation, "note">): number | undefined {
  const to = /^rollback to (\d{1,9})$/.exec(note)?.[1];
  return to === undefined ? undefined : Number(to);
}

export function generationPath(number: number): string {
  return `generations/${number}.json`;
}
export function objectPath(hash: string): string {
  return `objects/${hash}`;
}

/** The numbers of an owner's generations, oldest first. */
export function generationNumbers(reader: Reader, stateDir: string, name: string): readonly number[] {
  const names = reader.list(join(ownerFolder(stateDir, name), "generations")) ?? [];
  const numbers = names.flatMap((file) => /^([1-9][0-9]{0,8})\.json$/.exec(file)?.[1] ?? []).map(Number);
  return numbers.sort((a, b) => a - b);
}

export function listGenerations(reader: Reader, stateDir: string, name: string): readonly Generation[] {
  return generationNumbers(reader, stateDir, name).map((number) => readGeneration(reader, stateDir, name, number)!);
}

/** undefined if there is none with this number. */
export function readGeneration(reader: Reader, stateDir: string, name: string, number: number): Generation | undefined {
  const path = join(ownerFolder(stateDir, name), generationPath(number));
  const bytes = reader.read(path);
  if (bytes === undefined) return undefined;
  const generation = parseGeneration(bytes.toString("utf8"));
  if (generation?.number === number) return generation;
  throw storeError(
    "generation-damaged",
    path,
    "this part of the history is damaged and can't be used; remove it to go on without it",
  );
}

/** A file as the newest generation that names it left it; undefined where none does. */
export function lastLeft(reader: Reader, stateDir: string, name: string, real: string): KeptFile | undefined {
  for (const number of generationNumbers(reader, stateDir, name).toReversed()) {
    const file = tryRead(reader, stateDir, name, number)?.files.find((each) => each.real === real);
    if (file !== undefined) return file.after;
  }
  return undefined;
}

/** The bytes that a generation keeps, checked against their hash. */
export function readObject(reader: Reader, stateDir: string, name: string, hash: string): Buffer {
  const path = join(ownerFolder(stateDir, name), objectPath(hash));
  const bytes = reader.read(path);
  if (bytes !== undefined && sha256(bytes) === hash) return bytes;
  const what = bytes === undefined ? "is missing" : "is damaged";
  throw storeError("generation-damaged", path, `this part of the history ${what}, so what it kept can't be put back`);
}

/** An owner's records as they were when a generation began; undefined: there were none. */
export function registryBefore(
  reader: Reader,
  stateDir: string,
  name: string,
  { registryBefore: hash }: Generation,
): Registry | undefined {
  if (hash === null) return undefined;
  return parseRegistry(readObject(reader, stateDir, name, hash).toString("utf8"), registryPath(stateDir, name));
}

function parseGeneration(text: string): Generation | undefined {
  try {
    return v.parse(generationSchema, JSON.parse(text));
  } catch {
    return undefined;
  }
}

export interface HistoryLimits {
  readonly count: number;
  readonly days: number;
  /** As many stay whatever their dates: one run with a wrong clock must not erase the history. */
  readonly least?: number | undefined;
}
export const defaultLimits: HistoryLimits = { count: 50, days: 180, least: 10 };

/**
 * Which files of the history to drop when one more generation is added: those beyond the limits, and the objects that
 * only they held. The one that is added always stays. What can't be read is kept, and then no object goes, since it may
 * be the one that is needed.
 */
export function planPrune(
  reader: Reader,
  owner: { readonly stateDir: string; readonly name: string },
  limits: HistoryLimits,
  added: Generation,
): readonly string[] {
  const { stateDir, name } = owner;
  const numbers = generationNumbers(reader, stateDir, name);
  const oldest = Date.parse(added.time) - limits.days * 24 * 60 * 60 * 1000;
  const read = (number: number) => tryRead(reader, stateDir, name, number);
  const surplus = numbers.length + 1 - limits.count;
  const dropped = new Set(numbers.slice(0, Math.max(0, surplus)));
  // Numbers grow with time, so the first that is young enough ends the search; a clock set back only keeps more.
  const old = numbers.slice(0, Math.max(0, numbers.length + 1 - (limits.least ?? 0)));
  for (const number of old.filter((candidate) => !dropped.has(candidate))) {
    const time = read(number)?.time;
    if (time === undefined || Date.parse(time) >= oldest) break;
    dropped.add(number);
  }
  if (dropped.size === 0) return [];
  const staying = numbers.filter((number) => !dropped.has(number)).map(read);
  const objects = staying.includes(undefined) ? [] : unreferenced(reader, owner, [...(staying as Generation[]), added]);
  return [...[...dropped].map(generationPath), ...objects];
}

function tryRead(reader: Reader, stateDir: string, name: string, number: number): Generation | undefined {
  try {
    return readGeneration(reader, stateDir, name, number);
  } catch {
    return undefined;
  }
}

function unreferenced(
  reader: Reader,
  owner: { readonly stateDir: string; readonly name: string },
  staying: readonly Generation[],
): readonly string[] {
  const needed = new Set(staying.flatMap(objectsOf));
  const present = [...keptObjects(reader, owner.stateDir, owner.name)];
  return present.filter((name) => /^[0-9a-f]{64}$/.test(name) && !needed.has(name)).map(objectPath);
}

/** The hashes of all that an owner's history keeps. */
export function keptObjects(reader: Reader, stateDir: string, name: string): ReadonlySet<string> {
  return new Set(reader.list(join(ownerFolder(stateDir, name), "objects")));
}

/** The objects a generation can't do without. */
export function objectsOf(generation: Generation): readonly string[] {
  const hashes = generation.files.flatMap((file) => (file.before.kind === "file" ? [file.before.sha256] : []));
  const kept = [...hashes, ...(generation.keeps ?? [])];
  return generation.registryBefore === null ? kept : [...kept, generation.registryBefore];
}
