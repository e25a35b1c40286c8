import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import type { UnitVerb } from "../units/unit-actions.ts";

export interface UnitState {
  readonly unit: string;
  /** active, inactive, failed, activating, …; `unknown` where systemd did not say. */
  readonly active: string;
  readonly sub: string;
  readonly result: string;
  /** A one-shot that ends is done, not down. */
  readonly oneshot: boolean;
  readonly loaded: boolean;
  /** Why nothing is known of it; undefined where systemd answered. */
  readonly unknown?: string | undefined;
}

export type Acted = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

/** What we ask of systemd. Tests that have none pass their own. */
export interface UnitManager {
  reload(): Promise<Acted>;
  act(verb: Exclude<UnitVerb, "daemon-reload">, unit: string): Promise<Acted>;
  /** One state for every unit asked for, in that order, also where systemd does not answer. */
  states(units: readonly string[]): Promise<readonly UnitState[]>;
  /** The last lines a unit wrote, oldest first. */
  logs(unit: string, lines: number): Promise<readonly string[]>;
}

export interface SystemctlOptions {
  readonly scope: "system" | "user";
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Ends the waiting for what systemd was asked to do; systemd goes on with it. */
  readonly interrupt?: AbortSignal | undefined;
}

/** systemd through systemctl and journalctl. */
export function systemctl(options: SystemctlOptions): UnitManager {
  const scope = options.scope === "user" ? ["--user"] : [];
  const run = (program: string, args: readonly string[]): Promise<ProgramResult> =>
    runProgram(program, {
      args: [...scope, ...args],
      env: { ...options.env, SYSTEMD_COLORS: "0", SYSTEMD_PAGER: "" },
      timeoutMs: options.timeoutMs,
      abandon: options.interrupt,
    });
  return {
    reload: async () => readActed(await run("systemctl", ["daemon-reload"]), "daemon-reload"),
    async act(verb, unit) {
      const acted = readActed(await run("systemctl", ["--no-ask-password", ...wordsFor(verb), "--", unit]), `${verb} ${unit}`);
      // What systemd does not know does not run: nothing is left to stop.
      const isGone = acted.kind === "failed" && /not loaded|does not exist|not found/.test(acted.message);
      return isGone && (verb === "stop" || verb === "disable") ? { kind: "done" } : acted;
    },
    async states(units) {
      if (units.length === 0) return [];
      const properties = "Id,Names,ActiveState,SubState,Result,Type,LoadState";
      const result = await run("systemctl", ["show", `--property=${properties}`, "--", ...units]);
      const text = result.kind === "exited" ? result.stdout.toString("utf8") : "";
      const acted = readActed(result, "show");
      return parseStates(text, units, acted.kind === "failed" ? acted.message : "systemctl show did not mention it");
    },
    async logs(unit, lines) {
      const result = await run("journalctl", ["--no-pager", "--quiet", "--output=cat", `--lines=${lines}`, `--unit=${unit}`]);
      return result.kind === "exited"
        ? result.stdout
            .toString("utf8")
            .split("\n")
            .filter((line) => line !== "")
        : [];
    },
  };
}

/** A changed [Install] section moves links: enabling again takes the old ones away. Reloading is ours to do, once for everything. */
function wordsFor(verb: UnitVerb): readonly string[] {
  if (verb === "enable") return ["reenable", "--no-reload"];
  return verb === "disable" ? ["disable", "--no-reload"] : [verb];
}

function readActed(result: ProgramResult, what: string): Acted {
  if (result.kind === "missing")
    return { kind: "failed", message: "systemctl is not installed: use --no-activate where systemd does not run" };
  if (result.kind !== "exited") return { kind: "failed", message: `systemctl ${what} took too long` };
  if (result.status === 0) return { kind: "done" };
  const [first = `exit ${result.status}`] = result.stderr.split("\n").filter((line) => line !== "");
  return { kind: "failed", message: `systemctl ${what}: ${first}` };
}

/** Blocks of NAME=value, one a unit; a unit that systemd does not know has a block as well. `silence`: why one may have none. */
function parseStates(text: string, units: readonly string[], silence: string): UnitState[] {
  const blocks = new Map<string, ReadonlyMap<string, string>>();
  for (const block of text.split("\n\n")) {
    const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
    for (const name of [fields.get("Id") ?? "", ...(fields.get("Names") ?? "").split(" ")]) blocks.set(name, fields);
  }
  return units.map((unit) => stateOf(unit, blocks.get(unit), silence));
}

function stateOf(unit: string, fields: ReadonlyMap<string, string> | undefined, silence: string): UnitState {
  const field = (name: string) => fields?.get(name) ?? "";
  const base = { unit, sub: field("SubState"), result: field("Result"), oneshot: field("Type") === "oneshot" };
  const active = field("ActiveState");
  if (active === "") return { ...base, active: "unknown", loaded: false, unknown: silence };
  return { ...base, active, loaded: field("LoadState") === "loaded" };
}
