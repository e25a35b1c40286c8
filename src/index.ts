/** The library: every files command as a function. Nothing here prints, exits, or reads the process unless asked to. */
export { type Diagnostic, InputError } from "./core/diagnostic.ts";
export type { Reason, Verdict } from "./core/entry.ts";
export type { PlanDocument, PlanEntry, PlanFile } from "./core/plan-document.ts";
export type { Value } from "./core/value.ts";
export { type MainOptions, main } from "./embed.ts";
export {
  adopt,
  apply,
  disown,
  history,
  loadManifest,
  type MachineOptions,
  type Manifest,
  type Plan,
  plan,
  reconcile,
  resolve,
  rollback,
  status,
  telemetryOf,
  thisMachine,
  uninstall,
} from "./library.ts";
