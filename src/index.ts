/** The library: every files command as a function. Nothing here prints, exits, or reads the process unless asked to. */
export { type Diagnostic, InputError } from "./core/diagnostic.ts";
export type { Reason, Verdict } from "./core/entry.ts";
export type { PlanDocument, PlanEntry, PlanFile } from "./core/plan-document.ts";
export type { Value } from "./core/value.ts";
export { type MainOptions, main } from "./embed.ts";
export type { Blame, BlamedLine } from "./files/blame/blame.ts";
export type { CheckReport } from "./files/check/check.ts";
export type { FirstPack } from "./files/init/init.ts";
export type { WatchEvent } from "./files/watch/watch.ts";
export {
  adopt,
  apply,
  blame,
  type CheckOptions,
  check,
  disown,
  doctor,
  explain,
  history,
  init,
  loadManifest,
  loadPlan,
  type MachineOptions,
  type Manifest,
  type MergeSettings,
  merge,
  type Plan,
  plan,
  reconcile,
  resolve,
  rollback,
  savePlan,
  status,
  telemetryOf,
  thisMachine,
  uninstall,
  type WatchSettings,
  watch,
} from "./library.ts";
export type { MergeResult } from "./merge/merge-texts.ts";
export type { Explanation } from "./report/explanation.ts";
export type { Finding } from "./report/finding.ts";
