import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";

export interface ProgramRun {
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly cwd?: string | undefined;
  readonly input?: string | Uint8Array | undefined;
  /** When this fires, the program goes on by itself and is no longer waited for: its result is a timeout. */
  readonly abandon?: AbortSignal | undefined;
}

export type ProgramResult =
  | { readonly kind: "exited"; readonly status: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: "missing" }
  /** It said more than we keep: half of an answer is none. */
  | { readonly kind: "too-much" }
  | { readonly kind: "timeout" };

/** What a program may answer, in bytes; of its complaints the beginning is kept. */
export const outputLimit = 256 * 1024 * 1024;
const errorLimit = 1024 * 1024;

/**
 * Runs a program: no shell, no terminal to ask a question on, a time limit, and its whole family ended when that is
 * over.
 */
export function runProgram(program: string, run: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...run.args], {
      env: { ...run.env },
      cwd: run.cwd,
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    const stderr = collect(child.stderr, errorLimit, () => {});
    let overflown = false;
    const stdout = collect(child.stdout, outputLimit, () => {
      overflown = true;
      endFamily(child);
    });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endFamily(child);
    }, run.timeoutMs);
    const letGo = () => {
      clearTimeout(timer);
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      resolve({ kind: "timeout" });
    };
    if (run.abandon?.aborted) letGo();
    run.abandon?.addEventListener("abort", letGo, { once: true });
    // A program that does not read its input is no error of ours.
    child.stdin.on("error", () => {});
    child.stdin.end(run.input ?? "");
    child.on("error", (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (error.code === "ENOENT" || error.code === "EACCES") resolve({ kind: "missing" });
      else reject(error);
    });
    child.on("close", (status) => {
      clearTimeout(timer);
      run.abandon?.removeEventListener("abort", letGo);
      if (timedOut) resolve({ kind: "timeout" });
      else if (overflown) resolve({ kind: "too-much" });
      else
        resolve({
          kind: "exited",
          status: status ?? 255,
          stdout: Buffer.concat(stdout),
          stderr: Buffer.concat(stderr).toString("utf8"),
        });
    });
  });
}

/** What a stream says, up to a limit: a program that never stops talking does not fill our memory. */
function collect(stream: Readable, limit: number, overflow: () => void): Buffer[] {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else overflow();
  });
  return chunks;
}

/** The program leads a process group of its own: what it started (ssh below git) goes with it. */
function endFamily(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // Ended by itself meanwhile.
  }
}
