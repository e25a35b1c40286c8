import { parseArgs } from "node:util";
import { diskReader } from "../store/disk-reader.ts";
import { fingerprintPath, readFingerprint } from "../store/fingerprint.ts";
import type { Reader } from "../store/gate.ts";
import { stillHold } from "../store/observations.ts";
import { type CommonValues, commonOptions, type OptionTable, wantsColour } from "./common-options.ts";
import type { Io } from "./io.ts";
import { locationsOf } from "./locations.ts";
import { applyOptions, planOptions } from "./plan-options.ts";
import { type StandingAnswer, type StandingRequest, sameRequest, standingRequest } from "./standing-answer.ts";

/** What the short way needs of the outside. It reads and prints, and knows nothing else. */
export interface ShortWay extends Pick<Io, "env" | "cwd" | "platform"> {
  readonly build: string;
  readonly userId: number | undefined;
  isTerminal(): boolean;
}

/** What the options may say here. Any other, also one that is added some day, takes the long way. */
const understood: ReadonlySet<string> = new Set([
  ...["json", "home", "state-dir", "set", "no-color", "quiet"],
  ...["diff", "exit-code", "dry-run", "strict"],
]);

interface Values extends CommonValues {
  readonly "dry-run"?: boolean;
  readonly strict?: boolean;
}

/**
 * `plan` and `apply` where everything is as the last run that changed something left it: what they would print, and the exit code.
 * Undefined wherever that is not certain, whatever the reason: the long way is the only authority, for mistakes too.
 */
export function answerUnchanged(argv: readonly string[], outside: ShortWay): { readonly out: string; readonly code: number } | undefined {
  try {
    const [name, ...args] = argv;
    if (name !== "plan" && name !== "apply") return undefined;
    const options: OptionTable = { ...commonOptions, ...(name === "plan" ? planOptions : applyOptions) };
    const { values: given, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    if (positionals.length > 1 || args.includes("-h") || Object.keys(given).some((option) => !understood.has(option))) return undefined;
    const values = given as Values;
    const reader = diskReader();
    const request = standingRequest(reader, positionals[0], { ...outside, ...locationsOf(values, outside), set: values.set });
    const answer = findAnswer(reader, request, outside);
    return answer && rendered(answer, values, outside);
  } catch {
    return undefined;
  }
}

function findAnswer(reader: Reader, request: StandingRequest, outside: ShortWay): StandingAnswer | undefined {
  for (const owner of reader.list(request.stateDir) ?? []) {
    const found = readFingerprint<StandingRequest, StandingAnswer>(reader, fingerprintPath(request.stateDir, owner), outside);
    if (found && sameRequest(found.request, request)) return stillHold(found.observations, reader, outside.env) ? found.answer : undefined;
  }
  return undefined;
}

function rendered(answer: StandingAnswer, values: Values, outside: ShortWay): { out: string; code: number } | undefined {
  const code = values.strict && !values["dry-run"] ? answer.strict : 0;
  if (values.json) return answer.json === undefined ? undefined : { out: answer.json, code };
  if (values.quiet) return { out: "", code };
  const terminal = outside.isTerminal() ? { columns: 0 } : undefined;
  return { out: wantsColour(values, { env: outside.env, terminal }) ? answer.coloured : answer.text, code };
}
