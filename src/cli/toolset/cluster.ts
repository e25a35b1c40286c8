import { homedir } from "node:os";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { ApiError, ConnectionError, hasStatus, type KubeApi } from "../../toolset/api/api.ts";
import { connect } from "../../toolset/api/https-api.ts";
import { findAccess } from "../../toolset/api/kubeconfig.ts";
import { getConfigMap, getOrNothing, listServices } from "../../toolset/api/resources.ts";
import { askAll, probeAddress } from "../../toolset/controller/health.ts";
import { leasePath } from "../../toolset/controller/leader.ts";
import { type Discovery, discoverTools } from "../../toolset/discover/discover.ts";
import { type ServiceFacts, serviceFacts } from "../../toolset/discover/service.ts";
import { type Observation, observeCluster, passLimit, reconcileToolset } from "../../toolset/reconcile.ts";
import { dataKeys, dataOf } from "../../toolset/render/configmap.ts";
import { readBlocks } from "../../toolset/render/generate.ts";
import { refText } from "../../toolset/tool.ts";
import { homeOf } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import type { ToolsetTarget } from "./options.ts";

/** A connection to the cluster the options mean. Close it, or the process does not end. */
export async function connectTo(
  target: ToolsetTarget,
  home: string | undefined,
  io: Io,
): Promise<KubeApi & { close(): void }> {
  const access = await findAccess({
    kubeconfig: target.kubeconfig === undefined ? undefined : resolve(io.cwd, target.kubeconfig),
    context: target.context,
    env: io.env,
    home: home ?? homeOf(io, homedir),
  });
  return connect(access, io.env);
}

export interface OnlineOptions {
  readonly home: string | undefined;
  /** How long an answer to a health check may take; undefined: nobody is asked. */
  readonly healthTimeout: number | undefined;
}

/** What was seen, and who leads the controllers, if there are any. */
export interface SeenCluster extends Observation {
  readonly leader: string | undefined;
}

/** Plan, or do it, against the cluster, once. Sees what the controller sees: the same Services, names and health. */
export async function online(
  target: ToolsetTarget,
  options: OnlineOptions,
  io: Io,
  doing: "plan" | "apply",
): Promise<SeenCluster> {
  const api = await connectTo(target, options.home, io);
  const signal = AbortSignal.timeout(passLimit);
  try {
    const facts: ServiceFacts[] = [];
    await listServices(
      api,
      target.watchNamespaces,
      (service) => facts.push(...[serviceFacts(service) ?? []].flat()),
      signal,
    );
    const leader = await leaderOf(api, target, signal);
    const isWell = await healthOf(api, facts, target, { ...options, leader, signal });
    const context = {
      discovered: discoverTools(facts, target.rules, isWell),
      lastWritten: undefined,
      now: () => io.now(),
      signal,
    };
    return {
      ...(await (doing === "plan" ? observeCluster(api, target, context) : reconcileToolset(api, target, context))),
      leader,
    };
  } catch (error) {
    throw asInputError(error);
  } finally {
    api.close();
  }
}

/**
 * Who counts as well. A tool that is there was found well by whoever wrote it, and only the controller, which watches
 * over time, takes it away. Where names of the cluster mean nothing, as on a laptop, a controller that is in charge
 * decides; without one, all count.
 */
async function healthOf(
  api: KubeApi,
  facts: readonly ServiceFacts[],
  target: ToolsetTarget,
  {
    healthTimeout,
    leader,
    signal,
  }: { healthTimeout: number | undefined; leader: string | undefined; signal: AbortSignal },
): Promise<(discovery: Discovery) => boolean> {
  if (healthTimeout === undefined) return () => true;
  const known = new Set(
    [...readBlocks(dataOf(await getConfigMap(api, target, signal))[dataKeys.toolset] ?? "").values()].map(
      ({ source }) => source,
    ),
  );
  const { discoveries } = discoverTools(facts, target.rules);
  const asked = discoveries.filter(({ source }) => !known.has(refText(source)));
  const answers = await askAll(asked, probeAddress, healthTimeout);
  return ({ source }) => {
    const answer = answers.get(refText(source));
    return known.has(refText(source)) || answer === "well" || (answer === "unknown" && leader === undefined);
  };
}

/** Who holds the Lease of the controllers; undefined: nobody, or we may not look. */
async function leaderOf(
  api: KubeApi,
  { namespace, name }: ToolsetTarget,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const lease = await getOrNothing(api, leasePath({ namespace, name: `${name}-leader` }), signal);
    const holder = (lease?.spec as { readonly holderIdentity?: unknown } | undefined)?.holderIdentity;
    return typeof holder === "string" && holder !== "" ? holder : undefined;
  } catch (error) {
    if (hasStatus(error, 403)) return undefined;
    throw error;
  }
}

/** What a cluster refuses, or that it can't be reached, is nothing we can mend: one line for the user. */
export function asInputError(error: unknown): unknown {
  if (error instanceof ApiError)
    return new InputError({ code: "api-refused", message: `the API server refused: ${error.message}` });
  return error instanceof ConnectionError ? new InputError({ code: "api-unreachable", message: error.message }) : error;
}
