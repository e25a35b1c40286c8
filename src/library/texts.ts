import { InputError, lineAndColumn } from "../core/diagnostic.ts";
import { pathContext } from "../engine/machine.ts";
import { modifyText } from "../files/modify.ts";
import { profileFor, rulesWithProfile } from "../identity/profiles/index.ts";
import { compileRules } from "../identity/rules/compile-rules.ts";
import { diffTexts, type EntryDifference } from "../merge/diff-texts.ts";
import { type MergeResult, mergeTexts } from "../merge/merge-texts.ts";
import { loadFormat } from "../readings/open-reading.ts";
import { formatFor, guessFormat } from "../readings/reading-data.ts";
import type { Markers } from "../text/merge-file.ts";
import { insist, insistOnText, insistOnTexts } from "./arguments.ts";
import { type MachineOptions, machineFrom } from "./machine.ts";
import { type Manifest, packOf } from "./manifest.ts";

export interface MergeSettings {
  /** The file that the texts stand for: says the format. Left out, the texts themselves do. */
  readonly path?: string | undefined;
  /** What stands behind the conflict markers. */
  readonly markers?: Partial<Markers> | undefined;
}

/**
 * What two sides made of one text, joined entry by entry, without records. Reads nothing and writes nothing.
 *
 * @example
 * import { merge } from "stet";
 *
 * const result = await merge('{"a":1}', '{"a":1,"mine":true}', '{"a":2}', { path: "app.json" });
 * console.log(result.kind, result.text); // merged {"a":2,"mine":true}
 */
export async function merge(
  base: string,
  mine: string,
  theirs: string,
  settings: MergeSettings = {},
): Promise<MergeResult> {
  const areTexts = [base, mine, theirs].every((text) => typeof text === "string");
  insist(areTexts, "merge: pass three texts: base, mine, theirs (an empty one where there was no file)");
  const format = await formatOf([base, mine, theirs], settings.path);
  return mergeTexts(base, mine, theirs, { format, markers: { mine: "mine", theirs: "theirs", ...settings.markers } });
}

async function formatOf(texts: readonly string[], path: string | undefined) {
  const name = path === undefined ? guessFormat(texts) : formatFor(path);
  return name === "text" ? undefined : loadFormat(name, path);
}

export interface DiffSettings {
  /** The file that the texts stand for: says format and profile. Left out, the texts themselves say the format. */
  readonly path?: string | undefined;
}

/**
 * The entries in which two texts differ, by key: order, comments and spelling do not count.
 *
 * @example
 * import { diff, thisMachine } from "stet";
 *
 * const [first] = await diff("a: 1", "a: 2", { ...thisMachine(), path: "app.yaml" });
 * console.log(first.key, first.a, first.b); // setting:a 1 2
 */
export async function diff(a: string, b: string, options: MachineOptions & DiffSettings): Promise<EntryDifference[]> {
  const context = pathContext(machineFrom(options), []);
  const { path } = options;
  insistOnTexts([a, b], "diff: what is compared");
  const format = await formatOf([a, b], path);
  if (format === undefined) {
    const message = "plain text has no entries; say what the texts are with { path }";
    throw new InputError({ code: "no-entries", message });
  }
  const rules = compileRules(rulesWithProfile([], path === undefined ? undefined : profileFor(path, context)));
  if (rules.kind === "malformed") throw new InputError({ code: "invalid-rule", message: rules.message });
  const result = diffTexts(a, b, format, rules.rules, context);
  if (result.kind !== "malformed") return [...result.differences];
  const { side, fault } = result;
  const place = lineAndColumn(side === "a" ? a : b, fault.offset);
  throw new InputError({ code: "malformed-target", message: fault.message, file: `text ${side}`, ...place });
}

/**
 * What `apply` would make of the text of one target (undefined: there is no file), without records. Writes nothing.
 *
 * @example
 * import { loadManifest, modify, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * console.log(await modify(manifest, "~/.chime.json", '{"mine":1}', thisMachine())); // {"mine":1,"volume":3}
 */
export async function modify(
  manifest: Manifest,
  target: string,
  text: string | undefined,
  options: MachineOptions,
): Promise<string | undefined> {
  insistOnText(target, "modify: the target");
  if (text !== undefined) insistOnText(text, "modify: what stands there (undefined: there is no file)");
  return modifyText(packOf(manifest), { target, text }, machineFrom(options));
}
