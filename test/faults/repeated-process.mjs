// A process of repeated.ts that strace lets fail in every STEP-th call of one name: node repeated-process.mjs PROGRAM
// CALL STEP. Each line of its input is a run: { argv, env, nth }. It makes calls that do nothing until the nth one of
// the run is the next to fail, and runs the command line as the bin does, without the time that a process takes to
// start. Its answer on descriptor 3 is a line of JSON: { code, stdout, stderr }.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [program, call, step] = process.argv.slice(2);
const dist = path.resolve(program, "../../dist");
const { run: onFiles } = createRequire(program)(path.join(dist, "compiled.cjs")).load("files");
const { run: onHosts } = await import(pathToFileURL(path.join(dist, "cli.js")));

const nowhere = "/stet-nowhere";
/** One call each. */
const idle = {
  statx: () => fs.statSync(nowhere),
  readlink: () => fs.readlinkSync(nowhere),
  openat: () => fs.openSync(nowhere),
  access: () => fs.accessSync(nowhere),
  close: () => fs.closeSync(999_999),
};
const natural = call === "close" ? "EBADF" : "ENOENT";

function hasFailed() {
  try {
    idle[call]();
  } catch (error) {
    return error.code !== natural;
  }
}

function align(nth) {
  while (!hasFailed());
  for (let made = 0; made < Number(step) - nth; made++) idleQuietly();
}

function idleQuietly() {
  try {
    idle[call]();
  } catch {}
}

/** Stands in the trace, as a call of a name that is never made to fail here. */
function mark(word) {
  try {
    fs.rmdirSync(`${nowhere}/${word}`);
  } catch {}
}

let said = { stdout: "", stderr: "" };
for (const stream of ["stdout", "stderr"])
  process[stream].write = (text) => {
    said[stream] += text;
    return true;
  };
process.stdout.setMaxListeners(0);

for await (const line of createInterface({ input: process.stdin })) {
  const { argv, env, nth } = JSON.parse(line);
  Object.assign(process.env, env);
  said = { stdout: "", stderr: "" };
  align(nth);
  mark("begins");
  await (argv[0] === "host" ? onHosts : onFiles)(argv);
  mark("ends");
  fs.writeSync(3, `${JSON.stringify({ code: process.exitCode, ...said })}\n`);
}
