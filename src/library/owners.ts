import type { PlanDocument } from "../core/plan-document.ts";
import { generationsOf } from "../engine/owner-state.ts";
import type { OwnerPlan } from "../engine/plan-owner.ts";
import { type Blame, blameLines as blameFile } from "../files/blame/blame.ts";
import { findProblems as examine, type Finding } from "../files/doctor/doctor.ts";
import { storyOf as explainEntry } from "../files/explain.ts";
import { planRollback } from "../files/rollback.ts";
import { adoptAll, adoptEntries, disownEntries, resolveConflict } from "../files/settle.ts";
import { statusOf } from "../files/status.ts";
import { planUninstall, type UninstallOptions } from "../files/uninstall.ts";
import { listRunners as findRunning, type WhoRuns } from "../files/who-runs.ts";
import type { Explanation } from "../report/explain-text.ts";
import { insist, insistOnText, insistOnTexts } from "./arguments.ts";
import { type MachineOptions, machineFrom } from "./machine.ts";
import { apply, asPlan } from "./plan.ts";

export interface StatusOptions {
  /** Only this owner. */
  readonly name?: string | undefined;
}

/**
 * How each owner's files stand (or one owner's), from the records alone.
 *
 * @example
 * import { loadManifest, reconcile, status, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const [chime] = await status(thisMachine());
 * console.log(chime.name, chime.version, chime.changed); // chime 1.0.0 0
 */
export async function status(options: MachineOptions & StatusOptions): Promise<PlanDocument[]> {
  return (await statusOf(machineFrom(options), options.name)).map((each) => each.document);
}

export interface EntryChoice {
  /** Whose entry, where several owners have one of this key. */
  readonly owner?: string | undefined;
}

/**
 * Settles a conflict (`KEY`, `FILE#KEY`) or all of a file: `mine` makes your value the accepted one, `theirs` writes the
 * owner's now.
 *
 * @example
 * import { loadManifest, reconcile, resolve, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const [done] = await resolve("setting:volume", "mine", thisMachine());
 * console.log(done.changed); // 0
 */
export async function resolve(
  key: string,
  choice: "mine" | "theirs",
  options: MachineOptions & EntryChoice,
): Promise<PlanDocument[]> {
  insistOnText(key, "resolve: the key");
  const isChoice = choice === "mine" || choice === "theirs";
  insist(isChoice, `resolve: the choice is "mine" or "theirs", not ${JSON.stringify(choice)}`);
  const machine = machineFrom(options);
  return documents(resolveConflict({ text: key, owner: options.owner }, choice, machine));
}

/**
 * Takes entries under management; `"all"`: everything that waits.
 *
 * @example
 * import { adopt, disown, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * await disown(["setting:volume"], thisMachine());
 * const [done] = await adopt(["setting:volume"], thisMachine());
 * console.log(done.summary); // { adopt: 1 }
 */
export async function adopt(
  keys: readonly string[] | "all",
  options: MachineOptions & EntryChoice,
): Promise<PlanDocument[]> {
  const machine = machineFrom(options);
  if (keys !== "all") insistOnTexts(keys, 'adopt: the keys (or "all")');
  return documents(keys === "all" ? adoptAll(machine, options.owner) : adoptEntries(named(keys, options), machine));
}

/**
 * Hands entries to the user for good.
 *
 * @example
 * import { disown, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const [done] = await disown(["setting:volume"], thisMachine());
 * console.log(done.entries[0].reason); // disowned
 */
export async function disown(keys: readonly string[], options: MachineOptions & EntryChoice): Promise<PlanDocument[]> {
  insistOnTexts(keys, "disown: the keys");
  const machine = machineFrom(options);
  return documents(disownEntries(named(keys, options), machine));
}

function named(keys: readonly string[], { owner }: EntryChoice) {
  return keys.map((text) => ({ text, owner }));
}

async function documents(plans: Promise<readonly OwnerPlan[]>): Promise<PlanDocument[]> {
  return (await plans).map((each) => each.document);
}

/** One change of files or records. */
export interface Generation {
  readonly format: 1;
  readonly number: number;
  /** ISO 8601. */
  readonly time: string;
  readonly version: string;
  /** The version before; null at the first install. */
  readonly from: string | null;
  /** What was run: apply, resolve, rollback, … */
  readonly note: string;
  readonly files: readonly GenerationFile[];
}

export interface GenerationFile {
  readonly path: string;
  /** Where it really is, links resolved. */
  readonly real: string;
  readonly before: KeptContent;
  readonly after: KeptContent;
}

export type KeptContent =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly sha256: string;
      readonly mode: number;
      /** In bytes; not said by generations of before 2026-11. */
      readonly size?: number | undefined;
    }
  | { readonly kind: "link"; readonly target: string };

/**
 * An owner's generations, oldest first: what was changed, and when.
 *
 * @example
 * import { history, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const [first] = await history("chime", thisMachine());
 * console.log(first.number, first.note, first.files.length); // 1 apply 1
 */
export async function history(name: string, options: MachineOptions): Promise<readonly Generation[]> {
  insistOnText(name, "history: the owner's name");
  return generationsOf(machineFrom(options), name);
}

export interface RollbackOptions {
  /** The generation to go back to; 0 is before the first. Default: the one before the last. */
  readonly to?: number | undefined;
}

/**
 * Goes back to an earlier generation. The version rolled back from is held until a newer one.
 *
 * @example
 * import { loadManifest, reconcile, rollback, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const done = await rollback("chime", { ...thisMachine(), to: 0 });
 * console.log(done.summary); // { remove: 1 }
 */
export async function rollback(name: string, options: MachineOptions & RollbackOptions): Promise<PlanDocument> {
  insistOnText(name, "rollback: the owner's name");
  const machine = machineFrom(options);
  return apply(await asPlan(machine, () => planRollback(name, machine, options.to)));
}

/**
 * Takes out what an owner wrote; with `all`, also what the user edited and what was adopted.
 *
 * @example
 * import { loadManifest, reconcile, status, thisMachine, uninstall } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * await uninstall("chime", thisMachine());
 * console.log(await status(thisMachine())); // []
 */
export async function uninstall(name: string, options: MachineOptions & UninstallOptions): Promise<PlanDocument> {
  insistOnText(name, "uninstall: the owner's name");
  const machine = machineFrom(options);
  return apply(await asPlan(machine, () => planUninstall(name, machine, options)));
}

/**
 * Every line of a file with its owner.
 *
 * @example
 * import { blame, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const { lines } = await blame("~/.chime.json", thisMachine());
 * console.log(lines[1].owner, lines[1].keys); // chime@1.0.0 [ 'setting:volume' ]
 */
export async function blame(file: string, options: MachineOptions): Promise<Blame> {
  insistOnText(file, "blame: the file");
  return blameFile(file, [machineFrom(options)]);
}

/**
 * All there is to know of one entry, once for each owner that has it: template, record, what is there, verdict,
 * history.
 *
 * @example
 * import { explain, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * const [entry] = await explain("setting:volume", thisMachine());
 * console.log(entry.wanted, entry.actual, entry.verdict); // 3 3 unchanged
 */
export async function explain(key: string, options: MachineOptions & EntryChoice): Promise<Explanation[]> {
  insistOnText(key, "explain: the key");
  const machine = machineFrom(options);
  return explainEntry({ text: key, owner: options.owner }, machine);
}

/**
 * Whether what is installed is effective; each finding says how to fix it. Changes nothing.
 *
 * @example
 * import { doctor, loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * console.log(await doctor(thisMachine())); // []
 */
export async function doctor(options: MachineOptions): Promise<Finding[]> {
  return examine(machineFrom(options));
}

/**
 * Every hook, server and permission of every agent runtime, with its file, line and owner: of the user, and of the
 * project in `folder`.
 *
 * @example
 * import { thisMachine, whoRuns } from "stet";
 *
 * const { entries } = await whoRuns(process.cwd(), thisMachine());
 * console.log(entries); // []
 */
export async function whoRuns(folder: string, options: MachineOptions): Promise<WhoRuns> {
  insistOnText(folder, "whoRuns: the folder");
  return findRunning(machineFrom(options), [folder]);
}
