import { pause } from "../../system/pause.ts";
import type { KubeApi } from "../api/api.ts";
import { configMapsPath, getConfigMap, servicesPath } from "../api/resources.ts";
import { passLimit, type ReconcileTarget, reconcileToolset } from "../reconcile.ts";
import { dataKeys, dataOf, textHash } from "../render/configmap.ts";
import { readBlocks } from "../render/generate.ts";
import { type HolmesNotice, HolmesTeller } from "./effects.ts";
import { type HealthTiming, HealthTracker, type Probe } from "./health.ts";
import { type LeaseTiming, takePartInElection } from "./leader.ts";
import { listInto, type ObjectMirror, type ReflectorTiming, reflect, ServiceMirror } from "./reflector.ts";
import { errorText, type Log, type Metrics, Reporter } from "./telemetry.ts";
import { WorkLoop, type WorkTiming } from "./work-loop.ts";

export interface ControllerOptions {
  readonly target: ReconcileTarget;
  readonly watchNamespaces: readonly string[];
  readonly notice: HolmesNotice;
  readonly health: { readonly probe: Probe; readonly timing: HealthTiming } | undefined;
  /** Undefined: this replica is alone and leads. */
  readonly election: { readonly identity: string; readonly timing: LeaseTiming } | undefined;
  readonly reflecting: ReflectorTiming;
  readonly working: WorkTiming;
}

export interface ControllerSurroundings {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
  now(): Date;
}

/** The controller: mirrors what matters, and makes the ConfigMap right whenever something changed. */
export class Controller {
  readonly #api: KubeApi;
  readonly #options: ControllerOptions;
  readonly #around: ControllerSurroundings;
  readonly #services: ServiceMirror;
  readonly #health: HealthTracker | undefined;
  readonly #loop: WorkLoop;
  readonly #reporter: Reporter;
  readonly #teller: HolmesTeller;
  /**
   * Collections that have not been listed yet. Nothing is decided before all of them are: what is not known yet is not
   * gone.
   */
  #unlisted: number;
  #leads: boolean;
  #lastWritten: Readonly<Record<string, string>> | undefined;
  #workingSince: number | undefined;
  /** Whether everything is to be listed before anything is written: a new leader trusts no watch of its idle days. */
  #mustList = false;

  constructor(api: KubeApi, options: ControllerOptions, around: ControllerSurroundings) {
    this.#api = api;
    this.#options = options;
    this.#around = around;
    this.#leads = options.election === undefined;
    this.#unlisted = Math.max(1, options.watchNamespaces.length);
    this.#reporter = new Reporter(api, around);
    this.#services = new ServiceMirror(options.target.rules, () => this.#servicesChanged());
    this.#health =
      options.health && new HealthTracker(options.health.probe, options.health.timing, () => around.now().getTime());
    this.#loop = new WorkLoop(
      () => this.#work(),
      options.working,
      (error, retryIn) => {
        around.metrics.reconciliationErrors.add();
        around.log.error("Reconciliation failed", { error: errorText(error), retry_in_ms: Math.round(retryIn) });
      },
    );
    this.#teller = new HolmesTeller(api, options.notice, {
      namespace: options.target.namespace,
      log: around.log,
      signal: around.signal,
      now: () => around.now().getTime(),
      again: () => this.#loop.trigger(),
    });
  }

  notReady(): string | undefined {
    if (this.#around.signal.aborted) return "shutting down";
    return this.#unlisted > 0 ? "the Services have not been listed yet" : undefined;
  }

  /** A reconciliation takes milliseconds, and its deadline ends it after a minute: one that takes ten is stuck. */
  isHealthy(): boolean {
    return this.#workingSince === undefined || this.#around.now().getTime() - this.#workingSince < 600_000;
  }

  /** Until the signal ends it. Leaves nothing half-done, and hands the lease back. */
  async run(): Promise<void> {
    const { signal, metrics } = this.#around;
    metrics.leader.set(this.#leads ? 1 : 0);
    const drained = new AbortController();
    const electing = this.#electing(drained.signal);
    await Promise.all([...this.#reflectors(), this.#loop.run(signal), this.#checkingHealth()]);
    // Only now may another lead.
    drained.abort();
    await electing;
  }

  #reflectors(): Promise<void>[] {
    const { target } = this.#options;
    const names = [target.name, ...(target.overridesConfigMap === undefined ? [] : [target.overridesConfigMap])];
    return [
      ...this.#namespaces().map((namespace) =>
        this.#reflect(servicesPath(namespace), {}, this.#countListed(this.#services.part(namespace))),
      ),
      ...names.map((name) =>
        this.#reflect(configMapsPath(target.namespace), { fieldSelector: `metadata.name=${name}` }, this.#triggering()),
      ),
    ];
  }

  #reflect(path: string, query: Record<string, string>, mirror: ObjectMirror): Promise<void> {
    const { signal, now, log, metrics } = this.#around;
    const onRestart = (error: unknown): void => {
      metrics.watchRestarts.add();
      log.warn("Watch starts again", { path, error: errorText(error) });
    };
    return reflect(this.#api, { path, query }, mirror, {
      timing: this.#options.reflecting,
      signal,
      now: () => now().getTime(),
      onRestart,
    });
  }

  /** The ConfigMap is read anew for every reconciliation; here only the news counts. */
  #triggering(): ObjectMirror {
    const trigger = (): void => this.#loop.trigger();
    return { beginList: () => ({ take: () => {}, commit: trigger }), changed: trigger };
  }

  #countListed(mirror: ObjectMirror): ObjectMirror {
    let isFirst = true;
    return {
      changed: (type, item) => mirror.changed(type, item),
      beginList: () => {
        const image = mirror.beginList();
        return {
          take: (item) => image.take(item),
          commit: () => {
            if (isFirst) this.#unlisted--;
            isFirst = false;
            image.commit();
          },
        };
      },
    };
  }

  #servicesChanged(): void {
    this.#loop.trigger();
    void this.#health?.checkNew(this.#services.discoveries(), () => this.#loop.trigger());
  }

  async #electing(signal: AbortSignal): Promise<void> {
    const { election, target } = this.#options;
    if (election === undefined) return;
    const { log, now, metrics } = this.#around;
    await takePartInElection(this.#api, {
      namespace: target.namespace,
      name: `${target.name}-leader`,
      ...election,
      log,
      signal,
      now: () => now().getTime(),
      onChange: (leads) => {
        this.#leads = leads;
        this.#mustList = leads;
        metrics.leader.set(leads ? 1 : 0);
        if (leads) this.#loop.trigger();
      },
    });
  }

  async #checkingHealth(): Promise<void> {
    const { signal, metrics } = this.#around;
    const health = this.#health;
    while (health !== undefined && !signal.aborted) {
      await pause(this.#options.health?.timing.interval ?? 0, signal);
      if (signal.aborted) return;
      await health.checkAll(this.#services.discoveries(), () => this.#loop.trigger());
      metrics.unhealthyServices.set(health.unhealthy());
    }
  }

  async #work(): Promise<void> {
    if (!this.#leads || this.#unlisted > 0) return;
    const started = performance.now();
    this.#workingSince = this.#around.now().getTime();
    const deadline = passDeadline(this.#around.signal);
    try {
      if (this.#mustList) await this.#listAll(deadline.signal);
      await this.#reconcile(deadline.signal);
      this.#around.metrics.lastSuccess.set(Math.floor(this.#around.now().getTime() / 1000));
    } finally {
      deadline.clear();
      this.#workingSince = undefined;
      this.#around.metrics.reconciliationDuration.observe((performance.now() - started) / 1000);
    }
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const { target } = this.#options;
    const health = this.#health;
    if (health !== undefined && this.#lastWritten === undefined) await this.#trustFormer(health, signal);
    const discovered = this.#services.discovered((discovery) => health?.accepts(discovery) ?? true);
    this.#reporter.started(discovered.discoveries.length);
    const done = await reconcileToolset(this.#api, target, {
      discovered,
      lastWritten: this.#lastWritten,
      now: this.#around.now,
      signal,
    });
    await this.#reporter.reconciled(done);
    if (done.outcome === "too-large")
      throw new Error(done.evaluation.diagnostics.find((each) => each.severity === "error")?.message);
    this.#lastWritten = done.evaluation.data;
    await this.#teller.tell(textHash(done.evaluation.data[dataKeys.holmes] ?? ""));
  }

  async #listAll(signal: AbortSignal): Promise<void> {
    for (const namespace of this.#namespaces()) {
      await listInto(this.#api, { path: servicesPath(namespace), query: {} }, this.#services.part(namespace), signal);
    }
    this.#mustList = false;
  }

  #namespaces(): readonly (string | undefined)[] {
    const { watchNamespaces } = this.#options;
    return watchNamespaces.length === 0 ? [undefined] : watchNamespaces;
  }

  /**
   * What is in `toolset.yaml` when we start was found well by whoever wrote it. The others are waited for, once:
   * without their answers the first ConfigMap would be an empty one.
   */
  async #trustFormer(health: HealthTracker, signal: AbortSignal): Promise<void> {
    const text = dataOf(await getConfigMap(this.#api, this.#options.target, signal))[dataKeys.toolset] ?? "";
    for (const block of readBlocks(text).values()) health.assumeWell(block.source);
    await health.answered();
  }
}

/** What a pass may still take once the process is to end. */
const lastWords = 5_000;

/** Ends a pass at its limit. A pass under way when the process is to end may finish, but soon. */
function passDeadline(stop: AbortSignal): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const timers = [setTimeout(() => controller.abort(), passLimit)];
  const hurry = (): void => void timers.push(setTimeout(() => controller.abort(), lastWords));
  if (stop.aborted) hurry();
  stop.addEventListener("abort", hurry, { once: true });
  return {
    signal: controller.signal,
    clear() {
      stop.removeEventListener("abort", hurry);
      timers.forEach(clearTimeout);
    },
  };
}
