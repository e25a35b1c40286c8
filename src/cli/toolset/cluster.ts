import { homedir } from "node:os";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { findAccess } from "../../toolset/api/access.ts";
import { ApiError, ConnectionError, type KubeApi } from "../../toolset/api/api.ts";
import { connect } from "../../toolset/api/https-api.ts";
import { listServices } from "../../toolset/api/resources.ts";
import { discover } from "../../toolset/discover/discover.ts";
import { type ServiceFacts, serviceFacts } from "../../toolset/discover/service.ts";
import { type Observation, observe, passLimit, reconcile } from "../../toolset/reconcile.ts";
import type { Io } from "../shell/io.ts";
import type { ToolsetTarget } from "./options.ts";

/** A connection to the cluster the options mean. Close it, or the process does not end. */
export async function connectTo(target: ToolsetTarget, home: string | undefined, io: Io): Promise<KubeApi & { close(): void }> {
  const access = await findAccess({
    kubeconfig: target.kubeconfig === undefined ? undefined : resolve(io.cwd, target.kubeconfig),
    context: target.context,
    env: io.env,
    home: home ?? io.env.HOME ?? homedir(),
  });
  return connect(access, io.env);
}

/** Plan, or do it, against the cluster, once. */
export async function online(
  target: ToolsetTarget,
  values: { home?: string | undefined },
  io: Io,
  doing: "plan" | "apply",
): Promise<Observation> {
  const api = await connectTo(target, values.home, io);
  const signal = AbortSignal.timeout(passLimit);
  try {
    const facts: ServiceFacts[] = [];
    await listServices(api, target.watchNamespaces, (service) => facts.push(...[serviceFacts(service) ?? []].flat()), signal);
    const context = { discovered: discover(facts, target.rules), lastWritten: undefined, now: () => io.now(), signal };
    return await (doing === "plan" ? observe(api, target, context) : reconcile(api, target, context));
  } catch (error) {
    throw asInputError(error);
  } finally {
    api.close();
  }
}

/** What a cluster refuses, or that it can't be reached, is nothing we can mend: one line for the user. */
export function asInputError(error: unknown): unknown {
  if (error instanceof ApiError) return new InputError({ code: "api-refused", message: `the API server refused: ${error.message}` });
  return error instanceof ConnectionError ? new InputError({ code: "api-unreachable", message: error.message }) : error;
}
