import { pause } from "../../system/pause.ts";
import { hasStatus, type KubeApi } from "../api/api.ts";
import { getOrNothing } from "../api/resources.ts";
import type { ObjectName } from "../tool.ts";
import { errorText, type Log } from "./telemetry.ts";

/** As Kubernetes' own controllers have it: 15 s, 10 s, 2 s. */
export interface LeaseTiming {
  /** How long a leader that says nothing is waited for. */
  readonly duration: number;
  /** A leader that could not renew for this long steps down, well before others take over. */
  readonly renewDeadline: number;
  readonly retry: number;
  /** Sooner, while the server can't be reached: nobody leads until somebody gets through. */
  readonly retryAfterFailure: number;
}

export const usualLeaseTiming: LeaseTiming = {
  duration: 15_000,
  renewDeadline: 10_000,
  retry: 2_000,
  retryAfterFailure: 500,
};

export interface LeaderOptions extends ObjectName {
  readonly identity: string;
  readonly timing: LeaseTiming;
  readonly signal: AbortSignal;
  readonly log: Log;
  now(): number;
  onChange(leads: boolean): void;
}

interface Lease {
  readonly apiVersion: "coordination.k8s.io/v1";
  readonly kind: "Lease";
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly resourceVersion?: string | undefined;
  };
  readonly spec: {
    readonly holderIdentity: string;
    readonly leaseDurationSeconds: number;
    readonly acquireTime?: string | undefined;
    readonly renewTime?: string | undefined;
    readonly leaseTransitions?: number | undefined;
  };
}

/** What was seen of another's lease, and when by our own clock: clocks of two machines are never compared. */
interface Sighting {
  readonly version: string;
  readonly at: number;
  readonly holder: string;
  /** When it was renewed, by its holder's clock. */
  readonly renewed: number;
}

/**
 * Take part in the election until the signal ends it; then hand the lease back, so that nobody has to wait for it to
 * run out.
 */
export async function takePartInElection(api: KubeApi, options: LeaderOptions): Promise<void> {
  const { timing, signal, log, now } = options;
  let leads = false;
  let renewed = 0;
  let sighting: Sighting | undefined;
  const become = (next: boolean): void => {
    if (leads === next) return;
    leads = next;
    log.info(next ? "Leading" : "No longer leading", { identity: options.identity });
    options.onChange(next);
  };
  while (!signal.aborted) {
    const asked = now();
    let failed = false;
    try {
      // Somebody else may lead once our time is over, so an answer that comes later is worth nothing.
      const patience = leads ? Math.max(1, renewed + timing.renewDeadline - asked) : timing.renewDeadline;
      const outcome = await tryToLead(limited(api, patience), options, sighting);
      sighting = outcome.sighting;
      if (outcome.leads) renewed = asked;
      become(outcome.leads);
    } catch (error) {
      failed = true;
      log.warn("Lease could not be renewed", { error: errorText(error) });
      if (leads && now() - renewed >= timing.renewDeadline) become(false);
    }
    await pause(failed ? Math.min(timing.retry, timing.retryAfterFailure) : timing.retry, signal);
  }
  if (leads) await release(api, options);
  become(false);
}

function limited(api: KubeApi, patience: number): KubeApi {
  const signal = AbortSignal.timeout(Math.ceil(patience));
  return { ...api, request: (call) => api.request(call, signal) };
}

async function tryToLead(
  api: KubeApi,
  options: LeaderOptions,
  seen: Sighting | undefined,
): Promise<{ leads: boolean; sighting: Sighting | undefined }> {
  const held = (await getOrNothing(api, leasePath(options))) as Lease | undefined;
  try {
    if (held === undefined) {
      await api.request({ method: "POST", path: leasesPath(options), body: leaseFor(options, undefined) });
      return { leads: true, sighting: undefined };
    }
    const version = held.metadata.resourceVersion ?? "";
    const sighting = seen?.version === version ? seen : sighted(held, seen, options.now());
    const { holderIdentity } = held.spec;
    const isOver = !holderIdentity || options.now() - sighting.at > held.spec.leaseDurationSeconds * 1000;
    if (holderIdentity !== options.identity && !isOver) return { leads: false, sighting };
    await put(api, options, leaseFor(options, held));
    return { leads: true, sighting: undefined };
  } catch (error) {
    // Somebody else was quicker; look again next time.
    if (hasStatus(error, 409)) return { leads: false, sighting: seen };
    throw error;
  }
}

/**
 * A lease that was renewed since we looked last. While we could not look, its holder may have been gone for long: of
 * two renewals by the same holder, its own clock tells how much later the second was than the first, which we saw.
 */
function sighted(held: Lease, seen: Sighting | undefined, now: number): Sighting {
  const { holderIdentity: holder, renewTime } = held.spec;
  const renewed = Date.parse(renewTime ?? "");
  const later = seen?.holder === holder ? renewed - seen.renewed : Number.NaN;
  const at = later > 0 ? Math.min(now, seen!.at + later) : now;
  return { version: held.metadata.resourceVersion ?? "", at, holder, renewed };
}

function leaseFor(options: LeaderOptions, held: Lease | undefined): Lease {
  const { name, namespace, identity, timing } = options;
  const time = microTime(options.now());
  const isOurs = held?.spec.holderIdentity === identity;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name, namespace, resourceVersion: held?.metadata.resourceVersion },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.ceil(timing.duration / 1000)),
      acquireTime: isOurs ? held.spec.acquireTime : time,
      renewTime: time,
      leaseTransitions: (held?.spec.leaseTransitions ?? -1) + (isOurs ? 0 : 1),
    },
  };
}

async function release(api: KubeApi, options: LeaderOptions): Promise<void> {
  try {
    const held = (await getOrNothing(api, leasePath(options))) as Lease | undefined;
    if (held?.spec.holderIdentity !== options.identity) return;
    await put(api, options, {
      ...held,
      spec: { ...held.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(options.now()) },
    });
  } catch (error) {
    options.log.warn("Lease could not be released; others take over when it runs out", { error: errorText(error) });
  }
}

/** With the version that was read in it, so that of two candidates only one succeeds. */
async function put(api: KubeApi, options: LeaderOptions, lease: Lease): Promise<void> {
  await api.request({ method: "PUT", path: leasePath(options), body: lease });
}

function leasesPath({ namespace }: ObjectName): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
}

export function leasePath(options: ObjectName): string {
  return `${leasesPath(options)}/${encodeURIComponent(options.name)}`;
}

function microTime(now: number): string {
  return new Date(now).toISOString().replace("Z", "000Z");
}
