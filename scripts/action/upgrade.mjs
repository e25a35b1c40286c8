// Step 3, with `mode: upgrade`: the pack is applied on a branch of its own, as one commit, and a pull request asks for it.
import { readFileSync, realpathSync } from "node:fs";
import { api, fail, git, input, output, reportFile, run, stet, warn } from "./runner.mjs";

const project = realpathSync(input("project", "."));
const planned = stetJson("plan");
const outside = planned.files.map(({ path }) => path).find((path) => !path.startsWith(`${project}/`));
if (outside) fail(`mode: upgrade needs a pack of scope: project, and this one writes ${outside}`);
const { name, version, from, files } = stetJson("apply");
const written = [...files.map(({ path }) => path), `${project}/.stet/${name}.json`].filter(isChanged);
if (written.length === 0) {
  console.log(`${name} ${version}: nothing to upgrade`);
  output("branch", "");
} else {
  const branch = input("branch", `stet/${name}`);
  commitOn(branch, `Upgrade ${name}${from === null || from === version ? "" : ` from ${from}`} to ${version}`);
  output("branch", branch);
  output("pull-request", (await pullRequestOf(branch)) ?? "");
}

function stetJson(command) {
  const { status, out, err } = stet(command, "--json", "--project", project, "--", input("pack", "."));
  if (status !== 0) fail(err.trim());
  return JSON.parse(out);
}

/** What Git ignores is of this machine only, and nothing to commit. */
function isChanged(path) {
  return inProject("status", "--porcelain", "--untracked-files=all", "--", path) !== "";
}

function inProject(...args) {
  return git("-C", project, ...args);
}

/** One commit upon what was checked out. A branch that has it already is left alone, so that no check runs twice. */
function commitOn(branch, message) {
  const base = inProject("rev-parse", "HEAD");
  inProject("switch", "--quiet", "--force-create", branch);
  inProject("add", "--all", "--", ...written);
  const author = ["-c", `user.name=${input("author")}`, "-c", `user.email=${input("author-email")}`];
  inProject(...author, "commit", "--quiet", "--message", message);
  const [there = ""] = inProject("ls-remote", "origin", `refs/heads/${branch}`).split("\t");
  if (there !== "" && isSameAs(there, branch, base)) return console.log(`${branch} is up to date`);
  const lease = `--force-with-lease=${branch}:${there}`;
  inProject("push", "--quiet", lease, "origin", `HEAD:refs/heads/${branch}`);
}

function isSameAs(there, branch, base) {
  inProject("fetch", "--quiet", "origin", branch);
  if (run("git", ["-C", project, "diff", "--quiet", there, "HEAD"]).status !== 0) return false;
  return inProject("rev-parse", `${there}^`) === base;
}

async function pullRequestOf(branch) {
  const [owner] = process.env.GITHUB_REPOSITORY.split("/");
  const found = await api("GET", `/pulls?state=open&head=${encodeURIComponent(`${owner}:${branch}`)}`);
  if (found.status === 200 && found.data.length > 0) return found.data[0].number;
  const title = inProject("log", "-1", "--format=%s");
  const base = input("base") || process.env.GITHUB_REF_NAME;
  const body = readFileSync(reportFile, "utf8");
  const made = await api("POST", "/pulls", { title, head: branch, base, body });
  if (made.status === 201) return made.data.number;
  warn(
    `${branch} is pushed, but no pull request could be opened (${made.data?.message ?? made.status}); open it by hand`,
  );
  return undefined;
}
