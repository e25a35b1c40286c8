// The bin asks this first, for `plan` and `apply`: a chunk of its own that loads next to nothing, since most runs find
// nothing to do.
import fs from "node:fs";
import { endOutput } from "../shell/end-output.ts";
import { answerUnchanged } from "./answer-unchanged.ts";
import { build } from "./build.ts";

/** Whether the command line is answered already. */
export function answered(argv: readonly string[]): boolean {
  if (build === undefined) return false;
  const { env, platform } = process;
  const answer = answerUnchanged(argv, {
    build,
    env,
    platform,
    cwd: process.cwd(),
    userId: process.geteuid?.(),
    hash,
    isTerminal,
  });
  if (answer === undefined) return false;
  process.exitCode = answer.code;
  print(Buffer.from(answer.out));
  return true;
}

/** Loaded when needed: it takes a seventh of the time that Node needs to start. */
function hash(text: string): string {
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  return createHash("sha256").update(text).digest("hex");
}

/** To ask Node means to load its streams; what is no device is no terminal. */
function isTerminal(): boolean {
  return fs.fstatSync(1).isCharacterDevice() && process.stdout.isTTY;
}

/**
 * Without setting up streams, where that is enough: a pipe that is full has to be waited for, a console of Windows to
 * be told what letters are.
 */
function print(bytes: Buffer): void {
  let at = 0;
  try {
    if (process.platform !== "win32") while (at < bytes.length) at += fs.writeSync(1, bytes, at);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") endOutput(error as NodeJS.ErrnoException);
  }
  if (at < bytes.length) process.stdout.on("error", endOutput).write(bytes.subarray(at));
}
