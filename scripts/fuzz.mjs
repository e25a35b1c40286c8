// npm run fuzz [SECONDS [SEED [NAME]]]: the tests of test/fuzz/ (those with NAME in theirs) with damaged documents for
// so many seconds in all (default: an hour), shared among them, instead of their fixed few. A test ends at the first
// document that is misread, with the seed that makes it again. Says every few seconds how far it is; Ctrl-C ends it
// with what was found until then. Exit 1 if anything was. What it finds becomes a regression case.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [seconds = "3600", seed = String(Date.now() % 1e9), name] = process.argv.slice(2);
if (!(Number(seconds) > 0)) {
  console.error(`fuzz: ${seconds} is no number of seconds`);
  process.exit(1);
}
const begin = Date.now();
const until = begin + Number(seconds) * 1000;
const folder = mkdtempSync(join(tmpdir(), "stet-fuzz-"));
const told = new Set();
const broken = [];
let passes = 0;
let running;
let isStopped = false;

console.log(`fuzz: ${seconds} s in all, from seed ${seed}`);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, stop);
const clock = setInterval(tell, 5000);
// What is not through by then is ended, as what hangs is: nobody else can.
const alarm = setTimeout(stop, until - begin);
const files = testFiles();
// A short pass finds out how many tests there are; the others share what is left.
await pass(Math.max(50, (Number(seconds) * 1000) / 200));
while (!isStopped && until - Date.now() > 3000)
  await pass((until - Date.now() - 3000) / Math.max(1, progress().length / passes));
clearInterval(clock);
clearTimeout(alarm);
finish();

/** All tests once, each for so many milliseconds at most. */
async function pass(share) {
  const env = { ...process.env, STET_FUZZ_UNTIL: until - 1500, STET_FUZZ_SHARE: share, STET_FUZZ_FOLDER: folder };
  const results = join(folder, "results");
  const args = [
    "run",
    "--maxWorkers=1",
    "--reporter=json",
    `--outputFile=${results}`,
    ...files,
    ...(name === undefined ? [] : ["-t", name]),
  ];
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", ...args], {
    cwd: root,
    // Another pass tries other cases.
    env: { ...env, STET_FUZZ_SEED: Number(seed) + 10_000_000 * passes++ },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  running = child.pid;
  await new Promise((done) => child.on("exit", done));
  running = undefined;
  if (!isStopped) noteOtherFailures(results);
}

/** A test that fails otherwise than by what it found is a broken test. */
function noteOtherFailures(results) {
  const tests = JSON.parse(readFileSync(results, "utf8")).testResults.flatMap((file) =>
    file.assertionResults.length > 0
      ? file.assertionResults
      : [{ ...file, fullName: file.name, failureMessages: [file.message] }],
  );
  for (const { fullName, status, failureMessages } of tests) {
    const message = failureMessages?.[0] ?? "";
    if (status === "failed" && !/^Error: (?:cut short|seed \d+: )/.test(message))
      broken.push(`${fullName}: ${message.split("\n")[0]}`);
  }
  rmSync(results);
}

function testFiles() {
  // The programs that act on units are asked themselves, where they are.
  const env = { ...process.env, PATH: `${join(root, "scripts/real/offline")}:${process.env.PATH}` };
  const isThere = (component) =>
    spawnSync("bash", [`scripts/real/${component}.sh`], { cwd: root, env, stdio: "ignore" }).status === 0;
  return ["test/fuzz", ...(["systemd", "quadlet"].every(isThere) ? ["test/real/host/damaged-units.test.ts"] : [])];
}

/** What each test has written down of itself; one that is being written counts the next time. */
function progress() {
  return readdirSync(folder).flatMap((file) => {
    try {
      return file.endsWith(".json") ? [JSON.parse(readFileSync(join(folder, file), "utf8"))] : [];
    } catch {
      return [];
    }
  });
}

function tell() {
  const all = progress();
  for (const { test, ...each } of all) {
    const found = each.found ?? hanging(each);
    if (found === undefined || told.has(test)) continue;
    told.add(test);
    console.log(`fuzz: found by "${test}": ${found}`);
  }
  const cases = all.reduce((sum, each) => sum + each.cases, 0).toLocaleString("en");
  const elapsed = Math.round((Date.now() - begin) / 1000);
  console.log(
    `fuzz: ${elapsed} of ${seconds} s, ${cases} cases of ${new Set(all.map((each) => each.test)).size} tests, ${told.size} found`,
  );
}

/** A test says several times a second how far it is, unless a case takes longer. */
function hanging({ isOver, time, seed }) {
  return !isOver && Date.now() - time > 20_000
    ? `one of the cases from seed ${seed} on takes more than 20 s`
    : undefined;
}

/** Ends what runs, with everything it started. */
function stop() {
  isStopped = true;
  if (running !== undefined) process.kill(-running, "SIGKILL");
}

function finish() {
  tell();
  const hasTried = progress().length > 0;
  for (const each of broken) console.log(`fuzz: failed: ${each}`);
  rmSync(folder, { recursive: true, force: true });
  const isClean = told.size === 0 && broken.length === 0 && hasTried;
  const result = hasTried ? `${told.size || "nothing"} found` : "nothing was tried: give it more time, or another name";
  console.log(
    `fuzz: ${result}${told.size > 0 ? "; again: npm run fuzz 60 SEED NAME, with its seed and its name" : ""}`,
  );
  process.exitCode = isClean ? 0 : 1;
}
