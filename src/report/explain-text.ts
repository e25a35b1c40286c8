import type { Reason, Verdict } from "../core/entry.ts";
import type { Value } from "../core/value.ts";
import { type Paint, printableLine } from "./colour.ts";
import { maskKey, maskValue, secretPart } from "./mask.ts";
import { maskInText } from "./mask-text.ts";
import { brief, tilde } from "./values.ts";
import { verdictWords } from "./verdict-words.ts";

/** What the report draws; the files domain's `Explanation` has this shape. */
interface Explained {
  readonly owner: string;
  readonly version: string;
  readonly file: string;
  readonly key: string;
  readonly type: string;
  readonly wanted?: Value | undefined;
  readonly recorded?: RecordedText | undefined;
  readonly actual?: Value | undefined;
  readonly verdict: Verdict;
  readonly reason?: Reason | undefined;
  readonly messages: readonly string[];
  readonly rule?: { readonly at: string; readonly key: readonly (string | readonly string[])[] } | undefined;
  readonly rulings: readonly {
    readonly property: string;
    readonly value: Value;
    readonly from: string;
    readonly match?: string | undefined;
  }[];
  readonly others: readonly string[];
  readonly history: readonly Changed[];
}

interface RecordedText {
  readonly value: Value;
  readonly state: string;
  readonly added_in_version: string;
  readonly last_updated_in_version: string;
}

interface Changed {
  readonly time: string;
  readonly version: string;
  readonly note: string;
  readonly change: string;
  readonly value?: Value | undefined;
}

export function explainText(explained: Explained, paint: Paint, home: string): string {
  const { owner, version, recorded, verdict, reason } = explained;
  const { sign, colour, word } = verdictWords(verdict, reason);
  const row = (label: string, text: string) => `  ${paint.dim(label.padEnd(9))} ${text}`;
  const lines = [
    `${paint.bold(printableLine(explained.key))}  ${paint.dim(tilde(explained.file, home))}`,
    row(
      "owner",
      `${printableLine(owner)} ${printableLine(version)}${explained.others.length > 0 ? `; also ${explained.others.join(", ")}` : ""}`,
    ),
    row("template", brief(explained.wanted)),
    row("recorded", recorded ? `${brief(recorded.value)}  ${paint.dim(recordedNote(recorded))}` : "nothing"),
    row("actual", brief(explained.actual)),
    row("verdict", `${paint[colour](sign)} ${word}`),
    ...explained.messages.map((message) => row("", printableLine(message))),
    row("rule", ruleText(explained)),
    ...explained.rulings.filter(({ from }) => from !== "default").map((ruling) => row("policy", rulingText(ruling))),
    ...(explained.history.length > 0 ? [row("history", "")] : []),
    ...explained.history.map((change) => changeText(change, paint)),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

function recordedNote({ state, added_in_version: added, last_updated_in_version: updated }: RecordedText): string {
  const since = added === updated ? `since ${added}` : `since ${added}, last changed in ${updated}`;
  return state === "managed" ? since : `${since}; ${state === "deleted" ? "stays out" : "handed over to you"}`;
}

function ruleText({ rule, type }: Explained): string {
  if (rule === undefined)
    return type === "setting" ? "a setting: known by its path in the file" : `${type}: the text as a whole, line by line`;
  const parts = rule.key.map((part) => (typeof part === "string" ? part : part.join(" or ")));
  return printableLine(`${type}: ${rule.at}, told apart by ${parts.join(" and ")}`);
}

function rulingText({ property, value, from, match }: Explained["rulings"][number]): string {
  return printableLine(`${property}: ${typeof value === "string" ? value : JSON.stringify(value)}  (${from}, for ${match ?? "*"})`);
}

const changeWords: Readonly<Record<string, string>> = {
  added: "added",
  updated: "changed to",
  removed: "taken off the record",
  "handed-over": "handed over to you",
  "left-out": "left out for good, as you deleted it",
  "taken-back": "taken under management",
  waiting: "a new wish waits",
  unreadable: "this part of the history can't be read",
};

function changeText({ time, version, note, change, value }: Changed, paint: Paint): string {
  const shown = value !== undefined && (change === "added" || change === "updated" || change === "waiting") ? `  ${brief(value)}` : "";
  return `    ${paint.dim(time.slice(0, 19).replace("T", " "))}  ${printableLine(version).padEnd(8)} ${note.padEnd(9)} ${changeWords[change]}${shown}`;
}

/** An explanation as reports may show it. */
export function maskExplanation<E extends Explained>(explained: E): E {
  const name = secretPart(explained.key);
  const masked = (value: Value | undefined) => (value === undefined ? undefined : maskValue(value, name));
  return {
    ...explained,
    key: maskKey(explained.key),
    wanted: masked(explained.wanted),
    recorded: explained.recorded && { ...explained.recorded, value: maskValue(explained.recorded.value, name) },
    actual: masked(explained.actual),
    messages: explained.messages.map((message) => message.split(explained.key).map(maskInText).join(maskKey(explained.key))),
    history: explained.history.map((change) => ({ ...change, value: masked(change.value) })),
  };
}
