/**
 * The library: every files command as a function, and the pure parts of host and toolset. Nothing here prints, exits, or
 * reads the process unless asked to. Every type that a signature names is here, too.
 */

export { type Diagnostic, InputError, type Severity } from "./core/diagnostic.ts";
export type { DiagnosticCode } from "./core/diagnostic-codes.ts";
export type { Reason, Verdict } from "./core/entry.ts";
export type { PlanDocument, PlanEntry, PlanFile } from "./core/plan-document.ts";
export { Exact, type Value, type ValueMap } from "./core/value.ts";
export type { PlanOptions } from "./engine/plan-owner.ts";
export type { Blame, BlamedLine } from "./files/blame/blame.ts";
export type { CheckReport, Trial } from "./files/check/check.ts";
export type { Finding, FindingCode } from "./files/doctor/doctor.ts";
export type { FirstFile, FirstPack, InitOptions } from "./files/init/init.ts";
export type { FirstTemplate } from "./files/init/template.ts";
export type { ManifestOptions } from "./files/manifest/load-manifest.ts";
export type { UninstallOptions } from "./files/uninstall.ts";
export type { WatchEvent } from "./files/watch/watch.ts";
export type { RunningEntry, WhoRuns } from "./files/who-runs.ts";
export type { EvaluationDocument, FileKind } from "./host/evaluate/evaluation.ts";
export type { Platform } from "./identity/paths/path-context.ts";
export type { PartText, Rule } from "./identity/rules/rule.ts";
export {
  type CheckedHost,
  checkRepository,
  evaluateHost,
  type HostEvaluation,
  type RepositoryCheck,
  type RepositoryOptions,
} from "./library/host.ts";
export { type MachineOptions, thisMachine } from "./library/machine.ts";
export { type MainOptions, main } from "./library/main.ts";
export {
  type EarlierTemplates,
  type FileUrl,
  loadManifest,
  type Manifest,
  type ManifestFile,
  type ManifestHook,
  type ManifestPolicy,
  type ManifestServer,
  type ManifestSource,
  type MovedEntry,
  type PlatformScalars,
  type Scalar,
} from "./library/manifest.ts";
export {
  adopt,
  blame,
  disown,
  doctor,
  type EntryChoice,
  explain,
  type Generation,
  type GenerationFile,
  history,
  type KeptContent,
  type RollbackOptions,
  resolve,
  rollback,
  type StatusOptions,
  status,
  uninstall,
  whoRuns,
} from "./library/owners.ts";
export { type CheckOptions, check, init, type StopSignal, type WatchSettings, watch } from "./library/packs.ts";
export {
  type ApplyOptions,
  apply,
  loadPlan,
  type Plan,
  plan,
  reconcile,
  savePlan,
  type Telemetry,
  telemetryOf,
} from "./library/plan.ts";
export { type DiffSettings, diff, type MergeSettings, merge, modify } from "./library/texts.ts";
export {
  type DiscoveredTools,
  type DiscoverOptions,
  discover,
  type FoundTool,
  type MergedToolset,
  type MergeToolsetOptions,
  mergeToolset,
  type UnusedTool,
} from "./library/toolset.ts";
export type { EntryDifference } from "./merge/diff-texts.ts";
export type { ConflictingTexts, MergedTexts, MergeResult } from "./merge/merge-texts.ts";
export type { MergeConflict } from "./merge/merge-values.ts";
export type { FormatName, Strategy } from "./readings/reading-data.ts";
export type { EntryChange, Explanation, RecordedValue, Ruling } from "./report/explain-text.ts";
export type { ConflictStyle, Markers } from "./text/merge-file.ts";
export type { UnusedReason } from "./toolset/discover/discover.ts";
export type { ConfigMap, ObjectMeta } from "./toolset/render/configmap.ts";
