// npm run fuzz [SECONDS [SEED [NAME]]]: the tests of test/fuzz/ (those with NAME in theirs) with damaged documents for as long as it takes
// (default: an hour for each test) instead of their fixed few. A test ends at the first document that is misread, with the seed that makes it
// again. What it finds becomes a regression case.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [seconds = "3600", seed = String(Date.now() % 1e9), name] = process.argv.slice(2);
console.log(`fuzz: ${seconds} s for each test, from seed ${seed}`);
const env = { ...process.env, STET_FUZZ_SECONDS: seconds, STET_FUZZ_SEED: seed };
// The programs that act on units are asked themselves, where they are.
const offline = { ...process.env, PATH: `${join(root, "scripts/real/offline")}:${process.env.PATH}` };
const isThere = (component) =>
  spawnSync("bash", [`scripts/real/${component}.sh`], { cwd: root, env: offline, stdio: "ignore" }).status === 0;
const files = ["test/fuzz", ...(["systemd", "quadlet"].every(isThere) ? ["test/real/host/damaged-units.test.ts"] : [])];
const vitest = ["node_modules/vitest/vitest.mjs", "run", ...files, ...(name === undefined ? [] : ["-t", name])];
const { status } = spawnSync(process.execPath, vitest, { cwd: root, env, stdio: "inherit" });
process.exitCode = status ?? 1;
