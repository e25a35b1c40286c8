import { InputError } from "../core/diagnostic.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import { applySaved, planAndApply } from "../engine/apply.ts";
import type { Machine } from "../engine/machine.ts";
import type { OwnerPlan, PlanOptions } from "../engine/plan-owner.ts";
import { loadSavedPlan, renderSavedPlan, sealKey } from "../engine/saved-plan.ts";
import { planFrom, planPack } from "../files/plan.ts";
import { machineForPack } from "../files/project.ts";
import { insist } from "./arguments.ts";
import { type MachineOptions, machineFrom } from "./machine.ts";
import { type Manifest, packOf } from "./manifest.ts";

declare const planned: unique symbol;

/** What `--json` prints, and for `apply` more than shows: pass it on itself, not a copy; `savePlan` makes a text of it. */
export interface Plan extends PlanDocument {
  readonly [planned]: true;
}

interface Made {
  readonly plan: OwnerPlan;
  readonly machine: Machine;
  readonly isSaved: boolean;
  again(): Promise<OwnerPlan>;
}

const plans = new WeakMap<object, Made>();

/** A plan that `apply` knows again. */
export async function asPlan(machine: Machine, again: () => Promise<OwnerPlan>, isSaved = false): Promise<Plan> {
  const made = await again();
  const value = { ...made.document } as Plan;
  plans.set(value, { plan: made, machine, again, isSaved });
  return value;
}

function madeOf(plan: Plan): Made {
  const made = typeof plan === "object" && plan !== null ? plans.get(plan) : undefined;
  if (made !== undefined) return made;
  const message =
    (plan as unknown) instanceof Promise
      ? "this is a promise of a plan: await plan(…)"
      : "this is not what plan() or loadPlan() gave, but a copy of it or parsed JSON: pass the plan itself, or make it a text with savePlan() and a plan again with loadPlan()";
  throw new InputError({ code: "invalid-plan", message });
}

/**
 * What would change, and why. Writes nothing.
 *
 * @example
 * import { loadManifest, plan, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * const { changed, entries } = await plan(manifest, thisMachine());
 * console.log(changed, entries[0].key, entries[0].verdict); // 1 setting:volume create
 */
export async function plan(manifest: Manifest, options: MachineOptions & PlanOptions): Promise<Plan> {
  const pack = packOf(manifest);
  const machine = machineForPack(pack, machineFrom({ ...options, project: undefined }), options.project);
  return asPlan(machine, () => planPack(pack, machine, options));
}

/**
 * A plan as a text, with every byte it would write, sealed by a key in the state directory: keep it as you would keep
 * the files.
 *
 * @example
 * import { apply, loadManifest, loadPlan, plan, savePlan, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * const text = savePlan(await plan(manifest, thisMachine()));
 * // Later, in another process:
 * const { changed } = await apply(await loadPlan(text, thisMachine()));
 * console.log(changed); // 1
 */
export function savePlan(plan: Plan): string {
  const { plan: made, machine } = madeOf(plan);
  return renderSavedPlan(made, undefined, sealKey(machine.gate, machine.stateDir));
}

/**
 * The plan in a text that `savePlan` made with this state directory, or `stet plan --out` anywhere: then planning has to
 * come to the same once more. It is applied to just what it saw, or refused.
 *
 * @example
 * import { loadPlan, thisMachine } from "stet";
 *
 * const refused = await loadPlan("{}", thisMachine()).catch((error) => error);
 * console.log(refused.name, refused.code); // InputError invalid-plan
 */
export async function loadPlan(text: string, options: MachineOptions): Promise<Plan> {
  const machine = machineFrom(options);
  insist(typeof text === "string", "loadPlan: pass the text that savePlan() gave, and not what JSON.parse made of it");
  return asPlan(
    machine,
    () => loadSavedPlan(machine, text, "the saved plan", (source) => planFrom(source, machine)),
    true,
  );
}

export interface ApplyOptions {
  /** Refuse where files are no longer as the plan saw them. A plan that was saved always does. */
  readonly exactly?: boolean | undefined;
}

/**
 * Makes a plan true. Where files are no longer as it saw them, it is made anew; with `exactly`, or one that was saved,
 * it is refused.
 *
 * @example
 * import { apply, loadManifest, plan, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * const wanted = await plan(manifest, thisMachine());
 * if (wanted.changed > 0) await apply(wanted);
 * console.log((await plan(manifest, thisMachine())).changed); // 0
 */
export async function apply(plan: Plan, options: ApplyOptions = {}): Promise<PlanDocument> {
  const { plan: made, machine, isSaved, again } = madeOf(plan);
  if (options.exactly || isSaved) return (await applySaved(machine, made)).document;
  return (await planAndApply(machine, again, made)).document;
}

/**
 * Plan and apply in one.
 *
 * @example
 * import { loadManifest, reconcile, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const { summary } = await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * console.log(summary); // { create: 1 }
 */
export async function reconcile(manifest: Manifest, options: MachineOptions & PlanOptions): Promise<PlanDocument> {
  return apply(await plan(manifest, options));
}

/** How often each verdict, action, type and code occurs in a plan; no keys, paths or values. */
export interface Telemetry {
  readonly format_version: 1;
  readonly version: string;
  readonly from: string | null;
  readonly changed: number;
  readonly summary: PlanDocument["summary"];
  readonly files: Readonly<Record<string, number>>;
  readonly types: Readonly<Record<string, number>>;
  readonly diagnostics: Readonly<Record<string, number>>;
}

/**
 * What a program may report home: counts by verdict and code, no keys, paths or values.
 *
 * @example
 * import { loadManifest, reconcile, telemetryOf, thisMachine } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const done = await reconcile(await loadManifest({ name: "chime", version: "1.0.0", files }), thisMachine());
 * console.log(telemetryOf(done).types); // { setting: 1 }
 */
export function telemetryOf(document: PlanDocument): Telemetry {
  const lists = [document?.files, document?.entries, document?.diagnostics];
  insist(lists.every(Array.isArray), "telemetryOf: pass a plan, or what apply() gave");
  const { version, from, changed, summary } = document;
  return {
    format_version: 1,
    version,
    from,
    changed,
    summary,
    files: count(document.files.map((file) => file.action)),
    types: count(document.entries.map((entry) => entry.type)),
    diagnostics: count(document.diagnostics.map((diagnostic) => diagnostic.code)),
  };
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
