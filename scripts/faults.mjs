// npm run test:faults [SHARE]: the tests of test/faults/ at every point instead of their few: the real program is
// killed at each of its calls to the file system, and each call fails in each way it can. SHARE (0.1, say) tries a part
// of the points, evenly spread. Prints what was tried; exit 1 on any loss.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [share = "1"] = process.argv.slice(2);
if (!(Number(share) > 0 && Number(share) <= 1)) {
  console.error(`faults: ${share} is no share of the points; give a number up to 1`);
  process.exit(1);
}
// One file at a time: each uses two processors.
const args = ["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1", "test/faults"];
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  env: { ...process.env, STET_FAULTS: share },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
