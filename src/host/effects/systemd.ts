import type { Diagnostic } from "../../core/diagnostic.ts";
import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import { setsOwner } from "../evaluate/payload.ts";
import type { HostPlan } from "../plan.ts";
import { type HostTarget, placeUnder } from "../target.ts";
import type { UnitVerb } from "../units/unit-actions.ts";

export interface UnitState {
  readonly unit: string;
  /** active, inactive, failed, activating, …; `unknown` where systemd did not say. */
  readonly active: string;
  readonly sub: string;
  readonly result: string;
  /** loaded, masked, not-found, bad-setting, … */
  readonly load: string;
  readonly loaded: boolean;
  /** enabled, disabled, static, generated, … */
  readonly enabled: string;
  /** A one-shot that ends is done, not down; unless it remains. */
  readonly oneshot: boolean;
  readonly remains: boolean;
  /** Its conditions said that it has nothing to do. */
  readonly skipped: boolean;
  /** systemd starts it again whenever it ends. */
  readonly restartsItself: boolean;
  /** How often systemd has started it again by itself. */
  readonly restarts: number;
  /** How long it has been active, in milliseconds. */
  readonly upMs: number;
  /** Of its last start. */
  readonly invocation: string;
  /** Its files are newer than what systemd has read. */
  readonly needsReload: boolean;
  /** Somebody asked systemd to stop it; undefined where nobody looked, or nobody knows. */
  readonly stopped?: boolean | undefined;
  /** What podman's health check says of its container; undefined where there is none. */
  readonly health?: "healthy" | "unhealthy" | "starting" | undefined;
  /** Why nothing is known of it; undefined where systemd answered. */
  readonly unknown?: string | undefined;
}

export type Acted = { readonly kind: "done" } | { readonly kind: "failed"; readonly message: string };

/** What we ask of systemd. Tests that have none pass their own. */
export interface UnitManager {
  reload(): Promise<Acted>;
  act(verb: Exclude<UnitVerb, "daemon-reload" | "recreate">, unit: string): Promise<Acted>;
  /**
   * Has systemd forget that units failed: it would refuse to start them again, and go on listing those whose file is
   * gone.
   */
  forgetFailures(units: readonly string[]): Promise<void>;
  /** One state for every unit asked for, in that order, also where systemd does not answer. */
  states(units: readonly string[]): Promise<readonly UnitState[]>;
  /**
   * Whether somebody asked systemd to stop a unit, since a start of it or a time; undefined where there is no journal
   * to say so.
   */
  wasStopped(unit: string, since: StopQuestion): Promise<boolean | undefined>;
  /** The last lines a unit wrote, oldest first. */
  logs(unit: string, lines: number): Promise<readonly string[]>;
}

/** Since when somebody may have stopped a unit. */
export type StopQuestion = { readonly invocation: string } | { readonly time: Date };

export interface SystemctlOptions {
  readonly scope: "system" | "user";
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Ends the waiting for what systemd was asked to do; systemd goes on with it. */
  readonly interrupt?: AbortSignal | undefined;
}

const properties = [
  "Id",
  "Names",
  "ActiveState",
  "SubState",
  "Result",
  "Type",
  "RemainAfterExit",
  "Restart",
  "NRestarts",
  "LoadState",
  "UnitFileState",
  "NeedDaemonReload",
  "InvocationID",
  "ActiveEnterTimestampMonotonic",
  "ConditionResult",
  "ConditionTimestampMonotonic",
] as const;

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
  const journal = async (args: readonly string[]): Promise<readonly string[] | undefined> => {
    const result = await run("journalctl", ["--no-pager", "--quiet", ...args]);
    const isTold = result.kind === "exited" && result.status === 0;
    return isTold
      ? result.stdout
          .toString("utf8")
          .split("\n")
          .filter((line) => line !== "")
      : undefined;
  };
  return {
    reload: async () => readActed(await run("systemctl", ["daemon-reload"]), "daemon-reload"),
    async act(verb, unit) {
      const acted = readActed(
        await run("systemctl", ["--no-ask-password", ...wordsFor(verb), "--", unit]),
        `${verb} ${unit}`,
      );
      // What systemd does not know does not run: nothing is left to stop.
      const isGone = acted.kind === "failed" && /not loaded|does not exist|not found/.test(acted.message);
      return isGone && (verb === "stop" || verb === "disable") ? { kind: "done" } : acted;
    },
    async forgetFailures(units) {
      if (units.length > 0) await run("systemctl", ["reset-failed", "--", ...units]);
    },
    async states(units) {
      if (units.length === 0) return [];
      const result = await run("systemctl", ["show", `--property=${properties.join(",")}`, "--", ...units]);
      const text = result.kind === "exited" ? result.stdout.toString("utf8") : "";
      const acted = readActed(result, "show");
      return parseStates(text, units, acted.kind === "failed" ? acted.message : "systemctl show said nothing about it");
    },
    async wasStopped(unit, since) {
      if ("invocation" in since && since.invocation === "") return undefined;
      const user = options.scope === "user" ? "USER_" : "";
      const when =
        "time" in since ? `--since=@${since.time.getTime() / 1000}` : `${user}INVOCATION_ID=${since.invocation}`;
      const lines = await journal(["--lines=1", "--output=cat", when, `${user}UNIT=${unit}`, "JOB_TYPE=stop"]);
      return lines && lines.length > 0;
    },
    async logs(unit, lines) {
      const which = options.scope === "user" ? `--user-unit=${unit}` : `--unit=${unit}`;
      return (await journal(["--output=cat", `--lines=${lines}`, which])) ?? [];
    },
  };
}

/**
 * A changed [Install] section moves links: enabling again takes the old ones away. Reloading is ours to do, once for
 * everything.
 */
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

/**
 * Blocks of NAME=value, one a unit; a unit that systemd does not know has a block as well. `silence`: why one may have
 * none.
 */
function parseStates(text: string, units: readonly string[], silence: string): UnitState[] {
  const blocks = text
    .split("\n\n")
    .filter((block) => block.trim() !== "")
    .map(
      (block) =>
        new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)])),
    );
  const byName = new Map<string, ReadonlyMap<string, string>>();
  for (const [i, fields] of blocks.entries()) {
    const names = [fields.get("Id") ?? "", ...(fields.get("Names") ?? "").split(" ")].filter((name) => name !== "");
    // One without a name is told by its place, where none is missing.
    const place = blocks.length === units.length ? units[i] : undefined;
    for (const name of names.length > 0 ? names : [place ?? ""]) byName.set(name, fields);
  }
  return units.map((unit) => stateOf(unit, byName.get(unit), silence));
}

function stateOf(unit: string, fields: ReadonlyMap<string, string> | undefined, silence: string): UnitState {
  const field = (name: (typeof properties)[number]) => fields?.get(name) ?? "";
  const active = field("ActiveState");
  const activeSince = Number(field("ActiveEnterTimestampMonotonic"));
  return {
    unit,
    active: active === "" ? "unknown" : active,
    sub: field("SubState"),
    result: field("Result"),
    load: field("LoadState"),
    loaded: field("LoadState") === "loaded" || (field("LoadState") === "" && active !== ""),
    enabled: field("UnitFileState"),
    oneshot: field("Type") === "oneshot",
    remains: field("RemainAfterExit") === "yes",
    skipped: field("ConditionResult") === "no" && Number(field("ConditionTimestampMonotonic")) > 0,
    restartsItself: field("Restart") !== "" && field("Restart") !== "no",
    restarts: Number(field("NRestarts")) || 0,
    // Microseconds of the clock that we have as well.
    upMs:
      activeSince > 0 ? Number(process.hrtime.bigint() / 1000n) / 1000 - activeSince / 1000 : Number.POSITIVE_INFINITY,
    invocation: field("InvocationID"),
    needsReload: field("NeedDaemonReload") === "yes",
    unknown: active === "" ? silence : undefined,
  };
}

/**
 * Has systemd-tmpfiles give files to the owners that services ask for. The modes are right already when the files
 * appear.
 */
export async function setOwners(
  { evaluation }: HostPlan,
  { root, scope, layout }: HostTarget,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Diagnostic[]> {
  const folder = `${layout.configFolder}/tmpfiles.d/`;
  const asked = evaluation.files.filter((file) => file.path.startsWith(folder) && setsOwner(file));
  if (asked.length === 0 || scope === "user") return [];
  const files = asked.map(({ path }) => placeUnder(root, path));
  const args = ["--create", ...(root === "/" ? [] : [`--root=${root}`]), ...files];
  const result = await runProgram("systemd-tmpfiles", { args, env: { PATH: env.PATH }, timeoutMs: 60_000 });
  if (result.kind === "exited" && result.status === 0) return [];
  const why = result.kind === "exited" ? (result.stderr.trim().split("\n").at(-1) ?? "") : "it can't be run";
  return [
    {
      code: "owner-not-set",
      severity: "warning",
      message: `systemd-tmpfiles did not set the owners that ${files.join(", ")} asks for: ${why}`,
    },
  ];
}
