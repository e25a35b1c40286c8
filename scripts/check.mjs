// Types, lint, format, dead code and import directions. Everything is tried, so that one run shows all there is to do.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;
/** Keeps what the compiler found out for the next run: a small change is checked in a quarter of the time. */
const types = (project, name) => {
  const kept = `${root}node_modules/.cache/${name}.tsbuildinfo`;
  return ["--noEmit", "--incremental", "--tsBuildInfoFile", kept, "-p", project];
};
const checks = [
  ["types", bin("tsc"), types(".", "types")],
  ["types of the page", bin("tsc"), types("src/cli/ui/page", "page-types")],
  ["lint and format", bin("biome"), ["ci", "--colors=off", "--error-on-warnings", "."]],
  ["dead code", bin("knip"), ["--no-progress"]],
  ["import directions", process.execPath, ["scripts/check-imports.mjs"]],
  ["forbidden patterns", process.execPath, ["scripts/check-source.mjs"]],
];

const failed = [];
for (const [name, command, args] of checks) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  if (status === 0) continue;
  failed.push(name);
  console.error(`${name}:\n${stdout}${stderr}`);
}
console.log(
  failed.length === 0
    ? "check: types, lint, format, dead code and import directions are in order"
    : `check: ${failed.join(", ")} failed`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
