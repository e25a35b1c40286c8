import { InputError } from "../../core/diagnostic.ts";
import { discover } from "../../toolset/discover/discover.ts";
import { readConfigMaps, readServices } from "../../toolset/discover/read-objects.ts";
import { serviceFacts } from "../../toolset/discover/service.ts";
import { type Evaluation, evaluateToolset } from "../../toolset/evaluate.ts";
import type { ConfigMap } from "../../toolset/render/configmap.ts";
import { dataKeys, dataOf } from "../../toolset/render/configmap.ts";
import { toolsetDocument } from "../../toolset/render/document.ts";
import type { Command, Io } from "../shell/io.ts";
import { parseToolsetOptions, readInputFile, type ToolsetTarget, targetOf } from "./options.ts";
import { configMapText, documentJson, documentText } from "./output.ts";

const options = {
  services: { type: "string" },
  configmap: { type: "string" },
  diff: { type: "boolean" },
  "exit-code": { type: "boolean" },
  strict: { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const;

type Values = ReturnType<typeof parsePlanOptions>;

function parsePlanOptions(args: readonly string[], io: Io) {
  return parseToolsetOptions(args, options, io, "plan");
}

/** What there is and what should be, and whether it was already done. */
interface Planned {
  readonly current: ConfigMap | undefined;
  readonly evaluation: Evaluation;
}

export const plan: Pick<Command, "run"> = {
  async run(args, io) {
    const values = parsePlanOptions(args, io);
    return tellPlan(await planned(values, io, "plan"), values, io);
  },
};

export const apply: Pick<Command, "run"> = {
  async run(args, io) {
    const values = parsePlanOptions(args, io);
    if (values["dry-run"]) return tellPlan(await planned(values, io, "plan"), values, io);
    const done = await planned(values, io, "apply");
    tellApplied(done, values, io);
    return values.strict && done.evaluation.entries.overridden.length > 0 ? 3 : 0;
  },
};

async function planned(values: Values, io: Io, doing: "plan" | "apply"): Promise<Planned> {
  const target = await targetOf(values, io);
  const result = isOffline(values)
    ? await offline(values, target, io)
    : await (await import("./cluster.ts")).online(target, values, io, doing);
  const refusal = result.evaluation.diagnostics.find((diagnostic) => diagnostic.severity === "error");
  if (refusal) throw new InputError(refusal);
  return result;
}

function isOffline(values: Values): boolean {
  if (values.services === undefined && values.configmap !== undefined) {
    throw new InputError({
      code: "usage",
      message: "--configmap FILE needs --services FILE, too: offline, nothing is asked of a cluster",
    });
  }
  return values.services !== undefined;
}

async function offline(values: Values, target: ToolsetTarget, io: Io): Promise<Planned> {
  const { services = "-", configmap } = values;
  if (services === "-" && configmap === "-")
    throw new InputError({ code: "usage", message: "only one of --services and --configmap can be -" });
  const facts = readServices(await readInputFile(services, io), services).flatMap((service) => serviceFacts(service) ?? []);
  const watched = facts.filter((each) => target.watchNamespaces.length === 0 || target.watchNamespaces.includes(each.namespace));
  const maps = configmap === undefined ? [] : readConfigMaps(await readInputFile(configmap, io), configmap);
  const overridesName = target.overridesConfigMap;
  const separate = maps.find((map) => map.metadata.name === overridesName);
  const current = chooseCurrent(
    maps.filter((map) => map !== separate),
    target,
    configmap ?? "",
  );
  const evaluation = evaluateToolset({
    ...target,
    discovered: discover(watched, target.detectors),
    current,
    separateOverrides:
      overridesName === undefined
        ? undefined
        : { file: `${overridesName}/${dataKeys.overrides}`, text: dataOf(separate)[dataKeys.overrides] },
    lastWritten: undefined,
    now: io.now(),
  });
  return { current, evaluation };
}

/** The one with the right name; a single one counts whatever it is called. */
function chooseCurrent(maps: readonly ConfigMap[], target: ToolsetTarget, file: string): ConfigMap | undefined {
  if (maps.length <= 1) return maps[0];
  const named = maps.filter(
    ({ metadata }) => metadata.name === target.name && (metadata.namespace ?? target.namespace) === target.namespace,
  );
  if (named.length === 1) return named[0];
  const message = `${maps.length} ConfigMaps in it, and none of them is ${target.namespace}/${target.name}; name it with --configmap-name`;
  throw new InputError({ code: "malformed-input", message, file });
}

function tellPlan(result: Planned, values: Values, io: Io): number {
  const document = toolsetDocument(result.evaluation, result.current);
  if (values.json) io.out(documentJson(document, isOffline(values) ? result.evaluation.configMap : undefined, values));
  else if (!values.quiet) io.out(documentText(document, values, io, { tense: "plan", inSync: result.evaluation.inSync }));
  return values["exit-code"] && !result.evaluation.inSync ? 2 : 0;
}

/** Offline there is nobody to give the result to but standard output: a ConfigMap to be piped into kubectl. The report goes beside it. */
function tellApplied(result: Planned, values: Values, io: Io): void {
  const document = toolsetDocument(result.evaluation, result.current);
  const isPiped = isOffline(values);
  const outcome = { tense: "apply", inSync: result.evaluation.inSync } as const;
  if (values.json) {
    io.out(documentJson(document, isPiped ? result.evaluation.configMap : undefined, values));
  } else if (isPiped) {
    if (!values.quiet) io.err(documentText(document, values, io, outcome));
    io.out(configMapText(result.evaluation.configMap));
  } else if (!values.quiet) io.out(documentText(document, values, io, outcome));
}
