import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { InputError } from "../../core/diagnostic.ts";
import { shellQuoted } from "../../core/messages.ts";
import { ownersOf } from "../../engine/records.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import { applyPack } from "../../files/plan.ts";
import { uninstallOwner } from "../../files/uninstall.ts";
import type { Reader } from "../../store/gate/gate.ts";
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
  dotenv: [".env", ".env.*", "*.env"],
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
  const known = ownersOf(machine).includes(name);
  if (!known) refuseUnrecorded(`${folder}/config`, machine.gate);
  if (!known && !values.install)
    throw new InputError({ code: "unknown-owner", message: `${io.program} is not the merge driver of ${folder}` });
  const plan = values.install
    ? await applyPack(readPack(machine.gate, packFor(name, folder, formatsOf(values.formats))), machine)
    : await uninstallOwner(name, machine);
  showPlan(plan.document, values, io, { home: machine.home, tense: appliedTense(plan) });
  return 0;
}

/**
 * Refuses where a driver is installed that is not on record: taking it out might leave something behind, and a second
 * one would not replace it.
 */
function refuseUnrecorded(config: string, gate: Reader): void {
  const text = gate.read(config)?.toString("utf8") ?? "";
  const begin = /^# BEGIN STET-MERGE-[0-9A-F]{12} MANAGED/m.exec(text)?.[0];
  if (begin === undefined) return;
  const message = `the driver is installed, but not on record: the repository was moved or copied, or the records are gone; remove the lines from "${begin}" to its END, here and in info/attributes beside it, and run again`;
  throw new InputError({ code: "unknown-owner", message, file: config });
}

function packFor(name: string, folder: string, formats: readonly string[]): object {
  const quoted = driverCommand().replaceAll("\\", "\\\\").replaceAll('"', '\\"');
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

/**
 * How git, which runs drivers by a shell, calls this very program. Where that has gone or fails, git takes its status for
 * a conflict and leaves our side without a marker; so the lines are merged as git would have merged them.
 */
function driverCommand(): string {
  const script = process.argv[1];
  const words =
    script === undefined || script === process.execPath ? [process.execPath] : [process.execPath, realpathSync(script)];
  // A per cent sign of a path is no place-holder of git's.
  const quoted = words.map((word) => shellQuoted(word).replaceAll("%", "%%"));
  const merge = `${quoted.join(" ")} merge %O %A %B --path=%P --output %A --marker-size %L -L %X -L %S -L %Y --conflict "$(git config merge.conflictStyle || echo merge)"`;
  const asGit = "git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B";
  return `s=255; if test -f ${quoted.at(-1)}; then ${merge}; s=$?; fi; if test $s -gt 1; then ${asGit} && s=0 || s=1; fi; exit $s`;
}

function formatsOf(text: string | undefined): readonly string[] {
  const formats = text === undefined ? Object.keys(patterns) : text.split(",").map((format) => format.trim());
  const unknown = formats.find((format) => !Object.hasOwn(patterns, format));
  if (unknown === undefined) return formats;
  throw new InputError({
    code: "usage",
    message: `--formats ${unknown}: use some of ${Object.keys(patterns).join(", ")}`,
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
    throw new InputError({
      code: "not-in-repository",
      message: `${io.cwd} is not in a Git repository; go to one first`,
    });
  }
}
