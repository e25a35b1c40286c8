import type { Io } from "../../src/cli/shell/io.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, on Linux and without a terminal unless told, and keeps what it prints. */
export async function heard(
  run: (io: Io) => Promise<number>,
  outside: Pick<Io, "env" | "cwd"> & Partial<Io>,
): Promise<Ran> {
  let [out, err] = ["", ""];
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    platform: "linux",
    terminal: undefined,
    readInput: async () => "",
    now: () => new Date(Date.UTC(2026, 0, 1)),
    program: "stet",
    ...outside,
  };
  return { code: await run(io), out, err };
}
