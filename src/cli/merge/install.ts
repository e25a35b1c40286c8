import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { InputError } from "../../core/diagnostic.ts";
import { shellQuoted } from "../../core/messages.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import { applyPack } from "../../files/plan.ts";
import { uninstallOwner } from "../../files/uninstall.ts";
import { appliedTense, showPlan } from "../files/show-plan.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf } from "../shell/options.ts";

interface InstallValues extends CommonValues {
  readonly install?: boolean;
  readonly formats?: string;
}

const patterns: Readonly<Record<string, readonly string[]>> = {
  json: ["*.json"],
  jsonc: ["*.jsonc", "*.json5"],
  yaml: ["*.yaml", "*.yml"],
  toml: ["*.toml"],
  dotenv: [".env", ".env.*"],
  ini: ["*.ini", ".editorconfig", ".gitmodules", ".npmrc", "setup.cfg", "pip.conf", "*.desktop"],
};

/**
 * Makes `stet merge` the merge driver of the repository here, or takes it out again: a pack of our own, with a block in
 * each of two files.
 */
export async function installDriver(values: InstallValues, io: Io): Promise<number> {
  const folder = gitFolder(io);
  const name = `stet-merge-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
  const machine = machineOf(values, io);
  const plan = values.install
    ? await applyPack(readPack(machine.gate, packFor(name, folder, formatsOf(values.formats))), machine)
    : await uninstallOwner(name, machine);
  showPlan(plan.document, values, io, { home: machine.home, tense: appliedTense(plan) });
  return 0;
}

function packFor(name: string, folder: string, formats: readonly string[]): object {
  const driver = `${command()} merge %O %A %B --path %P --output %A --marker-size %L`;
  const quoted = driver.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  const config = `[merge "stet"]\n\tname = stet, entry by entry\n\tdriver = "${quoted}"\n`;
  const attributes = formats.flatMap((format) => patterns[format]!).map((pattern) => `${pattern} merge=stet\n`);
  return {
    name,
    version: "1",
    files: [
      { target: `${folder}/config`, template: config, strategy: "block", format: "text" },
      { target: `${folder}/info/attributes`, template: attributes.join(""), strategy: "block", format: "text" },
    ],
  };
}

/** How git, which runs drivers by a shell, calls this very program. */
function command(): string {
  const script = process.argv[1];
  const words =
    script === undefined || script === process.execPath ? [process.execPath] : [process.execPath, realpathSync(script)];
  return words.map(shellQuoted).join(" ");
}

function formatsOf(text: string | undefined): readonly string[] {
  const formats = text === undefined ? Object.keys(patterns) : text.split(",").map((format) => format.trim());
  const unknown = formats.find((format) => !Object.hasOwn(patterns, format));
  if (unknown === undefined) return formats;
  throw new InputError({
    code: "usage",
    message: `--formats ${unknown}: say some of ${Object.keys(patterns).join(", ")}`,
  });
}

/** Where the configuration of the repository here is kept, also for a worktree. */
function gitFolder(io: Io): string {
  try {
    const args = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    return realpathSync(
      execFileSync("git", args, { cwd: io.cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim(),
    );
  } catch {
    throw new InputError({ code: "not-in-repository", message: `${io.cwd} is in no Git repository; go to one first` });
  }
}
