import { defined } from "../core/value.ts";
import { backoff, pause } from "../system/pause.ts";
import { ConnectionError, hasStatus, type KubeApi, serverMistake } from "./api/api.ts";
import { applyConfigMap, createConfigMap, deploymentImages, getConfigMap } from "./api/resources.ts";
import type { Discovered, DiscoveryRules } from "./discover/discover.ts";
import { evaluateToolset, type ToolsetEvaluation, type ToolsetInput } from "./evaluate.ts";
import type { SeparateOverrides } from "./overrides.ts";
import { type ConfigMap, dataKeys, dataOf, newConfigMap, ownPart } from "./render/configmap.ts";
import { type HolmesRelease, releaseOfImage } from "./render/holmes-release.ts";
import type { ObjectName } from "./tool.ts";

/** Owns our keys and annotations. */
export const fieldManager = "stet-toolset";
/**
 * Owns `overrides.yaml` of a ConfigMap we made, until a person edits it. An applier that later omits a key of its own
 * would delete it.
 */
export const setupManager = "stet-toolset-setup";

export interface ReconcileTarget extends ObjectName {
  readonly overridesConfigMap: string | undefined;
  /** Begin a new ConfigMap with an `overrides.yaml` that explains itself. */
  readonly starter: boolean;
  readonly rules: DiscoveryRules;
  readonly holmes: HolmesChoice;
}

/** The HolmesGPT to write for: this release, else what the image of this Deployment says, else any from 0.20 on. */
export interface HolmesChoice {
  readonly release: HolmesRelease | undefined;
  readonly deployment: ObjectName | undefined;
}

export interface Observation {
  readonly current: ConfigMap | undefined;
  readonly evaluation: ToolsetEvaluation;
}

export interface ReconciledToolset extends Observation {
  /** `created`: there was no ConfigMap. `too-large`: nothing was written. */
  readonly outcome: "written" | "created" | "in-sync" | "too-large";
}

/** What a reconciliation sees of the world besides the cluster. */
export interface PassContext {
  readonly discovered: Discovered;
  readonly lastWritten: ToolsetInput["lastWritten"];
  now(): Date;
  /** Ends the pass, whatever the server does. */
  readonly signal: AbortSignal;
}

/** No pass takes longer than this. */
export const passLimit = 60_000;

/** Read and evaluate; writes nothing. */
export async function observeCluster(
  api: KubeApi,
  target: ReconcileTarget,
  context: PassContext,
): Promise<Observation> {
  const { discovered, lastWritten, signal } = context;
  const { rules, holmes, ...named } = target;
  const [current, separateOverrides, release] = await Promise.all([
    getConfigMap(api, target, signal),
    readSeparate(api, target, signal),
    holmes.release ?? releaseOfDeployment(api, holmes.deployment, signal),
  ]);
  const asked = { detectors: rules.detectors, release, discovered, lastWritten, now: context.now() };
  return { current, evaluation: evaluateToolset({ ...named, ...asked, current, separateOverrides }) };
}

const attempts = 5;

/**
 * Make the ConfigMap what it should be. Writes only our keys, only if something differs, and only onto the very version
 * that was read: if somebody else was quicker, everything is read and decided again, a few times and with growing
 * pauses.
 */
export async function reconcileToolset(
  api: KubeApi,
  target: ReconcileTarget,
  context: PassContext,
): Promise<ReconciledToolset> {
  let created = false;
  for (let attempt = 1; ; attempt++) {
    const observed = await observeCluster(api, target, context);
    const { current, evaluation } = observed;
    if (evaluation.tooLarge) return { ...observed, outcome: "too-large" };
    if (evaluation.inSync) return { ...observed, outcome: created ? "created" : "in-sync" };
    try {
      if (current === undefined) {
        await createConfigMap(api, newConfigMap(target), setupManager, context.signal);
        created = true;
      } else {
        await applyConfigMap(api, ourPart(current, evaluation), fieldManager, context.signal);
        return { ...observed, outcome: created ? "created" : "written" };
      }
    } catch (error) {
      // Where somebody changed, made or deleted it between our reading and our writing, all is read anew.
      const isOvertaken = hasStatus(error, 409) || hasStatus(error, 404);
      if (!isOvertaken || attempt >= attempts) throw error;
    }
    if (attempt >= attempts + 2) throw serverMistake("the ConfigMap was created, and is not there");
    await pause(backoff(attempt, 20, 1000), context.signal);
    if (context.signal.aborted) throw new ConnectionError("the API server did not answer within the time of the pass");
  }
}

/** What a server-side apply sends, onto the very version that was read. */
function ourPart(current: ConfigMap, evaluation: ToolsetEvaluation): ConfigMap {
  const { resourceVersion, uid } = current.metadata;
  const own = ownPart(current, evaluation);
  return { ...own, metadata: { ...own.metadata, ...defined({ resourceVersion, uid }) } };
}

/** What the Deployment's image says. One that is not there, or that we may not read, says nothing. */
async function releaseOfDeployment(
  api: KubeApi,
  at: ObjectName | undefined,
  signal: AbortSignal,
): Promise<HolmesRelease | undefined> {
  if (at === undefined) return undefined;
  try {
    const images = await deploymentImages(api, at, signal);
    return images.map(releaseOfImage).find((release) => release !== undefined);
  } catch (error) {
    if (hasStatus(error, 403)) return undefined;
    throw error;
  }
}

async function readSeparate(
  api: KubeApi,
  target: ReconcileTarget,
  signal: AbortSignal,
): Promise<SeparateOverrides | undefined> {
  const { overridesConfigMap: name, namespace } = target;
  if (name === undefined) return undefined;
  const configMap = await getConfigMap(api, { namespace, name }, signal);
  return { file: `${name}/${dataKeys.overrides}`, text: dataOf(configMap)[dataKeys.overrides] };
}
