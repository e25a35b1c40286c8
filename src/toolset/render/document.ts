import { type PlanDocument, type PlanEntry, type PlanFile, summarise } from "../../core/plan-document.ts";
import { unifiedDiff } from "../../text/diff-lines.ts";
import type { ToolsetEvaluation } from "../evaluate.ts";
import type { ToolEntry } from "../plan.ts";
import { type ConfigMap, dataKeys, dataOf } from "./configmap.ts";

/** The plan of a toolset, in the one form all domains print. A toolset has no versions. */
export function toolsetDocument(evaluation: ToolsetEvaluation, current: ConfigMap | undefined): PlanDocument {
  const { entries } = evaluation.entries;
  const place = placeOf(evaluation.configMap);
  return {
    format_version: 1,
    name: evaluation.configMap.metadata.name,
    version: "",
    from: null,
    changed: entries.filter((entry) => entry.changed).length,
    summary: summarise(entries),
    entries: entries.map((entry) => planEntry(entry, `${place}/${dataKeys.toolset}`)),
    files: [dataKeys.toolset, dataKeys.holmes, dataKeys.lastGood].map((key) =>
      planFile(place, key, current, evaluation.configMap),
    ),
    diagnostics: evaluation.diagnostics,
  };
}

/** Where an entry stands, for people: a ConfigMap has no path of its own. */
function placeOf({ metadata }: ConfigMap): string {
  return `configmap/${metadata.namespace ?? "default"}/${metadata.name}`;
}

function planEntry(entry: ToolEntry, file: string): PlanEntry {
  const { key, verdict, reason, base, actual, desired, result } = entry;
  return {
    file,
    key,
    type: "tool",
    verdict,
    ...(reason === undefined ? {} : { reason }),
    ...(base === undefined ? {} : { base }),
    ...(actual === undefined ? {} : { actual }),
    ...(desired === undefined ? {} : { desired }),
    ...(result === undefined ? {} : { result }),
  };
}

function planFile(place: string, key: string, current: ConfigMap | undefined, next: ConfigMap): PlanFile {
  const [before, after] = [dataOf(current)[key], dataOf(next)[key]];
  const action =
    before === after ? "none" : before === undefined ? "create" : after === undefined ? "delete" : "modify";
  const path = `${place}/${key}`;
  return {
    path,
    action,
    diff: action === "none" ? "" : unifiedDiff(before ?? "", after ?? "", { from: path, to: path }),
  };
}
