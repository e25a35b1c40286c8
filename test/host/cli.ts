import { command } from "../../src/cli/host.ts";
import type { Io } from "../../src/cli/io.ts";
import { InputError } from "../../src/core/diagnostic.ts";

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `stet host …` in this process, with its output and exit code. */
export async function stetHost(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Promise<Said> {
  let [out, err] = ["", ""];
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env,
    cwd: process.cwd(),
    platform: process.platform,
    terminal: undefined,
    readInput: async () => "",
    now: () => new Date("2026-11-15T12:00:00Z"),
    program: "stet",
  };
  try {
    return { code: await command.run(args, io), out, err };
  } catch (error) {
    // As the program's own main does: one line, exit 1.
    if (!(error instanceof InputError)) throw error;
    return { code: 1, out, err: `${err}stet: ${error.message}\n` };
  }
}
