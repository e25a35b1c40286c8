// Types, lint, format, dead code and import directions. Everything is tried, so that one run shows all there is to do.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name) => `${root}node_modules/.bin/${name}`;
/** By its folder: another package in node_modules installs a `tsc` as well, of an older TypeScript. */
const compiler = `${root}node_modules/typescript/bin/tsc`;
/** Keeps what the compiler found out for the next run: a small change is checked in a quarter of the time. */
const types = (project, name) => {
  const kept = `${root}node_modules/.cache/${name}.tsbuildinfo`;
  return [compiler, "--noEmit", "--incremental", "--tsBuildInfoFile", kept, "-p", project];
};
const checks = [
  ["types", process.execPath, types(".", "types")],
  ["types of the page", process.execPath, types("src/cli/ui/page", "page-types")],
  ["lint and format", bin("biome"), ["ci", "--colors=off", "--error-on-warnings", "."]],
  ["dead code", bin("knip"), ["--no-progress"]],
  ["import directions", process.execPath, ["scripts/check-imports.mjs"]],
  ["forbidden patterns", process.execPath, ["scripts/check-source.mjs"]],
];

// Beside each other, and told in this order.
const results = await Promise.all(checks.map(([, command, args]) => run(command, args)));
const failed = [];
for (const [i, { isRight, said }] of results.entries()) {
  if (isRight) continue;
  failed.push(checks[i][0]);
  console.error(`${checks[i][0]}:\n${said}`);
}
console.log(
  failed.length === 0
    ? "check: types, lint, format, dead code and import directions are in order"
    : `check: ${failed.join(", ")} failed`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(command, args) {
  return new Promise((resolve) =>
    execFile(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ isRight: error === null, said: stdout || stderr ? `${stdout}${stderr}` : error?.message }),
    ),
  );
}
