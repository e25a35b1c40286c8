// The bin asks this first, for `plan` and `apply`: a chunk of its own that loads next to nothing, since most runs find
// nothing to do.
import { isTerminal, print } from "../shell/output.ts";
import { answerUnchanged } from "./answer-unchanged.ts";
import { build } from "./build.ts";

export { load } from "./compiled.ts";

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
    terminalColumns: () => (isTerminal(1) ? process.stdout.columns : undefined),
  });
  if (answer === undefined) return false;
  process.exitCode = answer.code;
  print(answer.out);
  return true;
}

/** Loaded when needed: it takes a seventh of the time that Node needs to start. */
function hash(content: string | Uint8Array): string {
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}
