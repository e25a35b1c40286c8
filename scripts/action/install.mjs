// Step 1: the action is this repository, so it has to be built once on the machine that runs it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail, root, run } from "./runner.mjs";

const [major] = process.versions.node.split(".");
if (Number(major) < 20)
  fail(`stet needs Node 20 or newer, and this is ${process.versions.node}; add actions/setup-node`);
if (!existsSync(join(root, "dist/cli.js"))) {
  const { status, err } = run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: root });
  if (status !== 0) fail(`stet could not be built: ${err.trim()}`);
}
console.log(`stet is ready in ${root}`);
