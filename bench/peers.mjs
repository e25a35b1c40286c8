// The tools that somebody would use instead, where they are to be had.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { root } from "./parts.mjs";

const cache = process.env.STET_TEST_CACHE ?? join(homedir(), ".cache", "stet-test");
export const stet = join(root, "bin/stet.cjs");

/**
 * A program of scripts/real/peers.sh, or one that the machine has; undefined: there is none. The former first: a known
 * version.
 */
export function findPeer(name) {
  const unpacked = join(cache, "peers", name);
  if (existsSync(unpacked)) return unpacked;
  const found = (process.env.PATH ?? "").split(":").map((folder) => join(folder, name));
  return found.find((path) => existsSync(path));
}

export function findApiServer() {
  const program = join(cache, "apiserver", "bin", "kube-apiserver");
  return existsSync(program) ? program : undefined;
}

/** Said in the table in place of the row. */
export function missingPeer(name, add = "bash scripts/real/peers.sh") {
  return { missing: `${name} is not installed`, add };
}

/** Runs it to its end and throws unless it says that all went well. */
export function run(program, args, { env, cwd, stdio = "pipe" } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { env, cwd, stdio, maxBuffer: 1 << 28 });
  if (status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? `ended with ${status}: ${stderr}${stdout}`}`);
  return stdout;
}

export function runStet(args, options) {
  return run(process.execPath, [stet, ...args], options);
}
