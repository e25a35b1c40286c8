import type { Registry } from "../../core/records.ts";

/**
 * Whether data is a registry as we write it, down to what planning relies on; fields we do not know may be there. By hand and not by a
 * schema library: a registry may hold 100,000 entries, and is read by every command.
 */
export function isRegistry(data: unknown): data is Registry {
  if (!isObject(data) || data.format_version !== 1 || !isText(data.name) || !isText(data.version)) return false;
  return (
    isTexts(data.homes) &&
    optional(data.held, isText) &&
    optional(data.also_held, isTexts) &&
    isMapOf(data.files, isPlace) &&
    isShallow(data, deepest)
  );
}

/** As deep as any file that entries come from, and what stands around them in a registry: it is written again by a reader that recurses. */
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
    optional(place.created, (created) => isObject(created) && isTexts(created.folders))
  );
}

function isEntry(entry: unknown): boolean {
  if (!isObject(entry) || !Object.hasOwn(entry, "value") || !isText(entry.entry_type) || !isText(entry.value_hash)) return false;
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
  const { created, inner, fields, trace } = container;
  return optional(created, (made) => made === true) && optional(inner, isText) && optional(fields, isTexts) && optional(trace, isObject);
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
