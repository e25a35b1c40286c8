import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Rehearsal } from "./rehearsal.ts";
import { callsOf, isSameCall, type Point, pointsOf } from "./trace.ts";
import type { TracedRun } from "./traced.ts";

/** The calls that a repeated run can let fail: a process can make each of them alone, and Node makes none by itself. */
const repeatable = new Set(["statx", "readlink", "openat", "access", "close"]);

/** Whether one process can meet this error again and again. What changes something is met in a process of its own. */
export function isRepeatable({ name, changes }: Point): boolean {
  return repeatable.has(name) && !changes;
}

/** More than the calls of one name in a run: of one run one call fails. The first is far behind what starting takes. */
const step = 600;
const firstFailure = 8 * step;

/**
 * One process that runs a story's command again and again, and meets an error at one call of each run: the code as it
 * ships and the system's own errors, without a start for each.
 */
export class RepeatedRun {
  readonly #rehearsal: Rehearsal;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  readonly #log: string;
  /** Every call of an undisturbed run that is about the story's files; `nth` counts from where the run begins. */
  points: readonly Point[] = [];

  private constructor(rehearsal: Rehearsal, program: string, call: string, errno: string) {
    this.#rehearsal = rehearsal;
    this.#log = path.join(path.dirname(rehearsal.place.folder), "repeated.log");
    fs.writeFileSync(this.#log, "");
    const inject = `inject=${call}:error=${errno}:when=${firstFailure}+${step}`;
    const args = ["-A", "-y", "-o", this.#log, "-e", "trace=%file,%desc", "-e", inject, process.execPath];
    const script = path.resolve("test/faults/repeated-process.mjs");
    this.#child = spawn("strace", [...args, script, program, call, String(step)], {
      cwd: "/",
      env: { PATH: process.env.PATH },
      stdio: ["pipe", "inherit", "inherit", "pipe"],
    });
    this.#lines = createInterface({ input: this.#child.stdio[3] as NodeJS.ReadableStream });
    this.#answers = this.#lines[Symbol.asyncIterator]();
  }

  static async of(rehearsal: Rehearsal, program: string, call: string, errno: string): Promise<RepeatedRun> {
    const run = new RepeatedRun(rehearsal, program, call, errno);
    // The first runs load code, which may take so many calls that one fails; the last ones are like all that follow.
    for (let warm = 0; warm < 4; warm++) {
      rehearsal.place.restore("start");
      const { code, stderr, trace } = await run.#run(step);
      if (code !== 0 && warm > 1)
        throw new Error(`${rehearsal.story.name}: an undisturbed run ended with ${code}: ${stderr}`);
      run.points = pointsOf(callsOf(trace), rehearsal.place.folder);
    }
    return run;
  }

  /** The beginning, and then a run that meets the error at a point. */
  async strike(point: Point): Promise<TracedRun> {
    const { place, story } = this.#rehearsal;
    for (let attempt = 0; attempt < 20; attempt++) {
      place.restore("start");
      const ran = await this.#run(point.nth);
      const points = pointsOf(callsOf(ran.trace), place.folder);
      const struck = points.find(({ line }) => line.includes("(INJECTED)"));
      if (struck?.at === point.at && isSameCall(struck, point)) return ran;
    }
    throw new Error(`${story.name}: no repeated run could be met at ${point.line}`);
  }

  async #run(nth: number): Promise<TracedRun> {
    const { place, story } = this.#rehearsal;
    fs.truncateSync(this.#log);
    this.#child.stdin!.write(`${JSON.stringify({ argv: story.argv(place), env: place.env, nth })}\n`);
    const { value, done } = await this.#answers.next();
    if (done) throw new Error(`${story.name}: the process that repeats it has ended`);
    const trace = fs.readFileSync(this.#log, "utf8");
    const [, during = ""] = trace.split(/^rmdir\("\/stet-nowhere\/(?:begins|ends)".*\n/m);
    return { ...JSON.parse(value), trace: during };
  }

  end(): void {
    this.#child.stdin!.end();
    this.#lines.close();
  }
}
