import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
// @ts-expect-error a script without types
import { sourceHash } from "../scripts/bundle.mjs";

const root = path.resolve(import.meta.dirname, "..");
const cache = path.join(root, "node_modules/.cache");
const day = 86_400_000;

/**
 * The program as it ships, made of the sources as they are: the last build where nothing has changed since, else one of
 * its own that all tests and runs share until something does. Returns what Node is to run.
 */
export function builtProgram(): string {
  const hash: string = sourceHash();
  const last = path.join(root, "dist/fast-path.cjs");
  if (fs.existsSync(last) && fs.readFileSync(last, "latin1").includes(hash)) return path.join(root, "bin/stet.cjs");
  const folder = path.join(cache, `stet-program-${hash}`);
  if (!fs.existsSync(folder)) build(folder);
  return path.join(folder, "bin/stet.cjs");
}

/** The same in a folder of one's own, without code that an earlier run has compiled. */
export function copyProgram(folder: string): string {
  const from = path.resolve(builtProgram(), "../..");
  const filter = (file: string) => !file.endsWith(".compiled");
  for (const each of ["bin", "dist", "package.json"])
    fs.cpSync(path.join(from, each), path.join(folder, each), { recursive: true, filter });
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return path.join(folder, "bin/stet.cjs");
}

function build(folder: string): void {
  fs.mkdirSync(cache, { recursive: true });
  for (const name of fs.readdirSync(cache)) {
    const old = path.join(cache, name);
    if (name.startsWith("stet-program-") && fs.statSync(old).mtimeMs < Date.now() - day)
      fs.rmSync(old, { recursive: true, force: true });
  }
  const made = fs.mkdtempSync(path.join(cache, "stet-program-"));
  execFileSync(process.execPath, [path.join(root, "scripts/bundle.mjs"), path.join(made, "dist")]);
  for (const each of ["bin", "package.json"])
    fs.cpSync(path.join(root, each), path.join(made, each), { recursive: true });
  try {
    fs.renameSync(made, folder);
  } catch (error) {
    // Somebody else was quicker with the same.
    fs.rmSync(made, { recursive: true });
    if (!fs.existsSync(folder)) throw error;
  }
}
