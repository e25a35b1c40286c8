import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { InputError, lineAndColumn } from "../../core/diagnostic.ts";
import type { Registry } from "../../core/records.ts";
import { canonicalText, Exact, hasMoreValues, isList, isMap, mapOf, type Value } from "../../core/value.ts";
import { sha256 } from "../gate/content.ts";
import type { Reader } from "../gate/gate.ts";

export function registryPath(stateDir: string, name: string): string {
  return join(stateDir, name, "registry.json");
}

/** `sha256:…` of a normalised value. */
export function valueHash(normal: Value): string {
  const text = canonicalText(normal);
  if (text.length > shortText) return hashText(text);
  let hash = shortHashes.get(text);
  if (hash === undefined) {
    if (shortHashes.size === manyHashes) shortHashes.clear();
    hash = hashText(text);
    shortHashes.set(text, hash);
  }
  return hash;
}

function hashText(text: string): string {
  return `sha256:${sha256(text)}`;
}

/** Most settings are `true`, `false` or a small number: what thousands have in common is hashed once. */
const shortHashes = new Map<string, string>();
const shortText = 8;
const manyHashes = 1000;

const noJson =
  "the registry is not valid JSON; restore it from a backup, or move it away to start over, which makes every entry yours";

export function readRegistry(
  reader: Reader,
  stateDir: string,
  name: string,
): { registry: Registry; text: string } | undefined {
  const path = registryPath(stateDir, name);
  const bytes = reader.read(path);
  if (bytes === undefined) return undefined;
  const text = bytes.toString("utf8");
  // Otherwise what was read could never be found again byte for byte.
  if (!isUtf8(bytes)) throw new InputError({ code: "invalid-registry", message: noJson, file: path });
  return { registry: parseRegistry(text, path), text };
}

/** Ten for each of half a million entries. Not one is built of a text that has more. */
const maxRegistryValues = 5_000_000;

export function parseRegistry(text: string, path: string): Registry {
  const refuse = (message: string, offset = 0) =>
    new InputError({ code: "invalid-registry", message, file: path, ...lineAndColumn(text, offset) });
  return registryFrom(parseRegistryData(text, maxRegistryValues, refuse), refuse);
}

/** The data of a registry that nobody has checked yet. */
export function parseRegistryData(
  text: string,
  maxValues: number,
  refuse: (message: string, offset?: number) => InputError,
): unknown {
  if (hasMoreValues(text, maxValues)) {
    throw refuse(`the registry holds more than ${maxValues.toLocaleString("en")} values; restore it from a backup`);
  }
  try {
    // Looking at each value takes several times as long as reading them, and few registries have one of those.
    return text.includes(exactMark) ? JSON.parse(text, (_, value) => reviveExact(value)) : JSON.parse(text);
  } catch (error) {
    const at = /position (\d+)/.exec(String(error));
    throw refuse(noJson, Number(at?.[1] ?? 0));
  }
}

export function registryFrom(data: unknown, refuse: (message: string) => InputError): Registry {
  // First: a newer one may look like nothing we know, and must not be advised away.
  const version = isMap(data as Value) ? (data as Record<string, unknown>).format_version : undefined;
  if (typeof version === "number" && version > 1)
    throw refuse(`the registry was written by a newer stet (format ${version}); use that one`);
  if (!isRegistry(data))
    throw refuse("this is not a registry of stet; move it away to start over, which makes every entry yours");
  return data;
}

/**
 * In every spelling of an `Exact`. It begins with a rare character, which is many times as quick to look for as a
 * quote.
 */
const exactMark = '$exact"';

export function renderRegistry(registry: Registry): string {
  const text = `${JSON.stringify(registry, undefined, 2)}\n`;
  // Looking at each value while writing takes several times as long, and few registries have anything to look for.
  return text.includes(exactMark) ? `${JSON.stringify(registry, replaceExact, 2)}\n` : text;
}

/** `Exact` is spelt as its `toJSON` says. A map that happens to look like that is written as pairs. */
function replaceExact(this: Readonly<Record<string, unknown>>, name: string, value: Value): unknown {
  const isSpelling = this[name] instanceof Exact;
  return !isSpelling && isMap(value) && Object.hasOwn(value, "$exact")
    ? { $exact: "map", pairs: Object.entries(value) }
    : value;
}

function reviveExact(value: Value): Value {
  if (!isMap(value) || !Object.hasOwn(value, "$exact")) return value;
  const { $exact: kind, text, pairs } = value;
  if (kind === "map" && isList(pairs)) return mapOf(pairs.flatMap(pairOf));
  if ((kind === "number" || kind === "datetime" || kind === "float") && typeof text === "string")
    return new Exact(kind, text);
  return value;
}

/** A name with its value; nothing where somebody wrote something else. */
function pairOf(pair: Value): (readonly [string, Value])[] {
  const [name, value] = isList(pair) ? pair : [];
  return typeof name === "string" && value !== undefined ? [[name, value]] : [];
}

/** The owners that have a registry here, sorted. */
export function ownersIn(reader: Reader, stateDir: string): string[] {
  return (reader.list(stateDir) ?? []).filter((name) => reader.stat(registryPath(stateDir, name)) !== undefined);
}

/**
 * Whether data is a registry as we write it, down to what planning relies on; fields we do not know may be there. By
 * hand and not by a schema library: a registry may hold 100,000 entries, and is read by every command.
 */
function isRegistry(data: unknown): data is Registry {
  if (!isObject(data) || data.format_version !== 1 || !isText(data.name) || !isText(data.version)) return false;
  return (
    isTexts(data.homes) &&
    optional(data.held, isText) &&
    optional(data.also_held, isTexts) &&
    isMapOf(data.files, isPlace) &&
    isShallow(data, deepest)
  );
}

/**
 * As deep as any file that entries come from, and what stands around them in a registry: it is written again by a
 * reader that recurses.
 */
const deepest = 1100;

function isShallow(value: unknown, room: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (room === 0) return false;
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (typeof member === "object" && !isShallow(member, room - 1)) return false;
  }
  return true;
}

function isPlace(place: unknown): boolean {
  if (!isObject(place) || !isMapOf(place.entries, isEntry)) return false;
  return (
    optional(place.wanted, (wanted) => isMapOf(wanted, isEntry)) &&
    optional(place.obsolete, isTexts) &&
    optional(place.containers, (containers) => isMapOf(containers, isContainer)) &&
    optional(place.created, (created) => isObject(created) && isTexts(created.folders)) &&
    optional(place.target, isText) &&
    optional(place.elsewhere, (elsewhere) => elsewhere === true)
  );
}

function isEntry(entry: unknown): boolean {
  if (!isObject(entry) || !Object.hasOwn(entry, "value") || !isText(entry.entry_type) || !isText(entry.value_hash))
    return false;
  return (
    isText(entry.added_in_version) &&
    isText(entry.last_updated_in_version) &&
    optional(entry.state, (state) => state === "disowned" || state === "deleted") &&
    optional(entry.source, (source) => isMapOf(source, isText)) &&
    optional(entry.location, Array.isArray) &&
    optional(entry.trace, isObject) &&
    optional(entry.written, isText) &&
    optional(entry.found, isFound) &&
    optional(entry.renames, isText) &&
    optional(entry.secret, (secret) => secret === true)
  );
}

function isFound(found: unknown): boolean {
  return isObject(found) && Object.hasOwn(found, "value") && optional(found.text, isText);
}

function isContainer(container: unknown): boolean {
  if (!isObject(container)) return false;
  const { created, inner, single, fields, trace } = container;
  return (
    optional(created, (made) => made === true) &&
    optional(inner, isText) &&
    optional(single, isText) &&
    optional(fields, isTexts) &&
    optional(trace, isObject)
  );
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMapOf(value: unknown, isMember: (member: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  for (const name in value) if (!isMember(value[name])) return false;
  return true;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function optional(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === undefined || is(value);
}
