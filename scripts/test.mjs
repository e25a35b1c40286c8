// The whole test run: checks, real components, all suites, newer Nodes; ends with the slowest files, the seconds of each
// suite, the processor time of all (the same on a busy machine) and "N passed, N failed".
//
// A test file says what it needs in its first lines: `// needs: quadlet strace`. Each name is a script in scripts/real/
// that prepares it (into $STET_TEST_CACHE, default ~/.cache/stet-test) or says in one line why it can't. In CI
// everything must be there; elsewhere what is missing is listed, with the command that would add it, and its tests are
// left out.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, setPriority, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const inCi = process.env.CI === "true";
const isWhole = inCi || process.env.WHOLE === "1";
if (!process.stdout.isTTY) process.env.NO_COLOR = "1";
process.env.STET_TEST_CACHE ??= join(homedir(), ".cache", "stet-test");
mkdirSync(process.env.STET_TEST_CACHE, { recursive: true });

const failures = [];
const suites = [];
const skipped = [];

await Promise.all(["build", "check"].map(run));

const wanted = new Map(testFiles().map((file) => [file, needsOf(file)]));
// A new machine has no package lists, or old ones.
if (inCi && process.getuid?.() === 0) spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
const missing = prepare([...new Set([...wanted.values()].flat())].sort());
const runnable = [...wanted].filter(([, needs]) => !needs.some((need) => missing.has(need))).map(([file]) => file);
const real = runnable.filter((file) => file.startsWith("test/real/"));
const hosts = real.filter((file) => file.startsWith("test/real/host/"));
// Real machines one at a time, and beside them real clusters and browsers one at a time, since they take the room they
// need. They mostly wait: the other suites use the processors meanwhile, but stand back, so that time-outs mean what they
// say. Newer Nodes take the room that these leave.
const clusters = without(real, hosts);
await Promise.all([
  suite("real hosts", process.execPath, hosts, { workers: 1, isQuiet: true }).then(() => newerNode(22)),
  suite("real clusters, browsers and shells", process.execPath, clusters, { workers: 1, isQuiet: true }).then(() =>
    newerNode(24),
  ),
  suite("this Node", process.execPath, without(runnable, real), { workers: 2, standsBack: true }),
]);

report();

/** Runs a script; its name is that of the step. */
async function run(name) {
  const started = performance.now();
  const status = await ended(process.execPath, [`scripts/${name}.mjs`], { env: process.env });
  if (status === 0) console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  else failures.push(`${name} failed`);
}

function without(files, others) {
  return files.filter((file) => !others.includes(file));
}

function testFiles() {
  return readdirSync(join(root, "test"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function needsOf(file) {
  const line = /^\/\/ needs: (.+)$/m.exec(readFileSync(join(root, file), "utf8").slice(0, 2000));
  return line ? line[1].trim().split(/\s+/) : [];
}

/**
 * Runs each component's script; returns those that are not to be had, with the reason. Outside CI nothing is installed
 * or downloaded for a test run.
 */
function prepare(names) {
  const missing = new Map();
  const env = inCi
    ? process.env
    : { ...process.env, PATH: `${join(root, "scripts/real/offline")}:${process.env.PATH}` };
  for (const name of names) {
    const started = performance.now();
    const { status, stderr } = spawnSync("bash", [`scripts/real/${name}.sh`], { cwd: root, env, encoding: "utf8" });
    if (status === 0) console.log(`${name}: ready in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    else missing.set(name, stderr.trim().split("\n").at(-1) || `scripts/real/${name}.sh failed`);
  }
  return missing;
}

/** Runs test files. `isQuiet`: what it says is shown when it is through. */
async function suite(name, node, files, { workers, isQuiet = false, standsBack = false }) {
  if (files.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), "stet-tests-"));
  const output = join(folder, "results.json");
  const reporters = ["--reporter=default", "--reporter=./scripts/test-results.mjs"];
  const args = ["node_modules/vitest/vitest.mjs", "run", `--maxWorkers=${workers}`, ...reporters, ...files];
  const started = performance.now();
  const status = await ended(node, args, { isQuiet, standsBack, env: { ...process.env, STET_TEST_RESULTS: output } });
  const seconds = (performance.now() - started) / 1000;
  const results = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : { passed: 0, failed: 0, files: [] };
  rmSync(folder, { recursive: true });
  suites.push({ name, seconds, ...results });
  const left = results.files.flatMap((file) => file.leftOut);
  skipped.push(...left);
  if (status !== 0) failures.push(`the suites failed: ${name}`);
  if (inCi && left.length > 0) failures.push(`${left.length} tests were skipped: ${name}; in CI every test runs`);
}

function ended(node, args, { isQuiet = false, standsBack = false, env }) {
  const child = spawn(node, args, {
    cwd: root,
    env,
    stdio: ["ignore", isQuiet ? "pipe" : "inherit", isQuiet ? "pipe" : "inherit"],
  });
  if (standsBack && process.platform !== "win32") setPriority(child.pid, 10);
  const said = [];
  for (const stream of isQuiet ? [child.stdout, child.stderr] : []) stream.on("data", (bytes) => said.push(bytes));
  return new Promise((resolve) => {
    child.on("close", (status) => {
      process.stdout.write(Buffer.concat(said));
      resolve(status);
    });
  });
}

/**
 * What depends on Node's own behaviour, once more on each newer release. Generated cases and decisions ask about our own
 * code only; in CI and with WHOLE=1 all of it is asked.
 */
async function newerNode(version) {
  const name = `node${version}`;
  const absent = prepare([name]);
  for (const [each, why] of absent) missing.set(each, why);
  if (absent.size > 0) return;
  const decisions = /^test\/(?:files\/(?!contract-|watch|folders|saved-plan)|cli\/fingerprint\.)/;
  const files = runnable.filter(
    (file) =>
      /^test\/(files|cli|library|store|projects)\//.test(file) &&
      !/\.property\.|histories|many-entries/.test(file) &&
      (isWhole || !decisions.test(file)),
  );
  const node = join(process.env.STET_TEST_CACHE, name, "bin", "node");
  await suite(`Node ${version}`, node, files, { workers: 1, isQuiet: true, standsBack: true });
}

/** What this process and all it has waited for took of the processors; undefined where Linux does not say it. */
function processorSeconds() {
  if (!existsSync("/proc/self/stat")) return undefined;
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return ticks / 100;
}

function report() {
  for (const [name, why] of missing) {
    const left = [...wanted].filter(([, needs]) => needs.includes(name)).map(([file]) => file);
    console.log(
      `left out for want of ${name}: ${left.join(", ") || `the run on ${name}`}\n  ${why}\n  to add it: bash scripts/real/${name}.sh`,
    );
    if (inCi) failures.push(`${name} could not be set up: ${why}`);
  }
  if (skipped.length > 0) {
    console.log(
      `skipped, as they need root or a tool that is missing:\n  ${[...new Set(skipped)].join("\n  ")}\n  to run all there is: sudo CI=true npm test`,
    );
  }
  for (const failure of failures) console.error(failure);
  const files = suites.flatMap(({ name, files }) => files.map((file) => ({ ...file, suite: name })));
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, 10);
  console.log("the slowest files:");
  for (const { seconds, file, suite } of slowest)
    console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${file} (${suite})`);
  for (const { name, seconds, passed } of suites) console.log(`${name}: ${passed} tests in ${seconds.toFixed(0)} s`);
  const spent = processorSeconds();
  if (spent !== undefined) console.log(`processor time: ${spent.toFixed(0)} s`);
  const sum = (name) => suites.reduce((total, each) => total + each[name], 0);
  const failed = Math.max(sum("failed"), failures.length > 0 ? 1 : 0);
  process.exitCode = failed > 0 ? 1 : 0;
  console.log(`${sum("passed")} passed, ${failed} failed`);
}
