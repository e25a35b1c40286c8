import type { Reason, Verdict } from "../core/entry.ts";
import { equalValues, type Value } from "../core/value.ts";
import { type NormaliserName, normaliserNames, type PartText, type Rule } from "../identity/rules/rule.ts";
import { type Paint, printableLine } from "./colour.ts";
import { cutAround, fieldChanges, inOneLine, valueAt } from "./difference.ts";
import type { Side } from "./entry-view.ts";
import { fitted, usualColumns } from "./fit.ts";
import { maskKey, maskText, maskValue, secretPart } from "./mask/mask.ts";
import { maskInText } from "./mask/text.ts";
import { changeLines } from "./plan-text.ts";
import { brief, moment, tilde, verdictWords } from "./words.ts";

/** All there is to know of one entry, seen from one owner. */
export interface Explanation {
  readonly owner: string;
  readonly version: string;
  readonly file: string;
  readonly key: string;
  readonly type: string;
  /** What the owner's template says. */
  readonly wanted?: Value | undefined;
  readonly recorded?: RecordedValue | undefined;
  /** It holds a secret that came from the environment. */
  readonly secret?: true;
  readonly actual?: Value | undefined;
  readonly verdict: Verdict;
  readonly reason?: Reason | undefined;
  /** In words, with what to do about it, where there is something to say. */
  readonly messages: readonly string[];
  /** How entries of this type are told apart; undefined for settings, which go by their path. */
  readonly rule?: Rule | undefined;
  readonly rulings: readonly Ruling[];
  /** Who else has it on record. */
  readonly others: readonly string[];
  readonly history: readonly EntryChange[];
}

export interface RecordedValue {
  readonly value: Value;
  readonly state: "managed" | "disowned" | "deleted";
  readonly added_in_version: string;
  readonly last_updated_in_version: string;
}

/** One property of the policies that hold for an entry, and who says so. */
export interface Ruling {
  readonly property: "when-deleted" | "when-edited" | "when-present" | "ignore" | "create-only";
  readonly value: Value;
  readonly from: "your policy" | "the pack or its profile" | "default";
  readonly match?: string | undefined;
}

/** One change of what an owner records of an entry. */
export interface EntryChange {
  readonly generation: number;
  /** ISO 8601. */
  readonly time: string;
  readonly version: string;
  /** What was run: apply, resolve, rollback, … */
  readonly note: string;
  readonly change:
    | "added"
    | "updated"
    | "removed"
    | "handed-over"
    | "left-out"
    | "taken-back"
    | "waiting"
    | "unreadable";
  readonly value?: Value | undefined;
}

export interface ExplainOptions {
  readonly paint: Paint;
  readonly home: string;
  readonly columns?: number | undefined;
  readonly program?: string | undefined;
}

export function explainText(explained: Explanation, options: ExplainOptions): string {
  const { paint, home, columns = usualColumns, program } = options;
  const { owner, version, recorded, verdict, reason } = explained;
  const { sign, colour, word } = verdictWords(verdict, reason, printableLine(owner));
  // A label that is painted is no longer blank, and lines would be broken below another column.
  const row = (label: string, text: string) => `  ${label === "" ? "".padEnd(9) : paint.dim(label.padEnd(9))} ${text}`;
  const lines = [
    `${paint.bold(printableLine(explained.key))}  ${paint.dim(tilde(explained.file, home))}`,
    row(
      "owner",
      `${printableLine(owner)} ${printableLine(version)}${explained.others.length > 0 ? `; also ${explained.others.join(", ")}` : ""}`,
    ),
    row("state", `${paint[colour](sign)} ${word}`),
    ...explained.messages.map((message) => row("", printableLine(message))),
    ...valueLines(explained, paint, columns - 12).map((line, i) => row(i === 0 ? "values" : "", line)),
    ...(recorded ? [row("recorded", paint.dim(recordedNote(recorded)))] : []),
    row("rule", ruleText(explained)),
    ...rulingsShown(explained).map((ruling) => row("policy", rulingText(ruling))),
    ...(explained.history.length > 0 ? [row("history", "")] : []),
    ...explained.history.map((change, i) => changeText(change, explained.history[i - 1], explained, paint)),
  ];
  return fitted(`${lines.map((line) => line.trimEnd()).join("\n")}\n`, columns, program);
}

/** The three sides, field by field where they are maps: only what differs, and one line where nothing does. */
function valueLines({ owner, wanted, recorded, actual }: Explanation, paint: Paint, room: number): string[] {
  const sides = [actual, wanted, recorded?.value];
  const present = sides.filter((side) => side !== undefined);
  const equal = present.every((side) => equalValues(side, present[0]));
  const missing = [
    actual === undefined ? "not in your file" : "",
    wanted === undefined ? `no longer in ${printableLine(owner)}'s template` : "",
  ].filter(Boolean);
  if (equal)
    return [`${brief(present[0], room)}${missing.length > 0 ? `  ${paint.dim(`(${missing.join(", ")})`)}` : ""}`];
  const paths = [...fieldChanges(actual, wanted), ...fieldChanges(actual, recorded?.value)].map(({ path }) => path);
  const distinct = [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
  return distinct.flatMap((path) => {
    const [yours, theirs, before] = sides.map((side) => valueAt(side, path));
    const compared: Side[] = [
      { name: "yours", value: yours, role: "yours" },
      { name: `${printableLine(owner)}'s`, value: theirs, role: "theirs" },
    ];
    if (!equalValues(before, theirs)) compared.push({ name: "before", value: before, role: "before" });
    return changeLines({ field: path.join("."), sides: compared }, paint, room);
  });
}

function recordedNote({ state, added_in_version: added, last_updated_in_version: updated }: RecordedValue): string {
  const since = added === updated ? `since ${added}` : `since ${added}, last changed in ${updated}`;
  return state === "managed" ? since : `${since}; ${state === "deleted" ? "kept out" : "yours for good"}`;
}

function ruleText({ rule, type }: Explanation): string {
  if (rule === undefined)
    return type === "setting"
      ? "a setting: known by its path in the file"
      : `${type}: the text as a whole, line by line`;
  return printableLine(`${type}: each of ${rule.at}, told apart by ${rule.key.map(partText).join(" and ")}`);
}

/** In which way a part of a key is read, where that is not letter by letter. */
const readAs: Readonly<Record<NormaliserName, string>> = {
  path: "as a path",
  command: "as a command",
  script: "by the script it runs",
  matcher: "as a matcher",
  package: "without its version",
};

function partText(part: PartText): string {
  if (typeof part !== "string") return part.map(partText).join(" or ");
  if (part.endsWith("?")) return `${partText(part.slice(0, -1))} where it is set`;
  const [field = "", name] = part.split("|");
  const known = normaliserNames.find((each) => each === name);
  return known === undefined ? field : `${field} (${readAs[known]})`;
}

/** What somebody asked for, and what gave this verdict even if nobody did. */
function rulingsShown({ rulings, verdict, reason }: Explanation): readonly Ruling[] {
  const decisive = decisiveProperty(verdict, reason);
  return rulings.filter(({ from, property }) => from !== "default" || property === decisive);
}

function decisiveProperty(verdict: Verdict, reason: Reason | undefined): Ruling["property"] | undefined {
  if (verdict === "restore" || reason === "user-deleted") return "when-deleted";
  if (verdict === "merge" || reason === "user-modified" || reason === "both-changed") return "when-edited";
  if (reason === "user-owned") return "when-present";
  return reason === "create-only" ? "create-only" : undefined;
}

function rulingText({ property, value, from, match }: Ruling): string {
  const who = from === "default" ? from : `${from}, for ${match ?? "*"}`;
  return printableLine(`${property}: ${typeof value === "string" ? value : JSON.stringify(value)}  (${who})`);
}

const changeWords: Readonly<Record<EntryChange["change"], string>> = {
  added: "added",
  updated: "changed to",
  removed: "no longer managed",
  "handed-over": "made yours for good",
  "left-out": "kept out, as you deleted it",
  "taken-back": "managed again",
  waiting: "wants another value; yours stays",
  unreadable: "this part of the history can't be read",
};

/** A value that is too long is cut around where it differs from the one before: its beginning is often the same. */
function changeText(
  { time, version, note, change, value }: EntryChange,
  last: EntryChange | undefined,
  { owner }: Explanation,
  paint: Paint,
): string {
  const settled = change === "updated" && (note === "resolve" || note === "review");
  const who = printableLine(owner);
  const word = settled
    ? `settled; ${who}'s was`
    : change === "waiting"
      ? `${who} ${changeWords.waiting}`
      : changeWords[change];
  const shown = value !== undefined && (change === "added" || change === "updated" || change === "waiting");
  const text = shown ? `  ${differing(value, last?.value)}` : "";
  return `    ${paint.dim(moment(time))}  ${printableLine(version).padEnd(8)} ${note.padEnd(9)} ${word}${text}`;
}

function differing(value: Value, before: Value | undefined): string {
  if (before === undefined) return brief(value);
  const [cut] = cutAround([inOneLine(value), inOneLine(before)], 72);
  return `${cut!.left}${cut!.middle}${cut!.right}`;
}

/** An explanation as reports may show it. */
export function maskExplanation(explained: Explanation): Explanation {
  const name = secretPart(explained.key);
  const hide = (value: Value) => (explained.secret ? maskText : maskValue(value, name));
  const masked = (value: Value | undefined) => (value === undefined ? undefined : hide(value));
  return {
    ...explained,
    key: maskKey(explained.key),
    wanted: masked(explained.wanted),
    recorded: explained.recorded && { ...explained.recorded, value: hide(explained.recorded.value) },
    actual: masked(explained.actual),
    messages: explained.messages.map((message) =>
      message.split(explained.key).map(maskInText).join(maskKey(explained.key)),
    ),
    history: explained.history.map((change) => ({ ...change, value: masked(change.value) })),
  };
}
