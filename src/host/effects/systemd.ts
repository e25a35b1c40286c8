import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import type { UnitVerb } from "../units/unit-actions.ts";

export interface UnitState {
  readonly unit: string;
  /** active, inactive, failed, activating, … */
  readonly active: string;
  readonly sub: string;
  readonly result: string;
  /** A one-shot that ends is done, not down. */
  readonly oneshot: boolean;
  readonly loaded: boolean;
}

export type Acted = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

/** What we ask of systemd. Tests that have none pass their own. */
export interface UnitManager {
  reload(): Promise<Acted>;
  act(verb: Exclude<UnitVerb, "daemon-reload">, unit: string): Promise<Acted>;
  states(units: readonly string[]): Promise<readonly UnitState[]>;
  /** The last lines a unit wrote, oldest first. */
  logs(unit: string, lines: number): Promise<readonly string[]>;
}

export interface SystemctlOptions {
  readonly scope: "system" | "user";
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** systemd through systemctl and journalctl. */
export function systemctl(options: SystemctlOptions): UnitManager {
  const scope = options.scope === "user" ? ["--user"] : [];
  const run = (program: string, args: readonly string[]): Promise<ProgramResult> =>
    runProgram(program, {
      args: [...scope, ...args],
      env: { ...options.env, SYSTEMD_COLORS: "0", SYSTEMD_PAGER: "" },
      timeoutMs: options.timeoutMs,
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
      const properties = "Id,ActiveState,SubState,Result,Type,LoadState";
      const result = await run("systemctl", ["show", `--property=${properties}`, "--", ...units]);
      return result.kind === "exited" ? parseStates(result.stdout.toString("utf8"), units) : [];
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

/** Blocks of NAME=value, one a unit, in the order asked; a unit that systemd does not know has a block as well. */
function parseStates(text: string, units: readonly string[]): UnitState[] {
  const blocks = text.split("\n\n").filter((block) => block.trim() !== "");
  return units.flatMap((unit, i) => {
    const block = blocks[i];
    if (block === undefined) return [];
    const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
    const field = (name: string) => fields.get(name) ?? "";
    return [
      {
        unit,
        active: field("ActiveState"),
        sub: field("SubState"),
        result: field("Result"),
        oneshot: field("Type") === "oneshot",
        loaded: field("LoadState") === "loaded",
      },
    ];
  });
}
