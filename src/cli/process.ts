import { constants } from "node:os";
import { buffer } from "node:stream/consumers";
import { InputError } from "../core/diagnostic.ts";
import { build } from "./fast-path/build.ts";
import { runCommand } from "./main.ts";
import type { Io } from "./shell/io.ts";
import { openKeyboard } from "./shell/keyboard.ts";
import { isTerminal, print, printBytes } from "./shell/output.ts";

/** As large as its window is now. */
const screen = {
  get columns() {
    return process.stdout.columns;
  },
  get rows() {
    return process.stdout.rows;
  },
};

/** The outside as the process has it. */
export function processIo(program = "stet"): Io {
  return {
    out: print,
    outBytes: printBytes,
    err: (text) => void process.stderr.write(text),
    env: process.env,
    cwd: process.cwd(),
    platform: process.platform,
    terminal: isTerminal(1) ? screen : undefined,
    errorTerminal: isTerminal(2) && process.env.TERM !== "dumb",
    readInput,
    keyboard: () =>
      process.stdin.isTTY && process.stdout.isTTY ? openKeyboard(process.stdin, process.stdout) : undefined,
    onSignal,
    now: () => new Date(),
    program,
    build,
  };
}

/** With its byte order mark, which is part of a file as any other byte. */
async function readInput(): Promise<string> {
  const bytes = await buffer(process.stdin);
  const text = bytes.toString("utf8");
  if (Buffer.from(text).equals(bytes)) return text;
  throw new InputError({ code: "not-utf8", message: "standard input is not UTF-8; convert it" });
}

function onSignal(tell: (signal: NodeJS.Signals) => void): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      tell(signal);
      process.exit(128 + constants.signals[signal]);
    });
  }
}

/**
 * What the bin calls. The exit code is set, not forced: output that is still on its way arrives. `keep` is called after
 * a command that writes.
 */
export async function run(argv: readonly string[], keep?: () => void): Promise<void> {
  process.exitCode = await runCommand(argv, { ...processIo(), keepCompiled: keep });
}
