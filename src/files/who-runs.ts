import { join } from "node:path";
import { lineAndColumn } from "../core/diagnostic.ts";
import { field, type Value } from "../core/value.ts";
import { expandHome, type Machine, pathContext } from "../engine/machine.ts";
import { readOwnerState } from "../engine/owner-state.ts";
import { ownersOf } from "../engine/records.ts";
import { canonicalPath } from "../identity/paths/paths.ts";
import { profileFor, profiles } from "../identity/profiles/index.ts";
import { compileRules } from "../identity/rules/compile-rules.ts";
import { identify } from "../identity/rules/identify.ts";
import { loadFormat } from "../readings/open-reading.ts";
import { formatFor } from "../readings/reading-data.ts";
import { commandOf, commandProblem } from "./doctor/commands.ts";

/** One hook, server or permission of a runtime, whichever file it came from. */
export interface RunningEntry {
  /** The runtime, as people call it. */
  readonly runtime: string;
  /** `user`, or the project's folder. */
  readonly scope: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly key: string;
  readonly type: string;
  /** The event, list or name that the entry stands under. */
  readonly when: string;
  /** What runs, or is allowed. */
  readonly what: string;
  /** `zylos@1.4.0`; `you` where no owner manages it. */
  readonly owner: string;
  /** Why it will not run, if so: the script is missing, or can't be executed. */
  readonly problem?: string | undefined;
}

export interface WhoRuns {
  readonly format_version: 1;
  readonly entries: readonly RunningEntry[];
  /** Files that can't be read, with the reason: what is in them is not listed. */
  readonly unreadable: readonly { readonly file: string; readonly message: string }[];
}

const kinds: ReadonlySet<string> = new Set(["hook", "server", "permission", "directory", "plugin", "extension"]);

/**
 * Everything that the agent runtimes on this machine run or may do: from the user's files, and from those of a project.
 */
export async function listRunners(machine: Machine, project?: string): Promise<WhoRuns> {
  const context = pathContext(machine, []);
  const owners = ownersByKey(machine);
  const entries: RunningEntry[] = [];
  const unreadable: { file: string; message: string }[] = [];
  for (const { path, scope } of runtimeFiles(machine, project)) {
    const profile = profileFor(path, context);
    const format = formatFor(path);
    const bytes = machine.gate.read(path);
    if (profile === undefined || format === "text" || bytes === undefined) continue;
    const text = Buffer.from(bytes).toString("utf8");
    const read = (await loadFormat(format)).read(text);
    const compiled = compileRules(profile.rules);
    if (read.kind === "malformed") unreadable.push({ file: path, message: read.message });
    if (read.kind === "malformed" || compiled.kind === "malformed" || read.document.root.kind !== "map") continue;
    for (const { key, type, node } of identify(read.document.root, compiled.rules, context).entries) {
      if (!kinds.has(type)) continue;
      const value = node.value();
      const command = commandOf(key, value);
      entries.push({
        runtime: profile.title,
        scope,
        file: path,
        line: lineAndColumn(text, node.entryRanges[0]?.start ?? 0).line,
        key,
        type,
        when: key.split(":")[1] ?? "",
        what: command ?? whatOf(key, value),
        owner: owners.get(`${canonicalPath(path, context)}\0${key}`) ?? "you",
        problem: command === undefined ? undefined : commandProblem(command, context, machine)?.message,
      });
    }
  }
  return { format_version: 1, entries, unreadable };
}

/** What is no command: the address of a server, or the last part of the key. */
function whatOf(key: string, value: Value): string {
  const url = field(value, "url") ?? field(value, "prompt");
  return typeof url === "string" ? url : key.split(":").slice(2).join(":") || key;
}

function runtimeFiles(machine: Machine, project: string | undefined): { path: string; scope: string }[] {
  const found = new Map<string, string>();
  const add = (path: string, scope: string) => {
    if (!found.has(path) && machine.gate.stat(machine.gate.realPath(path))?.kind === "file") found.set(path, scope);
  };
  for (const pattern of profiles.flatMap(({ files }) => files)) {
    const [, variable, rest] = /^\$(\w+)\/(.*)$/.exec(pattern) ?? [];
    if (variable !== undefined) {
      const folder = machine.env[variable];
      if (folder) add(join(folder, rest!), "user");
      continue;
    }
    add(expandHome(pattern.startsWith("~") ? pattern : `~/${pattern}`, machine.home), "user");
    if (project !== undefined && !pattern.startsWith("~")) add(join(project, pattern), project);
  }
  return [...found].map(([path, scope]) => ({ path, scope }));
}

/** By file and key: who manages it. Several owners are joined by a comma. */
function ownersByKey(machine: Machine): Map<string, string> {
  const owners = new Map<string, string>();
  for (const name of ownersOf(machine)) {
    const { registry, context } = readOwnerState(machine, name);
    for (const [section, record] of Object.entries(registry?.files ?? {})) {
      const path = canonicalPath(expandHome(section, machine.home), context);
      for (const [key, entry] of Object.entries(record.entries)) {
        if (entry.state !== undefined) continue;
        const at = `${path}\0${key}`;
        const owner = `${name}@${entry.last_updated_in_version}`;
        owners.set(at, owners.has(at) ? `${owners.get(at)},${owner}` : owner);
      }
    }
  }
  return owners;
}
