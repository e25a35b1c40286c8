import { existsSync, readdirSync } from "node:fs";
import { InputError } from "../../core/diagnostic.ts";
import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import type { EvaluatedHost } from "../evaluate/evaluation.ts";
import type { HostPlan } from "../plan.ts";
import type { UnitAction } from "../units/unit-actions.ts";
import type { UnitName } from "../units/unit-kind.ts";
import { type EffectiveUnit, effectiveValue } from "../units/unit-text.ts";
import { wantedUnits } from "../units/wanted-units.ts";
import type { Acted } from "./systemd.ts";

/** What we ask of podman. Every question may go unanswered: then podman is not there. */
export interface Podman {
  /** The names of podman's secrets; undefined where it can't be asked. */
  secrets(): Promise<ReadonlySet<string> | undefined>;
  /** Fetches an image unless it is there. */
  pull(image: string): Promise<Pulled>;
  /**
   * What the health checks of running containers say, by the unit that runs them; undefined where it can't be asked.
   */
  health(): Promise<ReadonlyMap<string, ContainerHealth> | undefined>;
  /** Whether a network or volume is there; undefined where it can't be asked. */
  object(kind: ObjectKind, name: string): Promise<PodmanObject | undefined>;
  remove(kind: ObjectKind, name: string): Promise<Acted>;
}

export type ContainerHealth = "healthy" | "unhealthy" | "starting";
export type ObjectKind = "network" | "volume";

/** A network or volume that podman has made, or not. */
export interface PodmanObject {
  readonly exists: boolean;
  /** It holds no data that would be lost with it. */
  readonly empty: boolean;
}

export type Pulled =
  | { readonly kind: "present" }
  | { readonly kind: "pulled" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "no-podman" };

export interface PodmanOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly interrupt?: AbortSignal | undefined;
}

export function podman({ env, timeoutMs, interrupt }: PodmanOptions): Podman {
  const run = (args: readonly string[], limit: number): Promise<ProgramResult> =>
    runProgram("podman", { args, env, timeoutMs: limit, abandon: interrupt });
  return {
    async secrets() {
      const result = await run(["secret", "ls", "--format", "{{.Name}}"], 30_000);
      return result.kind === "exited" && result.status === 0
        ? new Set(
            result.stdout
              .toString("utf8")
              .split("\n")
              .filter((line) => line !== ""),
          )
        : undefined;
    },
    async health() {
      const result = await run(["ps", "--format", "json"], 30_000);
      return result.kind === "exited" && result.status === 0 ? parseHealth(result.stdout.toString("utf8")) : undefined;
    },
    async object(kind, name) {
      const result = await run(
        [kind, "inspect", "--format", kind === "volume" ? "{{.Mountpoint}}" : "{{.Name}}", "--", name],
        30_000,
      );
      if (result.kind !== "exited") return undefined;
      if (result.status !== 0) return { exists: false, empty: true };
      return { exists: true, empty: kind === "network" || isEmptyFolder(result.stdout.toString("utf8").trim()) };
    },
    async remove(kind, name) {
      const result = await run([kind, "rm", "--", name], 60_000);
      if (result.kind === "exited" && result.status === 0) return { kind: "done" };
      const why = result.kind === "exited" ? (result.stderr.trim().split("\n").at(-1) ?? "") : "it took too long";
      return { kind: "failed", message: `podman ${kind} rm ${name}: ${why}` };
    },
    async pull(image) {
      const exists = await run(["image", "exists", "--", image], 30_000);
      if (exists.kind === "missing") return { kind: "no-podman" };
      if (exists.kind === "exited" && exists.status === 0) return { kind: "present" };
      const result = await run(["pull", "--quiet", "--", image], timeoutMs);
      if (result.kind === "exited" && result.status === 0) return { kind: "pulled" };
      const why = result.kind === "exited" ? (result.stderr.trim().split("\n").at(-1) ?? "") : "it took too long";
      return { kind: "failed", message: `podman pull ${image}: ${why}` };
    },
  };
}

function parseHealth(text: string): Map<string, ContainerHealth> | undefined {
  try {
    const containers: unknown = JSON.parse(text);
    return new Map(
      (containers as { Labels?: Record<string, string> | null; Status?: string }[]).flatMap(({ Labels, Status }) => {
        const [unit, health] = [
          Labels?.PODMAN_SYSTEMD_UNIT,
          /\((healthy|unhealthy|starting)\)/.exec(Status ?? "")?.[1],
        ];
        return unit === undefined || health === undefined ? [] : [[unit, health as ContainerHealth] as const];
      }),
    );
  } catch {
    return undefined;
  }
}

/** What can't be looked into may hold anything. */
function isEmptyFolder(path: string): boolean {
  try {
    return path !== "" && readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/** What podman calls the network or volume of a unit. */
export function objectName(unit: UnitName, effective: EffectiveUnit): string {
  const [section, key] = unit.type === "volume" ? ["Volume", "VolumeName"] : ["Network", "NetworkName"];
  return effectiveValue(effective, section!, key!)?.value || `systemd-${unit.stem}`;
}

/** The image that has to be there before a unit can start; undefined where podman makes it, or must not fetch it. */
export function imageToPull(type: string, unit: EffectiveUnit): string | undefined {
  const section = type === "image" ? "Image" : "Container";
  if (type !== "container" && type !== "image") return undefined;
  const image = effectiveValue(unit, section, "Image")?.value;
  if (
    !image ||
    image.endsWith(".image") ||
    image.endsWith(".build") ||
    image.startsWith("localhost/") ||
    image.includes("%")
  )
    return undefined;
  return effectiveValue(unit, section, "Pull")?.value === "never" ? undefined : image;
}

/** The podman secrets that a container or build names. */
export function secretsOf(
  type: string,
  unit: EffectiveUnit,
): { readonly name: string; readonly source: string; readonly line: number }[] {
  if (type !== "container") return [];
  const lines = unit.sections.find(({ name }) => name === "Container")?.lines ?? [];
  return lines
    .filter((line) => line.key === "Secret" && line.value !== "")
    .map((line) => ({ name: line.value.split(",")[0]!.trim(), source: line.source, line: line.line }));
}

const generators = {
  system: [
    "/usr/lib/systemd/system-generators/podman-system-generator",
    "/usr/libexec/podman/quadlet",
    "/usr/lib/podman/quadlet",
  ],
  user: [
    "/usr/lib/systemd/user-generators/podman-user-generator",
    "/usr/libexec/podman/quadlet",
    "/usr/lib/podman/quadlet",
  ],
} as const;

/** podman's unit generator on this machine; `STET_QUADLET` names one that stands elsewhere. */
export function findGenerator(
  scope: "system" | "user",
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return env.STET_QUADLET || generators[scope].find((path) => existsSync(path));
}

/**
 * Fetches the images of everything that a change is about to start. One that can't be fetched stops the run while all
 * still stands. What is started for another reason has run before: systemd deals with it, and it keeps nothing else
 * from being changed.
 */
export async function pullImages(plan: HostPlan, podman: Podman): Promise<void> {
  const isStarted = ({ action, unit }: UnitAction) =>
    (action === "start" || action === "restart") && plan.touched.has(unit);
  const starting = new Set(plan.actions.filter(isStarted).map(({ unit }) => unit));
  for (const image of imagesOf(plan.evaluation, starting)) {
    const pulled = await podman.pull(image);
    if (pulled.kind === "no-podman") return;
    if (pulled.kind === "failed")
      throw new InputError({ code: "image-unavailable", message: `${pulled.message}; nothing was changed` });
  }
}

function imagesOf(evaluation: EvaluatedHost, starting: ReadonlySet<string>): ReadonlySet<string> {
  const units = wantedUnits(evaluation.files).filter(
    (unit) => unit.unit.family === "quadlet" && starting.has(unit.runtime),
  );
  const images = units.map((unit) => imageToPull(unit.unit.type, unit.effective));
  return new Set(images.filter((image) => image !== undefined));
}

/** Containers that name a podman secret which this host does not have would not start. */
export async function findMissingSecrets(evaluation: EvaluatedHost, podman: Podman): Promise<HostDiagnostic[]> {
  const needed = wantedUnits(evaluation.files).flatMap((unit) => secretsOf(unit.unit.type, unit.effective));
  if (needed.length === 0) return [];
  const present = await podman.secrets();
  if (present === undefined) return [];
  return needed
    .filter((secret) => !present.has(secret.name))
    .map(({ name, source, line }) =>
      diagnose(
        "missing-secret",
        { file: source, line },
        `needs the podman secret ${name}, which this host does not have: podman secret create ${name} FILE`,
      ),
    );
}
