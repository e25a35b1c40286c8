import { diskReader } from "../../store/gate/disk-reader.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { fingerprintPath, readFingerprint } from "../../store/replay/fingerprint.ts";
import { type Hash, stillHold } from "../../store/replay/observations.ts";
import { wantsColour } from "../shell/common-options.ts";
import type { Io } from "../shell/io.ts";
import { locationsOf } from "../shell/locations.ts";
import { readArguments, type ShortValues } from "./arguments.ts";
import { type KeptAnswer, type KeptRequest, keptRequest, sameRequest } from "./kept-answer.ts";

/** What the fast path needs of the outside. It reads and prints, and knows nothing else. */
export interface ShortWay extends Pick<Io, "env" | "cwd" | "platform"> {
  readonly build: string;
  readonly userId: number | undefined;
  readonly hash: Hash;
  isTerminal(): boolean;
}

/**
 * `plan` and `apply` where everything is as the last run that changed something left it: what they would print, and the
 * exit code. Undefined wherever that is not certain, whatever the reason: the long way is the only authority, for
 * mistakes too.
 */
export function answerUnchanged(
  argv: readonly string[],
  outside: ShortWay,
): { readonly out: string; readonly code: number } | undefined {
  try {
    const [name, ...args] = argv;
    if (name !== "plan" && name !== "apply") return undefined;
    const given = readArguments(args, name);
    if (given === undefined) return undefined;
    const { values, argument } = given;
    const reader = diskReader();
    const request = keptRequest(reader, argument, {
      ...outside,
      ...locationsOf(values, outside, noSystem),
      set: values.set,
      fromEnv: undefined,
    });
    const answer = findAnswer(reader, request, outside);
    return answer && rendered(answer, values, outside);
  } catch {
    return undefined;
  }
}

function findAnswer(reader: Reader, request: KeptRequest, outside: ShortWay): KeptAnswer | undefined {
  for (const owner of reader.list(request.stateDir) ?? []) {
    const found = readFingerprint<KeptRequest, KeptAnswer>(reader, fingerprintPath(request.stateDir, owner), outside);
    if (found && sameRequest(found.request, request))
      return stillHold(found.observations, { ...outside, reader }) ? found.answer : undefined;
  }
  return undefined;
}

function rendered(
  answer: KeptAnswer,
  values: ShortValues,
  outside: ShortWay,
): { out: string; code: number } | undefined {
  const code = values.strict && !values["dry-run"] ? answer.strict : 0;
  if (values.json) return answer.json === undefined ? undefined : { out: answer.json, code };
  if (values.quiet) return { out: "", code };
  const terminal = outside.isTerminal() ? { columns: 0 } : undefined;
  return { out: wantsColour(values, { env: outside.env, terminal }) ? answer.coloured : answer.text, code };
}

/** Who has no HOME is rare enough to take the long way. */
function noSystem(): string {
  return "";
}
