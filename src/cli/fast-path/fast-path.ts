// The bin asks this first, for `plan` and `apply`: a chunk of its own that loads next to nothing, since most runs find
// nothing to do.

import { resolve } from "node:path";
import { cacheFolder, findProject, platformFrom, projectStateDir } from "../../engine/machine.ts";
import { diskReader } from "../../store/gate/disk-reader.ts";
import type { Reader } from "../../store/gate/gate.ts";
import {
  cachedFingerprints,
  fingerprintPath,
  type Hash,
  isOwnCache,
  readFingerprint,
  stillHold,
} from "../../store/replay/fingerprint.ts";
import { type CommonValues, locationsOf, wantsColour } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { isTerminal, print } from "../shell/output.ts";
import { build } from "./build.ts";
import { type KeptAnswer, type KeptRequest, type KeptText, keptRequest, sameRequest } from "./kept-answer.ts";

export { load } from "./compiled.ts";

/** Whether the command line is answered already. */
export function answered(argv: readonly string[]): boolean {
  if (build === undefined) return false;
  const { env, platform } = process;
  const answer = answerUnchanged(argv, {
    build,
    env,
    platform,
    cwd: process.cwd(),
    userId: process.geteuid?.(),
    hash,
    terminalColumns: () => (isTerminal(1) ? process.stdout.columns : undefined),
  });
  if (answer === undefined) return false;
  process.exitCode = answer.code;
  print(answer.out);
  return true;
}

/** Loaded when needed: it takes a seventh of the time that Node needs to start. */
function hash(content: string | Uint8Array): string {
  const { createHash } = require("node:crypto") as typeof import("node:crypto");
  return createHash("sha256").update(content).digest("hex");
}

interface ShortValues
  extends Pick<CommonValues, "json" | "home" | "state-dir" | "set" | "project" | "no-color" | "quiet"> {
  readonly "dry-run"?: boolean;
  readonly strict?: boolean;
}

const flags: Readonly<Record<"plan" | "apply", ReadonlySet<string>>> = {
  plan: new Set(["json", "no-color", "quiet", "diff", "exit-code"]),
  apply: new Set(["json", "no-color", "quiet", "diff", "dry-run", "strict"]),
};

/**
 * A command line of options that the fast path knows, in their usual spelling; undefined for any other. Not Node's own
 * parser: to load that takes longer than to look at all files, and what it would take otherwise, or refuse, takes the
 * long way.
 */
function readArguments(
  args: readonly string[],
  command: "plan" | "apply",
): { readonly values: ShortValues; readonly argument: string | undefined } | undefined {
  const values: { [name: string]: boolean | string | string[] } = {};
  let argument: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] === "-q" ? "--quiet" : args[i]!;
    const name = arg.slice(2);
    if (!arg.startsWith("-")) {
      if (argument !== undefined) return undefined;
      argument = arg;
    } else if (!arg.startsWith("--")) return undefined;
    else if (flags[command].has(name)) values[name] = true;
    else if (name === "home" || name === "state-dir" || name === "set" || name === "project") {
      const value = args[++i];
      if (value === undefined || value.startsWith("-")) return undefined;
      values[name] = name === "set" ? [...((values.set as string[] | undefined) ?? []), value] : value;
    } else return undefined;
  }
  return { values, argument };
}

/** What the fast path needs of the outside. It reads and prints, and knows nothing else. */
export interface FastPathContext extends Pick<Io, "env" | "cwd" | "platform"> {
  readonly build: string;
  readonly userId: number | undefined;
  readonly hash: Hash;
  /** Undefined: standard output is no terminal. */
  terminalColumns(): number | undefined;
}

/**
 * `plan` and `apply` where everything is as the last run that changed something left it: what they would print, and the
 * exit code. Undefined wherever that is not certain, whatever the reason: the long way is the only authority, for
 * mistakes too.
 */
export function answerUnchanged(
  argv: readonly string[],
  outside: FastPathContext,
): { readonly out: string; readonly code: number } | undefined {
  try {
    const [name, ...args] = argv;
    if (name !== "plan" && name !== "apply") return undefined;
    const given = readArguments(args, name);
    if (given === undefined) return undefined;
    const { values, argument } = given;
    const reader = diskReader();
    const places = locationsOf(values, outside, noSystem);
    const request = keptRequest(reader, argument, { ...outside, ...places, set: values.set, fromEnv: undefined });
    const answer = findAnswer(reader, request, outside) ?? findInProject(reader, request, values.project, outside);
    return answer && rendered(answer[name], answer, values, outside);
  } catch {
    return undefined;
  }
}

function findAnswer(reader: Reader, request: KeptRequest, outside: FastPathContext): KeptAnswer | undefined {
  const { stateDir, home } = request;
  const kept = (reader.list(stateDir) ?? []).map((owner) => fingerprintPath(stateDir, owner));
  const answer = believed(kept, reader, request, outside);
  if (answer) return answer;
  const cache = cacheFolder({ ...outside, home, platform: platformFrom(outside.platform) });
  if (!isOwnCache(reader, cache, outside.userId)) return undefined;
  return believed(cachedFingerprints(reader, cache, stateDir, outside.hash), reader, request, outside);
}

function believed(
  paths: readonly string[],
  reader: Reader,
  request: KeptRequest,
  outside: FastPathContext,
): KeptAnswer | undefined {
  for (const path of paths) {
    const found = readFingerprint<KeptRequest, KeptAnswer>(reader, path, outside);
    if (!found?.observations || !sameRequest(found.request, request)) continue;
    return stillHold(found.observations, { ...outside, reader }) ? found.answer : undefined;
  }
  return undefined;
}

/** The same in the project that is named, or else around here. */
function findInProject(
  reader: Reader,
  request: KeptRequest,
  named: string | undefined,
  outside: FastPathContext,
): KeptAnswer | undefined {
  const { cwd, hash } = outside;
  const project = named === undefined ? findProject(reader, cwd, request.home) : resolve(cwd, named);
  if (project === undefined) return undefined;
  const stateDir = projectStateDir(reader, request.stateDir, project, hash);
  return findAnswer(reader, { ...request, stateDir, project }, outside);
}

function rendered(
  kept: KeptText,
  { json, strict }: KeptAnswer,
  values: ShortValues,
  outside: FastPathContext,
): { out: string; code: number } | undefined {
  const code = values.strict && !values["dry-run"] ? strict : 0;
  if (values.json) return json === undefined ? undefined : { out: json, code };
  if (values.quiet) return { out: "", code };
  const columns = outside.terminalColumns();
  // It was laid out for a usual terminal; a narrower one gets a text of its own, the long way.
  if (columns !== undefined && kept.plain.split("\n").some((line) => line.length > columns)) return undefined;
  const terminal = columns === undefined ? undefined : { columns };
  return { out: wantsColour(values, { env: outside.env, terminal }) ? kept.coloured : kept.plain, code };
}

/** Who has no HOME is rare enough to take the long way. */
function noSystem(): string {
  return "";
}
