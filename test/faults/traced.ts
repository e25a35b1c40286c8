import { execFile } from "node:child_process";
import fs from "node:fs";

/** A run of the command line under strace. */
export interface TracedRun {
  /** The exit code; undefined where it was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly trace: string;
}

/** What is to happen at a call: the process dies as it is about to make it, or the call is not made and fails. */
export type Fault = { readonly kind: "kill" } | { readonly kind: "error"; readonly errno: string };

export interface Injection {
  readonly fault: Fault;
  readonly call: string;
  readonly nth: number;
}

/** Runs the real command line, and meets it with a fault where one is asked for. The program knows nothing of it. */
export function runTraced(
  program: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  { log, injection }: { readonly log: string; readonly injection?: Injection | undefined },
): Promise<TracedRun> {
  const inject =
    injection === undefined
      ? []
      : ["-e", `inject=${injection.call}:${faultText(injection.fault)}:when=${injection.nth}`];
  const args = ["-y", "-o", log, "-e", "trace=%file,%desc", ...inject, process.execPath, program, ...argv];
  return new Promise((resolve, reject) => {
    execFile("strace", args, { cwd: "/", env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) => {
      // Where a signal ended the program, strace ends itself the same way.
      const code = error === null ? 0 : error.signal ? undefined : error.code;
      if (typeof code === "string" || code === null || !fs.existsSync(log)) return reject(error);
      const trace = fs.readFileSync(log, "utf8");
      fs.rmSync(log);
      resolve({ code, stdout, stderr, trace });
    });
  });
}

function faultText(fault: Fault): string {
  return fault.kind === "kill" ? "signal=SIGKILL" : `error=${fault.errno}`;
}
