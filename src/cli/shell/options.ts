import { homedir } from "node:os";
import { resolve } from "node:path";
import { didYouMean, InputError } from "../../core/diagnostic.ts";
import { type Machine, platformFrom, takeOverStateDir } from "../../engine/machine.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import type { Gate } from "../../store/gate/gate.ts";
import type { Options } from "./command.ts";
import { type CommonValues, locationsOf, wantsColour } from "./common-options.ts";
import type { Io } from "./io.ts";

/** The disk. Whoever shows that a command is at work hears of each step before it is taken, and of what was read. */
function progressGate({ atWork, platform }: Pick<Io, "atWork" | "platform">): Gate {
  const gate = diskGate(platform);
  if (atWork === undefined) return gate;
  const steps = Object.entries(gate).map(([name, step]) => [
    name,
    typeof step === "function" ? heard(name, step, atWork) : step,
  ]);
  return Object.fromEntries(steps) as Gate;
}

/** What ends when the disk says that it is safe: nobody knows how long that takes. */
const lasting: ReadonlySet<string> = new Set<keyof Gate>(["createFile", "syncFolder"]);

function heard(name: string, step: (...args: unknown[]) => unknown, atWork: (ahead: number) => void) {
  const ahead = lasting.has(name) ? Number.POSITIVE_INFINITY : 0;
  return (...args: unknown[]) => {
    atWork(ahead);
    const answer = step(...args);
    if (Buffer.isBuffer(answer)) atWork(answer.length);
    return answer;
  };
}

export type { CommonValues };
export { wantsColour };

const formats = ["text", "markdown", "json"] as const;

/** For reports that a pull request shows, too. */
export const formatOption = {
  format: { type: "string", value: "text|markdown|json", help: "the output format (default: text)" },
} as const satisfies Options;

export function formatOf({ json, format = "text" }: { json?: boolean; format?: string }): (typeof formats)[number] {
  const found = formats.find((each) => each === format);
  if (found !== undefined && (!json || found === "text" || found === "json")) return json ? "json" : found;
  const message =
    found === undefined
      ? `--format ${format}: use one of ${formats.join(", ")}${didYouMean(format, formats)}`
      : `--json and --format ${format} ask for two formats; give only one of them`;
  throw new InputError({ code: "usage", message });
}

/** The machine a command works on, from its options and what `Io` knows. */
export function machineOf(values: CommonValues, io: Io): Machine {
  const gate = saysWhatIsDone(progressGate(io), io);
  const platform = platformFrom(io.platform);
  const { env } = io;
  const { home, stateDir } = locationsOf(values, io, homedir);
  const machine: Machine = { home, stateDir, env, platform, program: io.program, gate, now: io.now };
  return values["state-dir"] ? machine : { ...machine, stateDir: resolve(io.cwd, takeOverStateDir(machine)) };
}

/**
 * The same gate, for a command that may be told to end (Ctrl-C, SIGTERM) while it writes. A transaction is written in
 * one go, in which no signal is noticed: so it either has not begun or is complete by then, and this says which.
 */
function saysWhatIsDone(gate: Gate, io: Pick<Io, "err" | "program" | "onSignal">): Gate {
  const { onSignal } = io;
  if (onSignal === undefined) return gate;
  let [isListening, isDone] = [false, false];
  const tell = (signal: NodeJS.Signals) => {
    const what = isDone ? "everything that had begun is complete" : "nothing was changed";
    io.err(`${io.program}: interrupted by ${signal}: ${what}\n`);
  };
  return {
    ...gate,
    stage(stage) {
      // Not before: planning writes nothing, and whatever it takes can be ended at once.
      if (!isListening) onSignal(tell);
      isListening = true;
      isDone ||= stage === "done";
    },
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `5m`, `500ms` in milliseconds. */
export function parseDuration(option: string, text: string): number {
  const match = /^(\d{1,9})(ms|s|m|h)$/.exec(text);
  if (!match)
    throw new InputError({
      code: "usage",
      message: `--${option}: '${text}' is not a duration such as 30s, 5m or 500ms`,
    });
  return Number(match[1]) * units[match[2]!]!;
}
