// npm run test:faults [SHARE]: the tests of test/faults/ at every point instead of their few: the real program is killed
// at each of its calls that change the file system, and each call fails in each way it can, while programs race with it
// to save their files for ten minutes. SHARE (0.1, say) tries a part of the points, evenly spread. Prints what was tried,
// and one line at the end; exit 1 on any loss.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [share = "1"] = process.argv.slice(2);
if (!(Number(share) > 0 && Number(share) <= 1)) {
  console.error(`faults: ${share} is no share of the points; give a number up to 1`);
  process.exit(1);
}
const results = mkdtempSync(join(tmpdir(), "stet-faults-"));
const started = performance.now();
// The races mostly wait: what needs the processors goes on beside them.
const ended = await Promise.all([suite("saves"), suite("program", "crowd")]);
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
const sum = (name) => ended.reduce((total, each) => total + each[name], 0);
console.log(`faults: ${sum("passed")} passed, ${sum("failed")} failed in ${minutes} minutes`);
rmSync(results, { recursive: true });
process.exitCode = sum("failed") > 0 ? 1 : 0;

/** Test files one after the other: each uses two processors, or means its time-outs. */
function suite(...names) {
  const output = join(results, `${names[0]}.json`);
  const args = ["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1", "--disable-console-intercept"];
  const reports = ["--reporter=default", "--reporter=json", `--outputFile.json=${output}`];
  const files = names.map((name) => `test/faults/${name}.test.ts`);
  const child = spawn(process.execPath, [...args, ...reports, ...files], {
    cwd: root,
    env: { ...process.env, STET_FAULTS: share },
    stdio: "inherit",
  });
  return new Promise((resolve) => {
    child.on("exit", (code) => {
      const found = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : undefined;
      const failed = found?.numFailedTests ?? 0;
      resolve({ passed: found?.numPassedTests ?? 0, failed: code === 0 ? failed : Math.max(1, failed) });
    });
  });
}
