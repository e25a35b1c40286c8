// Types, lint, format, dead code and import directions. Everything is tried, so that one run shows all there is to do.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;
const checks = [
  ["types", bin("tsc"), ["--noEmit", "-p", "."]],
  ["types of the page", bin("tsc"), ["--noEmit", "-p", "src/cli/ui/page"]],
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
