// What the steps of action.yml share: how a step is told what to do, and how it tells the next one.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the action: the whole repository. */
export const root = process.env.GITHUB_ACTION_PATH ?? fileURLToPath(new URL("../..", import.meta.url));

/** An input of action.yml. They come as variables, never as parts of a script: nobody can write commands into them. */
export function input(name, fallback = "") {
  return process.env[`STET_${name.toUpperCase().replaceAll("-", "_")}`] || fallback;
}

export function output(name, value) {
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

/** Where the report is kept between the steps. */
export const reportFile = join(process.env.RUNNER_TEMP ?? ".", "stet-report.md");

/** Runs stet in the folder that was checked out. */
export function stet(...args) {
  return run(process.execPath, [join(root, "bin/stet.cjs"), ...args]);
}

export function git(...args) {
  const { status, out, err } = run("git", args);
  if (status !== 0) fail(`git ${args[0]}: ${err.trim()}`);
  return out.trim();
}

export function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, ...options });
  if (done.error) fail(`${command}: ${done.error.message}`);
  return { status: done.status, out: done.stdout ?? "", err: done.stderr ?? "" };
}

/** The pull request that started the workflow; undefined for a push or a schedule. */
export function eventPullRequest() {
  if (!process.env.GITHUB_EVENT_PATH) return undefined;
  return JSON.parse(readFileSync(process.env.GITHUB_EVENT_PATH, "utf8")).pull_request;
}

/** Asks GitHub's API about this repository. */
export async function api(method, path, body) {
  const address = `${process.env.GITHUB_API_URL ?? "https://api.github.com"}/repos/${process.env.GITHUB_REPOSITORY}${path}`;
  const response = await fetch(address, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${input("token")}`,
      "content-type": "application/json",
      "x-github-api-version": "2022-11-28",
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, data: text === "" ? undefined : JSON.parse(text) };
}

/** Shown beside the run, which goes on. */
export function warn(message) {
  console.log(`::warning title=stet::${escaped(message)}`);
}

export function fail(message) {
  console.log(`::error title=stet::${escaped(message)}`);
  process.exit(1);
}

function escaped(message) {
  return message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
