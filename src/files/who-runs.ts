import { join } from "node:path";
import { lineAndColumn } from "../core/diagnostic.ts";
import { field, type Value } from "../core/value.ts";
import { expandHome, inProject, type Machine, pathContext } from "../engine/machine.ts";
import { profileFor, profiles } from "../identity/profiles/index.ts";
import { compileRules } from "../identity/rules/compile-rules.ts";
import { identify } from "../identity/rules/identify.ts";
import { parseKey } from "../identity/rules/keys.ts";
import { loadFormat } from "../readings/open-reading.ts";
import { formatFor } from "../readings/reading-data.ts";
import { ownerOfEntry } from "./blame/blame.ts";
import { commandOf, commandProblem } from "./doctor/commands.ts";
import { ownersOfFile } from "./places/record-places.ts";

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
  /** The event (with what it is limited to), list or name that the entry stands under. */
  readonly when: string;
  /** What runs, or is allowed. */
  readonly what: string;
  /** `zylos@1.4.0`; `you-over-zylos` where you edited it; `you` where no owner manages it. */
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
 * Everything that the agent runtimes on this machine run or may do: from the user's files, and from those of projects.
 */
export async function listRunners(machine: Machine, projects: readonly string[] = []): Promise<WhoRuns> {
  const entries: RunningEntry[] = [];
  const unreadable: { file: string; message: string }[] = [];
  const instances = [machine, ...projects.map((root) => inProject(machine, root))];
  for (const { path, instance } of runtimeFiles(instances)) {
    const context = pathContext(instance, []);
    const profile = profileFor(path, context);
    const format = formatFor(path);
    const bytes = machine.gate.read(path);
    if (profile === undefined || format === "text" || bytes === undefined) continue;
    const text = Buffer.from(bytes).toString("utf8");
    const read = (await loadFormat(format)).read(text);
    const compiled = compileRules(profile.rules);
    if (read.kind === "malformed") unreadable.push({ file: path, message: read.message });
    if (read.kind === "malformed" || compiled.kind === "malformed" || read.document.root.kind !== "map") continue;
    const owners = await ownersByStart(path, text, instances);
    for (const { key, type, node } of identify(read.document.root, compiled.rules, context).entries) {
      if (!kinds.has(type)) continue;
      const value = node.value();
      const command = commandOf(key, value);
      const start = node.entryRanges[0]?.start ?? 0;
      entries.push({
        runtime: profile.title,
        scope: instance.project?.root ?? "user",
        file: path,
        line: lineAndColumn(text, start).line,
        key,
        type,
        when: whenOf(type, partsOf(key)),
        what: command ?? whatOf(key, value),
        owner: owners.get(start)?.join(",") ?? "you",
        problem: command === undefined ? undefined : commandProblem(command, context, instance)?.message,
      });
    }
  }
  return { format_version: 1, entries, unreadable };
}

/** What is no command: the address of a server, or the last part of the key. */
function whatOf(key: string, value: Value): string {
  const url = field(value, "url") ?? field(value, "prompt");
  return typeof url === "string" ? url : partsOf(key).slice(1).join(":") || key;
}

function partsOf(key: string): readonly string[] {
  const parsed = parseKey(key);
  return parsed.kind === "key" ? parsed.parts : [];
}

/** A hook's event with what it is limited to, such as `PreToolUse (Bash)`. */
function whenOf(type: string, [first = "", matcher = "*", ...rest]: readonly string[]): string {
  return type === "hook" && rest.length > 0 && matcher !== "*" ? `${first} (${matcher})` : first;
}

function runtimeFiles(instances: readonly Machine[]): { path: string; instance: Machine }[] {
  const found = new Map<string, Machine>();
  const add = (path: string, instance: Machine) => {
    const { gate } = instance;
    if (!found.has(path) && gate.stat(gate.realPath(path))?.kind === "file") found.set(path, instance);
  };
  for (const instance of instances) {
    for (const pattern of profiles.flatMap(({ files }) => files)) {
      const [, variable, rest] = /^\$(\w+)\/(.*)$/.exec(pattern) ?? [];
      const { project, env, home } = instance;
      if (project !== undefined) {
        if (variable === undefined && !pattern.startsWith("~")) add(join(project.root, pattern), instance);
      } else if (variable === undefined) {
        add(expandHome(pattern.startsWith("~") ? pattern : `~/${pattern}`, home), instance);
      } else if (env[variable]) add(join(env[variable], rest!), instance);
    }
  }
  return [...found].map(([path, instance]) => ({ path, instance }));
}

/** Who manages the entries of a file, by where each begins: a key that the user changed is another one. */
async function ownersByStart(
  path: string,
  text: string,
  instances: readonly Machine[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const owners = new Map<number, string[]>();
  for (const instance of instances) {
    for (const owned of await ownersOfFile(instance, path)) {
      for (const decision of owned.planned.decisions) {
        const start = decision.actual?.node.entryRanges[0]?.start;
        const owner = start === undefined ? undefined : ownerOfEntry(owned, decision, text);
        if (start !== undefined && owner !== undefined) owners.set(start, [...(owners.get(start) ?? []), owner]);
      }
    }
  }
  return owners;
}
