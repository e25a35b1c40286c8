import { load } from "js-yaml";
import { Document, type Scalar, visit } from "yaml";
import { renderDiagnostic } from "../../core/diagnostic.ts";
import type { Verdict } from "../../core/entry.ts";
import type { PlanDocument, PlanEntry } from "../../core/plan-document.ts";
import { field } from "../../core/value.ts";
import { diffText, type Paint, paint, printableLine } from "../../report/colour.ts";
import { fitted } from "../../report/fit.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import type { ToolsetEvaluation } from "../../toolset/evaluate.ts";
import { toolsetDocument } from "../../toolset/plan.ts";
import { annotations, annotationsOf, type ConfigMap, dataKeys } from "../../toolset/render/configmap.ts";
import { readBlocks } from "../../toolset/render/generate.ts";
import { yamlScalar } from "../../toolset/render/yaml.ts";
import { refText } from "../../toolset/tool.ts";
import { columnsOf, fileColumnsOf, type Io } from "../shell/io.ts";
import { type CommonValues, wantsColour } from "../shell/options.ts";

/** The plan as the one JSON document; `configMap` is an artefact, given as it is. */
export function documentJson(document: PlanDocument, configMap: ConfigMap | undefined, values: CommonValues): string {
  const shown = values["show-secrets"] ? document : maskPlan(document);
  const root = configMap === undefined ? shown : { ...shown, configMap };
  return `${jsonText(root)}\n`;
}

type TextValues = CommonValues & { readonly diff?: boolean | undefined };

/** What becomes of the ConfigMap; its annotations can be out of date although every text in it is current. */
export interface ToolsetOutcome {
  readonly tense: "plan" | "apply";
  readonly inSync: boolean;
}

/**
 * The plan for people: a line for every tool that is not simply as it was, what they should know, and a last line with
 * the count.
 */
export function documentText(
  document: PlanDocument,
  values: TextValues,
  io: Io,
  { tense, inSync }: ToolsetOutcome,
): string {
  const shown = values["show-secrets"] ? document : maskPlan(document);
  const colours = paint(wantsColour(values, io));
  const inColumns = (text: string) => fitted(text, columnsOf(io), io.program);
  const entries = shown.entries.filter((entry) => values.verbose || entry.verdict !== "unchanged");
  const files = values.diff ? shown.files.filter((file) => file.action !== "none") : [];
  const lines = [
    ...entries.map((entry) => inColumns(entryLine(entry, colours))),
    ...files.flatMap((file) => diffText(file.diff, colours, fileColumnsOf(io))),
    ...shown.diagnostics
      .filter(({ severity }) => values.verbose || severity !== "info")
      .map((diagnostic) => inColumns(`${diagnostic.severity}: ${printableLine(renderDiagnostic(diagnostic))}`)),
    inSync ? "In sync." : countLine(shown.changed, tense),
  ];
  return `${lines.join("\n")}\n`;
}

function countLine(changed: number, tense: ToolsetOutcome["tense"]): string {
  if (changed === 0)
    return tense === "plan"
      ? "The ConfigMap would be written, but no tool changes."
      : "The ConfigMap is written; no tool changed.";
  return `${changed} ${changed === 1 ? "tool" : "tools"} ${tense === "plan" ? "to change" : "changed"}.`;
}

/** What happens to a tool: the sign, its colour, what a plan says, and what a status says before it is done. */
const words: Readonly<Partial<Record<Verdict, readonly [string, keyof Paint, planned: string, standing: string]>>> = {
  create: ["+", "green", "added", "not written yet"],
  update: ["~", "yellow", "updated", "not current"],
  merge: ["~", "yellow", "updated", "not current"],
  restore: ["+", "magenta", "put back", "missing"],
  remove: ["-", "red", "removed", "obsolete"],
  conflict: ["!", "red", "needs you", "needs you"],
  keep: ["=", "blue", "kept", "kept"],
};

/** What a verdict means where the user's side is `overrides.yaml`. */
const because: Readonly<Partial<Record<string, string>>> = {
  "user-modified": "your override stays",
  "user-owned": "only in your overrides",
  "user-deleted": "switched off by your override",
  "obsolete-modified": "no longer discovered; your override is all there is",
  "owners-differ": "another Service claims the name; the old endpoint stays",
  "both-changed": "discovery changed a field of your override; yours stays",
};

function entryLine({ verdict, key, reason }: PlanEntry, colours: Paint): string {
  const [sign, colour, word] = words[verdict] ?? ["·", "dim", "unchanged"];
  const why = reason === undefined ? "" : `: ${because[reason] ?? reason}`;
  return `${colours[colour](sign)} ${printableLine(key)}  ${colours.dim(word + why)}`;
}

/** What `status` shows: what is, and what an apply would change. */
export interface ToolsetStanding {
  readonly current: ConfigMap | undefined;
  readonly evaluation: ToolsetEvaluation;
  readonly leader: string | undefined;
}

export function statusJson({ current, evaluation, leader }: ToolsetStanding, values: CommonValues): string {
  const document = toolsetDocument(evaluation, current);
  const shown = values["show-secrets"] ? document : maskPlan(document);
  const unused = evaluation.unused.map(({ source, reason, why }) => ({ service: refText(source), reason, why }));
  const standing = { in_sync: evaluation.inSync, leader: leader ?? null, tools: toolRows(evaluation), unused };
  return `${jsonText({ ...shown, ...standing })}
`;
}

export function toolsetStatusText(
  { current, evaluation, leader }: ToolsetStanding,
  values: CommonValues,
  io: Io,
): string {
  const colours = paint(wantsColour(values, io));
  const { namespace = "default", name } = evaluation.configMap.metadata;
  const written = annotationsOf(current)[annotations.lastReconciliation];
  const told = evaluation.diagnostics.filter(
    ({ code, severity }) => code !== "unusable-service" && (values.verbose || severity !== "info"),
  );
  const lines = [
    `ConfigMap ${namespace}/${name}: ${current === undefined ? "not there yet" : `written ${written ?? "by somebody else"}`}${leader === undefined ? "" : `; ${printableLine(leader)} leads`}`,
    ...table(
      toolRows(evaluation).map(({ tool, endpoint, service, state }) => [
        tool,
        endpoint ?? "-",
        service ?? "overrides.yaml",
        words[state as Verdict]?.[3] ?? state,
      ]),
    ),
    ...(evaluation.unused.length === 0 ? [] : ["", "Not used:"]),
    ...table(evaluation.unused.map(({ source, reason, why }) => [refText(source), reason, why])),
    ...(told.length === 0 ? [] : [""]),
    ...told.map((diagnostic) => `${diagnostic.severity}: ${printableLine(renderDiagnostic(diagnostic))}`),
    "",
    evaluation.inSync
      ? "In sync."
      : colours.yellow(`An apply would change the ConfigMap; to see what: ${io.program} toolset plan`),
  ];
  return `${lines.join("\n")}\n`;
}

interface ToolRow {
  readonly tool: string;
  readonly endpoint: string | undefined;
  readonly service: string | undefined;
  readonly state: string;
}

function toolRows({ entries, data }: ToolsetEvaluation): ToolRow[] {
  const sources = new Map(
    [...readBlocks(data[dataKeys.toolset] ?? "").values()].map(({ name, source }) => [name, source]),
  );
  return entries.entries.flatMap(({ name, result, reason, verdict }) => {
    if (result === undefined && reason !== "user-deleted") return [];
    const endpoint = field(result, "endpoint");
    const state =
      reason === undefined ? (verdict === "unchanged" ? "discovered" : verdict) : (because[reason] ?? reason);
    return [
      { tool: name, endpoint: typeof endpoint === "string" ? endpoint : undefined, service: sources.get(name), state },
    ];
  });
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map(
    (row) =>
      `  ${row.map((cell, column) => printableLine(cell).padEnd(column === row.length - 1 ? 0 : widths[column]!)).join("  ")}`,
  );
}

/**
 * A ConfigMap as YAML to be piped into kubectl, its texts as they are; as JSON where YAML would not give the very same
 * back.
 */
export function configMapText(configMap: ConfigMap): string {
  const document = new Document(configMap, { aliasDuplicateObjects: false });
  visit(document, { Scalar: (_, node) => quoteForAll(node) });
  const text = document.toString({ lineWidth: 0 });
  const isSame = !lineEndsOfYaml11.test(text) && JSON.stringify(load(text)) === JSON.stringify(configMap);
  return isSame ? text : `${escaped(JSON.stringify(configMap, null, 2))}\n`;
}

/** kubectl reads YAML 1.1, to which `yes`, `1_000` and a bare time are no texts. */
function quoteForAll(node: Scalar): void {
  const { value } = node;
  if (typeof value === "string" && !value.includes("\n") && yamlScalar(value) !== value) node.type = "QUOTE_DOUBLE";
}

/** Signs that end a line in YAML 1.1, and in 1.2 do not. */
const lineEndsOfYaml11 = /[\u0085\u2028\u2029]/;

function escaped(json: string): string {
  return json.replaceAll(/[\u0085\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
