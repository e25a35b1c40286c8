import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ApplyResult, applyHost, type Effects } from "../../src/host/apply.ts";
import type { ContainerHealth, PodmanObject } from "../../src/host/effects/podman.ts";
import type { UnitManager, UnitState } from "../../src/host/effects/systemd.ts";
import { evaluateFor } from "../../src/host/evaluate/evaluate.ts";
import { type EvaluatedHost, systemLayout } from "../../src/host/evaluate/evaluation.ts";
import type { Catalog } from "../../src/host/evaluate/service.ts";
import { readHostRecords } from "../../src/host/observe.ts";
import type { HostPlanOptions, PlanResult } from "../../src/host/plan.ts";
import { planFromCommit, rollBack, unlessHeld } from "../../src/host/reconcile.ts";
import { type HostStatus, hostStatus } from "../../src/host/status.ts";
import type { HostTarget } from "../../src/host/target.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";

/**
 * A machine made of a temporary folder: a root file system, a state directory, and a list of what was asked of systemd.
 */
export class Box {
  readonly folder = mkdtempSync(join(tmpdir(), "stet-box-"));
  readonly root = join(this.folder, "root");
  readonly asked: string[] = [];
  /** Units that will not come up. */
  readonly broken = new Set<string>();
  readonly images: string[] = [];
  target: HostTarget = {
    root: this.root,
    scope: "system",
    layout: systemLayout,
    stateDir: join(this.folder, "state"),
    gate: diskGate(process.platform),
    program: "stet",
    now: () => new Date("2026-11-15T12:00:00Z"),
  };

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A path of the host as it is from here. */
  at(path: string): string {
    return join(this.root, path);
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), text, { mode });
  }

  read(path: string): string {
    return readFileSync(this.at(path), "utf8");
  }

  exists(path: string): boolean {
    return existsSync(this.at(path));
  }

  /** Every file of the root with its mode and content, links with their target. */
  tree(folder = this.root): Record<string, string> {
    if (!existsSync(folder)) return {};
    const found: Record<string, string> = {};
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(folder.length);
      if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
      else if (entry.isFile())
        found[name] = `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`;
    }
    return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Everything below the box with its time of change: two runs that write nothing leave the same. */
  fingerprint(): string {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const status = statSync(path, { bigint: true, throwIfNoEntry: false });
      return `${path} ${status?.mtimeNs} ${status?.ino} ${status?.size}`;
    });
    return entries.sort().join("\n");
  }

  /** Units that do not stand as if they were running well. Starting one that is not broken makes it well. */
  readonly states = new Map<string, Partial<UnitState>>();
  /** What podman says of networks and volumes, by their own names. */
  readonly objects = new Map<string, PodmanObject>();
  readonly health = new Map<string, ContainerHealth>();
  /** Whether somebody stopped a unit, as the journal tells it. */
  wasStopped: boolean | undefined;

  private readonly manager: UnitManager = {
    reload: async () => {
      this.asked.push("daemon-reload");
      return { kind: "done" };
    },
    act: async (verb, unit) => {
      this.asked.push(`${verb} ${unit}`);
      if (verb === "start" || verb === "restart") this.states.delete(unit);
      return { kind: "done" };
    },
    forgetFailures: async (units) => {
      for (const unit of units) this.asked.push(`reset-failed ${unit}`);
    },
    states: async (units) => units.map((unit) => this.state(unit)),
    logs: async (unit) => [`${unit}: the last words`],
    wasStopped: async () => this.wasStopped,
  };

  private state(unit: string): UnitState {
    const down = this.broken.has(unit);
    return {
      unit,
      active: down ? "failed" : "active",
      sub: down ? "failed" : "running",
      result: down ? "exit-code" : "success",
      load: "loaded",
      loaded: true,
      enabled: "enabled",
      oneshot: false,
      remains: false,
      skipped: false,
      restartsItself: false,
      restarts: 0,
      upMs: 3_600_000,
      invocation: "1",
      needsReload: false,
      ...this.states.get(unit),
    };
  }

  effects(activate: boolean): Effects {
    return {
      manager: activate ? this.manager : undefined,
      podman: {
        secrets: async () => new Set(["known"]),
        pull: async (image) => {
          this.images.push(image);
          return image.includes("gone")
            ? { kind: "failed", message: `podman pull ${image}: not found` }
            : { kind: "pulled" };
        },
        health: async () => this.health,
        object: async (_, name) => this.objects.get(name) ?? { exists: false, empty: true },
        remove: async (kind, name) => {
          this.asked.push(`podman ${kind} rm ${name}`);
          return { kind: "done" };
        },
      },
      verify: async () => [],
      setOwners: async () => [],
      waiting: { waitMs: 50, settleMs: 0 },
    };
  }

  evaluate(catalog: Catalog, host = "box"): EvaluatedHost {
    return evaluateFor(catalog, host, this.target.layout);
  }

  plan(catalog: Catalog, options: BoxOptions = {}): Promise<PlanResult> {
    const { version = "v1", unhold = false, host = "box", ...rest } = options;
    const records = readHostRecords(this.target);
    const activate = rest.activate ?? true;
    const all = { keepDrift: false, retryNow: true, recreate: false, hostChanged: false, ...rest, activate };
    const desired = { evaluation: this.evaluate(catalog, host), version, note: "apply", hold: undefined };
    return planFromCommit(
      unlessHeld(desired, records, this.target, unhold),
      records,
      this.target,
      this.effects(activate),
      all,
    );
  }

  /** What would be done to units, as `verb unit`. */
  async actions(catalog: Catalog, options: BoxOptions = {}): Promise<string[]> {
    const planned = await this.plan(catalog, options);
    if (planned.kind === "refused") throw new Error(JSON.stringify(planned.diagnostics));
    return planned.plan.actions.map(({ action, unit }) => `${action} ${unit}`);
  }

  apply(catalog: Catalog, options: BoxOptions = {}): Promise<ApplyResult> {
    return applyHost(this.target, () => this.plan(catalog, options), this.effects(options.activate ?? true));
  }

  rollBack(to?: number): Promise<ApplyResult> {
    return rollBack(this.target, this.effects(true), { to, allowEmpty: true });
  }

  status(activate = true): Promise<HostStatus> {
    return hostStatus(this.target, readHostRecords(this.target), this.effects(activate), null);
  }
}

export interface BoxOptions extends Partial<Omit<HostPlanOptions, "now">> {
  readonly version?: string;
  readonly unhold?: boolean;
  readonly host?: string;
}

/** The result of a run that must not have been refused. */
export function applied(result: ApplyResult): Extract<ApplyResult, { kind: "applied" }> {
  if (result.kind === "refused") throw new Error(JSON.stringify(result.diagnostics, undefined, 1));
  return result;
}
