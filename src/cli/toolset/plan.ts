import { InputError } from "../../core/diagnostic.ts";
import { discoverTools } from "../../toolset/discover/discover.ts";
import { readConfigMaps, readServices } from "../../toolset/discover/read-objects.ts";
import { serviceFacts } from "../../toolset/discover/service.ts";
import { evaluateToolset, type ToolsetEvaluation } from "../../toolset/evaluate.ts";
import { toolsetDocument } from "../../toolset/plan.ts";
import { type ConfigMap, dataKeys, dataOf, ownPart } from "../../toolset/render/configmap.ts";
import { defineCommand, type Options, type Parsed } from "../shell/command.ts";
import type { CommonValues } from "../shell/common-options.ts";
import { complain, type Io, tell } from "../shell/io.ts";
import { parseDuration } from "../shell/options.ts";
import type { OnlineOptions } from "./cluster.ts";
import { configMapOf, readInputFile, sharedOptions, type ToolsetTarget } from "./options.ts";
import { configMapText, documentJson, documentText, statusJson, toolsetStatusText } from "./output.ts";

const options = {
  services: {
    type: "string",
    value: "FILE",
    help: "offline: read Services from a file (- is stdin), and ask no cluster",
  },
  configmap: {
    type: "string",
    value: "FILE",
    help: "offline: the current ConfigMap (- is stdin); leave it out if there is none",
  },
  diff: { type: "boolean", help: "show the lines that change" },
  "no-health-checks": { type: "boolean", help: "online: use Services without checking their health" },
  "health-timeout": {
    type: "string",
    default: "5s",
    value: "DURATION",
    help: "online: how long a health check may take (default: 5s)",
  },
} as const satisfies Options;

type Values = CommonValues & Parsed<typeof options & typeof sharedOptions>["values"];

/** What there is and what should be, and whether it was already done. */
interface Planned {
  readonly current: ConfigMap | undefined;
  readonly evaluation: ToolsetEvaluation;
  /** Who leads the controllers; undefined: nobody, or it was not asked. */
  readonly leader: string | undefined;
}

export const planToolsetCommand = defineCommand({
  name: "toolset plan",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "Shows what would change in the ConfigMap, and why. Writes nothing.",
  options: {
    ...options,
    ...sharedOptions,
    "exit-code": { type: "boolean", help: "exit 2 if an apply would change something" },
  },
  example: "kubectl get services -A -o json | stet toolset plan --services - --diff",
  async run({ values }, io) {
    const result = await planned(values, io, "plan");
    tellPlan(result, values, io);
    return values["exit-code"] && !result.evaluation.inSync ? 2 : 0;
  },
});

export const applyToolsetCommand = defineCommand({
  name: "toolset apply",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: `Brings the ConfigMap up to date. Offline (--services): prints the resulting
ConfigMap on standard output, and the report on standard error.`,
  options: {
    ...options,
    ...sharedOptions,
    strict: { type: "boolean", help: "exit 3 if your overrides change discovered tools" },
    "dry-run": { type: "boolean", help: "only show what would change, as plan does" },
  },
  example: "stet toolset apply -n kubernaut-system",
  async run({ values }, io) {
    const doing = values["dry-run"] ? "plan" : "apply";
    const done = await planned(values, io, doing);
    if (doing === "plan") tellPlan(done, values, io);
    else tellApplied(done, values, io);
    return doing === "apply" && values.strict && done.evaluation.entries.overridden.length > 0 ? 3 : 0;
  },
});

export const statusToolsetCommand = defineCommand({
  name: "toolset status",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: `Lists every tool with the Service it comes from and what your overrides change in it, and
every Service that looks like a tool but is not used, with the reason.`,
  options: {
    ...options,
    ...sharedOptions,
    "exit-code": { type: "boolean", help: "exit 2 if an apply would change something" },
  },
  example: "stet toolset status -n kubernaut-system",
  async run({ values }, io) {
    const result = await planned(values, io, "plan");
    if (values.json) io.out(statusJson(result, values));
    else tell(io, toolsetStatusText(result, values, io));
    return values["exit-code"] && !result.evaluation.inSync ? 2 : 0;
  },
});

async function planned(values: Values, io: Io, doing: "plan" | "apply"): Promise<Planned> {
  const target = await configMapOf(values, io);
  const result = isOffline(values)
    ? await offline(values, target, io)
    : await (await import("./cluster.ts")).online(target, onlineOptions(values), io, doing);
  const refusal = result.evaluation.diagnostics.find((diagnostic) => diagnostic.severity === "error");
  if (refusal) throw new InputError(refusal);
  return result;
}

function onlineOptions(values: Values): OnlineOptions {
  const timeout = parseDuration("health-timeout", values["health-timeout"]);
  return { home: values.home, healthTimeout: values["no-health-checks"] ? undefined : timeout };
}

function isOffline(values: Values): boolean {
  if (values.services === undefined && values.configmap !== undefined) {
    throw new InputError({
      code: "usage",
      message: "--configmap FILE also needs --services FILE: offline, stet asks no cluster",
    });
  }
  return values.services !== undefined;
}

async function offline(values: Values, target: ToolsetTarget, io: Io): Promise<Planned> {
  const { services = "-", configmap } = values;
  if (services === "-" && configmap === "-")
    throw new InputError({ code: "usage", message: "only one of --services and --configmap can be -" });
  const facts = readServices(await readInputFile(services, io), services).flatMap(
    (service) => serviceFacts(service) ?? [],
  );
  const watched = facts.filter(
    (each) => target.watchNamespaces.length === 0 || target.watchNamespaces.includes(each.namespace),
  );
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
    detectors: target.rules.detectors,
    release: target.holmes.release,
    discovered: discoverTools(watched, target.rules),
    current,
    separateOverrides:
      overridesName === undefined
        ? undefined
        : { file: `${overridesName}/${dataKeys.overrides}`, text: dataOf(separate)[dataKeys.overrides] },
    lastWritten: undefined,
    now: io.now(),
  });
  return { current, evaluation, leader: undefined };
}

/** What kubectl is given: our own keys, so that no key of the user's can be lost on the way. */
function printedPart({ current, evaluation }: Planned, values: Values): ConfigMap {
  const own = ownPart(evaluation.configMap, evaluation);
  const starter = dataOf(evaluation.configMap)[dataKeys.overrides];
  if (!values.starter || current !== undefined || starter === undefined) return own;
  return { ...own, data: { [dataKeys.overrides]: starter, ...own.data } };
}

/** The one with the right name; a single one counts whatever it is called. */
function chooseCurrent(maps: readonly ConfigMap[], target: ToolsetTarget, file: string): ConfigMap | undefined {
  if (maps.length <= 1) return maps[0];
  const named = maps.filter(
    ({ metadata }) => metadata.name === target.name && (metadata.namespace ?? target.namespace) === target.namespace,
  );
  if (named.length === 1) return named[0];
  const message = `it holds ${maps.length} ConfigMaps, and none of them is ${target.namespace}/${target.name}; name yours with --configmap-name`;
  throw new InputError({ code: "malformed-input", message, file });
}

function tellPlan(result: Planned, values: Values, io: Io): void {
  const document = toolsetDocument(result.evaluation, result.current);
  if (values.json) io.out(documentJson(document, isOffline(values) ? result.evaluation.configMap : undefined, values));
  else if (!values.quiet)
    io.out(documentText(document, values, io, { tense: "plan", inSync: result.evaluation.inSync }));
}

/**
 * Offline there is nobody to give the result to but standard output: a ConfigMap to be piped into kubectl. The report
 * goes beside it.
 */
function tellApplied(result: Planned, values: Values, io: Io): void {
  const document = toolsetDocument(result.evaluation, result.current);
  const isPiped = isOffline(values);
  const outcome = { tense: "apply", inSync: result.evaluation.inSync } as const;
  if (values.json) {
    io.out(documentJson(document, isPiped ? result.evaluation.configMap : undefined, values));
  } else if (isPiped) {
    if (!values.quiet) complain(io, documentText(document, values, io, outcome));
    io.out(configMapText(printedPart(result, values)));
  } else if (!values.quiet) io.out(documentText(document, values, io, outcome));
}
