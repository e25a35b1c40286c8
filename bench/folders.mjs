// A folder of 10,000 files that is as the last run left it: what somebody waits for who asks Git the same.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { duration, isQuick, median, row } from "./measure.mjs";
import { run, stet } from "./peers.mjs";

const count = 10_000;

/** One repository has the templates and what was installed from them: both look at the same files. */
export async function* benchFolders(folder) {
  const [repository, home] = ["folders", "folders-home"].map((name) => join(folder, name));
  writeRepository(repository);
  mkdirSync(home);
  const options = { cwd: repository, env: { PATH: process.env.PATH, HOME: home } };
  const git = (...args) => run("git", ["-c", "user.name=bench", "-c", "user.email=bench@localhost", ...args], options);
  git("init", "--quiet");
  run(process.execPath, [stet, "apply", "pack"], options);
  git("add", "--all");
  git("commit", "--quiet", "--message", "as it is");
  const work = `"${process.execPath}" "${stet}" plan pack`;
  const floor = "git status";
  const pairs = Array.from({ length: isQuick ? 5 : 15 }, () => ({
    low: processorTime(floor, options),
    high: processorTime(work, options),
  }));
  const times = (side) => duration(median(pairs.map((pair) => pair[side])));
  yield row({
    name: "stet plan, a folder of 10,000 files, nothing to do",
    against: "git status of the same files",
    unit: "×",
    values: pairs.map(({ low, high }) => high / low),
    detail: `processor time, ${times("high")} to ${times("low")}`,
  });
}

function writeRepository(repository) {
  for (let i = 0; i < count; i++) {
    const below = join(repository, "pack/agents", `${i % 100}`);
    mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `agent-${i}.md`), `# Agent ${i}\n\nDoes thing ${i}.\n`.repeat(10));
  }
  const manifest = `name: bench
version: 1.0.0
scope: project
files:
  - { target: .claude/agents/, template: agents/ }
`;
  writeFileSync(join(repository, "pack/stet.yaml"), manifest);
}

/** Of a command and all that it starts, in milliseconds: Git works on several processors at once. */
function processorTime(command, options) {
  const script = `TIMEFORMAT='%U %S'; time ${command} >/dev/null`;
  const { status, stderr } = spawnSync("bash", ["-c", script], { ...options, encoding: "utf8" });
  const seconds = /^([\d.]+) ([\d.]+)\n$/.exec(stderr);
  if (status !== 0 || seconds === null) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return (Number(seconds[1]) + Number(seconds[2])) * 1000;
}
