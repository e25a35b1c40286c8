import { relative } from "node:path";
import { canonicalText, isList, isMap, mapOf, type Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import { readOwnerState } from "../../engine/owner-state.ts";
import type { Place } from "../../engine/place.ts";
import type { FileDesired } from "../../entries/file-entry.ts";
import { writeAtomically } from "../../store/transaction/atomic.ts";
import type { Pack, PackFile } from "../manifest/pack.ts";
import { evaluate } from "../places/places.ts";
import { applyPack } from "../plan.ts";

/**
 * Files as a user could have them before a pack comes: in each of its targets entries of the user's own, beside those
 * that the pack will bring and in the same containers, with a comment where the format has them. Written by the same
 * code that writes everything else.
 */
export async function writeSampleFiles(pack: Pack, machine: Machine): Promise<void> {
  // The user's files are there whether or not the pack asks for that.
  const unconditional = {
    ...pack,
    earlier: [],
    files: pack.files.map((file) => ({ ...file, onlyIf: undefined, onlyWith: undefined })),
  };
  const { places } = await evaluate(unconditional, machine, readOwnerState(machine, pack.name));
  const sample: Pack = {
    name: "sample",
    version: "1",
    scope: pack.scope,
    vars: {},
    given: {},
    fromEnv: [],
    files: places.map((place) => sampleFile(place, machine.project?.root)),
    moves: [],
    policies: [],
    earlier: [],
    notes: [],
  };
  await applyPack(sample, machine);
  for (const place of places) addComment(place, machine);
}

function sampleFile({ path, desired, readingData }: Place, root: string | undefined): PackFile {
  const { format, strategy } = readingData;
  const named = { name: `sample of ${path}` };
  const common = {
    target: root === undefined ? path : relative(root, path),
    profile: undefined,
    rules: [],
    onlyIf: undefined,
    os: undefined,
    folder: undefined,
    where: undefined,
  };
  if (strategy !== "entries")
    return {
      ...common,
      format: "text",
      strategy: "merge",
      template: { kind: "text", ...named, text: "# mine\nalias ll='ls -l'\n" },
    };
  return { ...common, format, strategy, template: { kind: "data", ...named, value: besides(desired) } };
}

/** JSON that programs read strictly must stay free of comments; the other formats have them by right. */
function addComment({ path, readingData: { format, strategy } }: Place, machine: Machine): void {
  const sign = { jsonc: "//", yaml: "#", toml: "#", dotenv: "#", ini: "#", json: undefined, text: undefined }[format];
  if (sign === undefined || strategy !== "entries") return;
  const text = machine.gate.read(path)?.toString("utf8") ?? "";
  writeAtomically(machine.gate, path, Buffer.from(`${sign} a note of mine\n${text}`), 0o644);
}

/** For each wanted entry one that is nearly it: another name in the same map, another item in the same list. */
function besides(desired: readonly FileDesired[]): Value {
  const root = new Map<string, Draft>();
  for (const entry of desired) place(root, entry);
  return finished(root);
}

type Draft = Map<string, Draft> | Draft[] | { readonly done: Value };

function place(root: Map<string, Draft>, { location, value }: FileDesired): void {
  let at: Map<string, Draft> | Draft[] = root;
  for (const [i, step] of location.entries()) {
    const last = i === location.length - 1;
    if (typeof step === "string" && last) (at as Map<string, Draft>).set(`own_${step}`, { done: value });
    else if (typeof step === "string")
      at = childOf(at as Map<string, Draft>, step, typeof location[i + 1] === "string");
    else if (step[0] === undefined) (at as Draft[]).push({ done: renamed(value) });
    else at = groupOf(at as Draft[], step[0]);
  }
}

function childOf(map: Map<string, Draft>, name: string, isMapNext: boolean): Map<string, Draft> | Draft[] {
  const known = map.get(name) ?? (isMapNext ? new Map<string, Draft>() : []);
  map.set(name, known);
  return known as Map<string, Draft> | Draft[];
}

/** The group of a list that has just these fields of its own. */
function groupOf(list: Draft[], fields: { readonly [name: string]: Value }): Map<string, Draft> {
  const own = Object.keys(fields).map((name) => [name, { done: fields[name]! }] as const);
  const same = (draft: Draft) =>
    draft instanceof Map &&
    own.every(([name, { done }]) => canonicalText(finished(draft.get(name)!)) === canonicalText(done));
  const known = list.find(same) as Map<string, Draft> | undefined;
  if (known) return known;
  const group = new Map<string, Draft>(own);
  list.push(group);
  return group;
}

function finished(draft: Draft): Value {
  if (draft instanceof Map) return mapOf([...draft].map(([name, child]) => [name, finished(child)]));
  return Array.isArray(draft) ? draft.map(finished) : draft.done;
}

function renamed(value: Value): Value {
  if (typeof value === "string") return `${value}.own`;
  if (isList(value)) return value.map(renamed);
  return isMap(value) ? mapOf(Object.keys(value).map((name) => [name, renamed(value[name]!)])) : value;
}
