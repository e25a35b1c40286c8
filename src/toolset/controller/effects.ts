import { pause } from "../../system/pause.ts";
import { hasStatus, type KubeApi, kubeObject } from "../api/api.ts";
import { deploymentPath, getOrNothing } from "../api/resources.ts";
import type { ConfigMap } from "../render/configmap.ts";
import { toTheSecond } from "../tool.ts";
import { errorText, type Log } from "./telemetry.ts";

/** As Kubernetes' own recorder has it: this many different messages about one thing, then they are told as one. */
const mostDifferent = 10;
const similarWithin = 600_000;
/**
 * At most this many at once, and then one every five minutes: an Event that is patched is written to etcd like any
 * other.
 */
const burst = 25;
const refill = 300_000;

/** What was told already about one thing. */
interface Told {
  readonly name: string;
  readonly first: string;
  count: number;
}

/**
 * Tells the people who look at the ConfigMap with `kubectl describe`. What repeats itself is counted in one Event, as
 * Kubernetes does it.
 */
export class EventRecorder {
  readonly #api: KubeApi;
  readonly #told = new Map<string, Told>();
  readonly #recent = new Map<string, { readonly messages: Set<string>; since: number }>();
  #allowance = burst;
  #refilled = 0;

  constructor(api: KubeApi) {
    this.#api = api;
  }

  /** Whether it was recorded, or left out because there were too many. */
  async record(configMap: ConfigMap, reason: string, message: string, now: Date): Promise<boolean> {
    if (!this.#allowed(now.getTime())) return false;
    const short = message.length > 900 ? `${message.slice(0, 900)}…` : message;
    const text = this.#isMany(reason, short, now.getTime()) ? `(combined from similar events): ${short}` : short;
    const key = text === short ? `${reason} ${short}` : reason;
    const { name, namespace = "default", uid, resourceVersion } = configMap.metadata;
    const time = toTheSecond(now);
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`;
    const told = this.#told.get(key);
    if (told && (await this.#again(`${path}/${encodeURIComponent(told.name)}`, told, text, time))) return true;
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", name, namespace, uid, resourceVersion },
      reason,
      message: text,
      type: "Warning",
      source: { component: "stet-toolset" },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    const made = kubeObject(await this.#api.request({ method: "POST", path, body: event }), "an Event");
    const { name: eventName } = made.metadata as { readonly name: string };
    this.#told.set(key, { name: eventName, first: time, count: 1 });
    if (this.#told.size > 100) this.#told.delete(this.#told.keys().next().value!);
    return true;
  }

  /** Count it in the Event that is there; false where that has gone meanwhile. */
  async #again(path: string, told: Told, message: string, time: string): Promise<boolean> {
    const body = { count: told.count + 1, lastTimestamp: time, message };
    try {
      await this.#api.request({ method: "PATCH", path, body, contentType: "application/strategic-merge-patch+json" });
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
    told.count++;
    return true;
  }

  #isMany(reason: string, message: string, now: number): boolean {
    const recent = this.#recent.get(reason);
    if (recent === undefined || now - recent.since > similarWithin) {
      this.#recent.set(reason, { messages: new Set([message]), since: now });
      return false;
    }
    recent.messages.add(message);
    return recent.messages.size > mostDifferent;
  }

  #allowed(now: number): boolean {
    const due = Math.floor((now - this.#refilled) / refill);
    if (due > 0) {
      this.#allowance = Math.min(burst, this.#allowance + due);
      this.#refilled = now;
    }
    if (this.#allowance === 0) return false;
    this.#allowance--;
    return true;
  }
}

export const checksumAnnotation = "kubernaut.io/toolset-checksum";

/**
 * HolmesGPT reads its file at start only: give its pods an annotation with the file's hash, and the Deployment rolls
 * them over. Looks first, so that pods that have started with this very file stay. Returns whether it had to.
 */
async function restartDeployment(api: KubeApi, namespace: string, name: string, checksum: string): Promise<boolean> {
  const path = deploymentPath({ namespace, name });
  const deployment = (await getOrNothing(api, path)) as Deployment | undefined;
  if (deployment === undefined) throw new Error(`there is no Deployment ${namespace}/${name} to restart`);
  if (deployment.spec?.template?.metadata?.annotations?.[checksumAnnotation] === checksum) return false;
  const body = { spec: { template: { metadata: { annotations: { [checksumAnnotation]: checksum } } } } };
  const query = { fieldManager: "stet-toolset-restart" };
  await api.request({ method: "PATCH", path, query, body, contentType: "application/strategic-merge-patch+json" });
  return true;
}

interface Deployment {
  readonly spec?: {
    readonly template?: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } };
  };
}

/**
 * HolmesGPT's own endpoint to read its files again. `absent`: this release has none, or nobody switched it on.
 * `locked`: it asks for an API key, and the controller has none.
 */
async function reloadHolmes(address: string, timeLimit: number): Promise<"reloaded" | "absent" | "locked"> {
  const response = await fetch(new URL("api/admin/reload/toolsets", address.endsWith("/") ? address : `${address}/`), {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(timeLimit),
  });
  await response.body?.cancel();
  if (response.status === 404 || response.status === 405) return "absent";
  if (response.status === 401 || response.status === 403) return "locked";
  if (!response.ok) throw new Error(`HolmesGPT at ${address} answered ${response.status} when asked to reload`);
  return "reloaded";
}

/**
 * How HolmesGPT learns of a change: by its own endpoint where its release has one, else by a restart. Both undefined:
 * not at all.
 */
export interface HolmesNotice {
  /** Where its API is, and how long a change takes until it stands in the mounted file. */
  readonly reload: { readonly address: string; readonly delay: number } | undefined;
  /** The Deployment to restart, and how long it is left alone after that. */
  readonly restart: { readonly deployment: string; readonly interval: number } | undefined;
}

interface TellerContext {
  readonly namespace: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  now(): number;
  /** Come back later. */
  again(): void;
}

const reloadLimit = 60_000;

const answers = {
  reloaded: "HolmesGPT reloaded",
  absent: "HolmesGPT has no reload endpoint: releases after 0.31 have one, with ENABLE_ADMIN_API=true",
  locked: "HolmesGPT asks for its API key to reload, which the controller does not have",
} as const;

/** Tells HolmesGPT of a changed file, once for each change, and not more often than it can bear. */
export class HolmesTeller {
  readonly #api: KubeApi;
  readonly #notice: HolmesNotice;
  readonly #context: TellerContext;
  /** Whether this HolmesGPT turned out to have no endpoint, or none for us. */
  #hasNoEndpoint = false;
  /** The file it was told of last, or is about to be. */
  #told: string | undefined;
  #restarted = Number.NEGATIVE_INFINITY;
  /** Whether somebody waits until the Deployment may be restarted again: one is enough. */
  #waits = false;

  constructor(api: KubeApi, notice: HolmesNotice, context: TellerContext) {
    this.#api = api;
    this.#notice = notice;
    this.#context = context;
  }

  async tell(checksum: string): Promise<void> {
    const { reload, restart } = this.#notice;
    if (reload !== undefined && !this.#hasNoEndpoint) this.#reloadSoon(reload, checksum);
    else if (restart !== undefined) await this.#restart(restart, checksum);
  }

  /** The file in HolmesGPT's pod changes some time after the ConfigMap: asking earlier would read the old one again. */
  #reloadSoon({ address, delay }: { readonly address: string; readonly delay: number }, checksum: string): void {
    const { log, signal, again } = this.#context;
    if (this.#told === checksum) return;
    this.#told = checksum;
    void pause(delay, signal).then(async () => {
      if (signal.aborted || this.#told !== checksum) return;
      try {
        const answer = await reloadHolmes(address, reloadLimit);
        this.#hasNoEndpoint = answer !== "reloaded";
        log[answer === "reloaded" ? "info" : "warn"](answers[answer], { address, checksum });
        if (this.#hasNoEndpoint) again();
      } catch (error) {
        this.#told = undefined;
        log.warn("HolmesGPT could not be reloaded", { address, error: errorText(error) });
        again();
      }
    });
  }

  /** A cluster in turmoil must not keep HolmesGPT from ever getting up: soon after a restart, the next one waits. */
  async #restart(
    { deployment, interval }: { readonly deployment: string; readonly interval: number },
    checksum: string,
  ): Promise<void> {
    const { log, signal, now, namespace, again } = this.#context;
    const wait = this.#restarted + interval - now();
    if (this.#waits) return;
    if (wait > 0) {
      this.#waits = true;
      void pause(wait, signal).then(() => {
        this.#waits = false;
        again();
      });
      return;
    }
    if (!(await restartDeployment(this.#api, namespace, deployment, checksum))) return;
    this.#restarted = now();
    log.info("Deployment restarted", { deployment, checksum });
  }
}
