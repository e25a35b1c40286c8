import { isAbsolute, join } from "node:path";
import { didYouMean } from "../../core/diagnostic.ts";
import { shellQuoted } from "../../core/messages.ts";
import type { Registry } from "../../core/records.ts";
import { field, isList, isMap, type Value } from "../../core/value.ts";
import type { Machine } from "../../engine/machine.ts";
import type { Place } from "../../engine/place.ts";
import { canonicalCommand } from "../../identity/commands/commands.ts";
import { scriptOf } from "../../identity/commands/scripts.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import { isUrl } from "../../identity/paths/paths.ts";
import { type Profile, profileFor } from "../../identity/profiles/index.ts";
import { variablesIn } from "../../readings/template.ts";
import type { OwnedPlace } from "../places/record-places.ts";
import type { Finding } from "./doctor.ts";

/** Whether what hooks and servers run is there: a missing script makes a hook do nothing, and nobody says so. */
export function commandFindings({ owner, place, planned, state }: OwnedPlace, machine: Machine): Finding[] {
  return planned.decisions.flatMap(({ key, actual }) => {
    const command = actual && commandOf(key, actual.value);
    if (command === undefined) return [];
    const problem = commandProblem(command, state.context, machine);
    return problem ? [{ ...problem, owner, file: place.path, key }] : [];
  });
}

/** Why a command will not run; undefined where it will, as far as can be seen from here. */
export function commandProblem(given: string, context: PathContext, machine: Machine): CommandProblem | undefined {
  const command = inProjectFolder(given, machine);
  return problemOf(command, canonicalCommand(command, context), scriptOf(command, context, "canonical"), machine);
}

/** A project's command with the folder that runtimes put for their variable. */
export function inProjectFolder(command: string, { project }: Pick<Machine, "project">): string {
  return project === undefined ? command : command.replace(projectFolder, () => project.root);
}

/** How runtimes call the project's folder in a command. */
const projectFolder = /\$\{?(?:CLAUDE_PROJECT_DIR|CURSOR_PROJECT_DIR|GEMINI_PROJECT_DIR)\}?/g;

/** The command line of an entry: its `command`, with `args` where they are a list; or a setting that is called so. */
export function commandOf(key: string, value: Value): string | undefined {
  if (typeof value === "string") return key.endsWith(".command") ? value : undefined;
  const [command, args] = [field(value, "command"), field(value, "args")];
  if (typeof command !== "string") return undefined;
  const words = isList(args) ? args.filter((arg) => typeof arg === "string") : [];
  return [command, ...words.map(quotedWord)].join(" ");
}

function quotedWord(word: string): string {
  return /^[\w@%+=:,./~$-]+$/.test(word) ? word : shellQuoted(word);
}

export type CommandProblem = Pick<Finding, "code" | "severity" | "message" | "fix">;

function problemOf(command: string, canonical: string, script: string, machine: Machine): CommandProblem | undefined {
  if (isAbsolute(script) && !/\s/.test(script) && !isUrl(script)) {
    const missing = scriptProblem(script, canonical.replace(/^["']/, "").startsWith(script), machine);
    if (missing) return missing;
  }
  const program = /^([A-Za-z][\w.-]*)(?:\s|$)/.exec(command)?.[1];
  if (program === undefined || builtins.has(program) || machine.platform === "win32" || onPath(program, machine))
    return undefined;
  return {
    code: "program-not-found",
    severity: "warning",
    message: `it runs ${program}, which is not on the PATH of this shell`,
    fix: `install ${program}, or name it by its full path`,
  };
}

function scriptProblem(script: string, runsItself: boolean, { gate, platform }: Machine): CommandProblem | undefined {
  const status = gate.stat(gate.realPath(script));
  if (status === undefined) {
    const fix = "put the script there, or take the entry out";
    return { code: "script-missing", severity: "error", message: `it runs ${script}, which is not there`, fix };
  }
  if (!runsItself || platform === "win32" || status.kind !== "file" || (status.mode & 0o111) !== 0) return undefined;
  const message = `it runs ${script}, which is not executable`;
  return { code: "script-not-executable", severity: "error", message, fix: `chmod +x ${quotedWord(script)}` };
}

function onPath(program: string, { env, gate }: Machine): boolean {
  if (env.PATH === undefined) return true;
  return env.PATH.split(":").some(
    (folder) => folder !== "" && gate.stat(gate.realPath(join(folder, program)))?.kind === "file",
  );
}

/** What a shell does itself. */
const builtins: ReadonlySet<string> = new Set(
  "alias bg break case cd command continue declare do done echo elif else esac eval exec exit export false fi for function if jobs let local printf pwd read return select set shift source test then time trap true type ulimit umask unset until wait while".split(
    " ",
  ),
);

type ExpansionProblem = Pick<Finding, "code" | "severity" | "message" | "fix">;

/**
 * What stands in an entry as if somebody expanded it, where nobody does: the runtime starts the program with just these
 * letters.
 */
export function expansionFindings({ owner, place, planned, state }: OwnedPlace): Finding[] {
  const profile = profileFor(place.path, state.context);
  const declared = declaredNames(state.registry);
  return planned.decisions.flatMap(({ key, type, actual }) => {
    if (actual === undefined) return [];
    const problems = [
      ...(profile === undefined ? [] : tildes(type, actual.value, profile)),
      ...(isStructured(place) ? variables(type, actual.value, profile, declared) : []),
    ];
    return problems.map((problem) => ({ ...problem, owner, file: place.path, key }));
  });
}

/** Texts that begin with `~/`, in what a runtime starts without a shell. */
export function tildes(type: string, value: Value, { startsDirectly, title }: Profile): ExpansionProblem[] {
  if (!startsDirectly.includes(type)) return [];
  return [...new Set(textsIn(value).filter((text) => /^~(?:$|\/)/.test(text)))].map((text) => ({
    code: "tilde-not-expanded",
    severity: "warning",
    message: `it contains ${text}, but ${title} starts it without a shell, so nothing expands the tilde`,
    fix: "write ${HOME} in place of ~ in the template, or use a variable of the manifest",
  }));
}

/** In a shell's own files and in prose a variable is meant as one. */
function isStructured({ readingData }: Place): boolean {
  return readingData.strategy === "entries" && structured.has(readingData.format);
}

export const structured: ReadonlySet<string> = new Set(["json", "jsonc", "yaml", "toml"]);

/** The manifest's variables, as far as records know them: those that name the place of a target. */
function declaredNames(registry: Registry | undefined): ReadonlySet<string> {
  const targets = Object.values(registry?.files ?? {}).map(({ target }) => target ?? "");
  return new Set(["HOME", ...targets.flatMap(variablesIn).map(({ name }) => name)]);
}

/**
 * Where no profile knows what the program expands, it may be meant so. A name that the manifest declares stands there
 * because the template escapes it.
 */
function variables(
  type: string,
  value: Value,
  profile: Profile | undefined,
  declared: ReadonlySet<string>,
): ExpansionProblem[] {
  const names = new Set(
    textsIn(value)
      .flatMap(variablesIn)
      .map(({ name }) => name),
  );
  const startsDirectly = profile?.startsDirectly.includes(type) ? profile : undefined;
  return [...names]
    .filter((name) => !expands(name, type, value, profile) && (startsDirectly || !declared.has(name)))
    .map((name) => ({
      code: "variable-not-expanded",
      severity: startsDirectly ? "warning" : "info",
      message: startsDirectly
        ? `it contains \${${name}}, which ${startsDirectly.title} does not expand here`
        : `it contains \${${name}} literally, and nothing is known to expand it${didYouMean(
            `\${${name}}`,
            [...declared].map((each) => `\${${each}}`),
          )}`,
      fix: `if this is meant to be a variable of the manifest, declare ${name} under vars; otherwise write the value itself, or leave it where it is meant as it stands`,
    }));
}

/** Whether something expands `${NAME}` in an entry: a shell that a command line is given to, or the runtime. */
export function expands(name: string, type: string, value: Value, profile: Profile | undefined): boolean {
  if (profile?.expandsVariables.includes(type)) return true;
  if (profile?.startsDirectly.includes(type) || !isMap(value)) return false;
  const { command, ...others } = value;
  const mentions = (each: Value | undefined) =>
    each !== undefined && textsIn(each).some((text) => variablesIn(text).some((found) => found.name === name));
  return mentions(command) && !mentions(others);
}

/** All texts of a value, but names. */
export function textsIn(value: Value): string[] {
  if (typeof value === "string") return [value];
  if (isList(value)) return value.flatMap(textsIn);
  return isMap(value) ? Object.values(value).flatMap(textsIn) : [];
}
