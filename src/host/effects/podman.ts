import { existsSync } from "node:fs";
import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import { type EffectiveUnit, effectiveValue } from "../units/effective-unit.ts";

/** What we ask of podman. Every question may go unanswered: then podman is not there. */
export interface Podman {
  /** The names of podman's secrets; undefined where it can't be asked. */
  secrets(): Promise<ReadonlySet<string> | undefined>;
  /** Fetches an image unless it is there. */
  pull(image: string): Promise<Pulled>;
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

/** The image that has to be there before a unit can start; undefined where podman makes it, or must not fetch it. */
export function imageToPull(type: string, unit: EffectiveUnit): string | undefined {
  const section = type === "image" ? "Image" : "Container";
  if (type !== "container" && type !== "image") return undefined;
  const image = effectiveValue(unit, section, "Image")?.value;
  if (!image || image.endsWith(".image") || image.endsWith(".build") || image.startsWith("localhost/") || image.includes("%"))
    return undefined;
  return effectiveValue(unit, section, "Pull")?.value === "never" ? undefined : image;
}

/** The podman secrets that a container or build names. */
export function secretsOf(type: string, unit: EffectiveUnit): { readonly name: string; readonly source: string; readonly line: number }[] {
  if (type !== "container") return [];
  const lines = unit.sections.find(({ name }) => name === "Container")?.lines ?? [];
  return lines
    .filter((line) => line.key === "Secret" && line.value !== "")
    .map((line) => ({ name: line.value.split(",")[0]!.trim(), source: line.source, line: line.line }));
}

const generators = {
  system: ["/usr/lib/systemd/system-generators/podman-system-generator", "/usr/libexec/podman/quadlet", "/usr/lib/podman/quadlet"],
  user: ["/usr/lib/systemd/user-generators/podman-user-generator", "/usr/libexec/podman/quadlet", "/usr/lib/podman/quadlet"],
} as const;

/** podman's unit generator on this machine; `STET_QUADLET` names one that stands elsewhere. */
export function findGenerator(scope: "system" | "user", env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env.STET_QUADLET || generators[scope].find((path) => existsSync(path));
}
