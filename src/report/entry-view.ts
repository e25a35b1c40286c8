import type { Diagnostic } from "../core/diagnostic.ts";
import type { Reason } from "../core/entry.ts";
import { quoted } from "../core/messages.ts";
import type { PlanDocument, PlanEntry } from "../core/plan-document.ts";
import { equalValues, type Value } from "../core/value.ts";
import { diffLines } from "../text/diff-lines.ts";
import { TextLines } from "../text/lines.ts";
import { mergeText } from "../text/merge-text.ts";
import { printableLine } from "./colour.ts";
import { clashes, fieldChanges, lineCounts } from "./difference.ts";
import { maskText } from "./mask/text.ts";
import { counted, isQuietReason, type Occasion, type VerdictWords, verdictWords } from "./words.ts";

/**
 * What a person needs to know of one entry to decide about it. The terminal, the page, Markdown and agents only draw
 * this.
 */
export interface EntryView extends VerdictWords {
  readonly owner: string;
  readonly file: string;
  readonly key: string;
  /** What waits for a person, if anything does. */
  readonly waits?: Waiting | undefined;
  /** Of what waits: in which releases its owner set and changed it, and when. */
  readonly when?: string | undefined;
  readonly changes: readonly ChangeView[];
  /** Said below the entry: why it is blocked, that copies were taken out. */
  readonly notes: readonly string[];
  /** What can be answered, the usual answer first. */
  readonly answers: readonly Answer[];
  /** The command that changes the outcome, where that is no answer about this entry alone. */
  readonly hint?: string | undefined;
}

/** The largest uncertainty first: this is the order in which people are asked. */
export const waitings = ["conflict", "deleted", "obsolete", "edited"] as const;
export type Waiting = (typeof waitings)[number];

/** One field that differs (the whole value, where `field` is empty), with the sides that are to be compared. */
export interface ChangeView {
  readonly field: string;
  readonly sides: readonly Side[];
  /** For texts of many lines, which nobody compares in a report: how much changes. */
  readonly lines?: string | undefined;
}

export interface Side {
  readonly name: string;
  readonly value: Value | undefined;
  /** `old` becomes `new`; `yours`, `theirs` and `before` stand beside each other. */
  readonly role: "old" | "new" | "yours" | "theirs" | "before";
}

export type AnswerName = "mine" | "theirs" | "edit" | "hand-over" | "keep-out" | "adopt";

/** One thing that can be decided about an entry. */
export interface Answer {
  readonly name: AnswerName;
  readonly key: string;
  /** What a button or a line says. */
  readonly label: string;
  /** What it does, in a sentence without a verb of its own: "to …". */
  readonly effect: string;
  /** What happens now and later, in a sentence. */
  readonly means: string;
  readonly command: string;
}

export interface ViewOptions {
  readonly program: string;
  readonly occasion?: Occasion | undefined;
  /** How commands name the entry's file, where its key alone could mean an entry of another file. */
  readonly within?: string | undefined;
  readonly when?: ((entry: PlanEntry) => string | undefined) | undefined;
}

/** The keys that more than one file of a plan has: a server for five runtimes has the same in each. */
export function keysInSeveralFiles(entries: Iterable<Pick<PlanEntry, "key" | "file">>): ReadonlySet<string> {
  const files = new Map<string, string>();
  const shared = new Set<string>();
  for (const { key, file } of entries) {
    const known = files.get(key);
    if (known === undefined) files.set(key, file);
    else if (known !== file) shared.add(key);
  }
  return shared;
}

export function entryView(entry: PlanEntry, document: PlanDocument, options: ViewOptions): EntryView {
  const owner = printableLine(document.name);
  const waits = waitingOf(entry);
  return {
    ...wordsFor(entry, owner, options.occasion),
    owner: document.name,
    file: entry.file,
    key: entry.key,
    waits,
    when: waits === undefined ? undefined : options.when?.(entry),
    changes: changesOf(entry, owner),
    notes: notesOf(entry, document),
    answers: options.occasion === "uninstall" ? [] : answersFor(entry, owner, options),
    hint: entry.reason === "prune-off" ? `to remove it: ${options.program} apply without --no-prune` : undefined,
  };
}

/** Nothing happens to it, and nobody needs to hear of it on every run. Its values are masked only if they are read. */
export function isQuiet(entry: PlanEntry): boolean {
  const { verdict, reason } = entry;
  if (verdict === "unchanged" || verdict === "forget") return true;
  if (verdict !== "keep" || !isQuietReason(reason)) return false;
  return reason !== "user-owned" || equalValues(entry.actual, entry.desired);
}

export function waitingOf({
  verdict,
  reason,
}: Pick<PlanEntry, "verdict"> & { readonly reason?: Reason | undefined }): Waiting | undefined {
  if (verdict === "conflict") return "conflict";
  if (verdict === "restore") return "deleted";
  if (verdict !== "keep") return undefined;
  return reason === "user-modified" ? "edited" : reason === "obsolete-modified" ? "obsolete" : undefined;
}

function wordsFor(entry: PlanEntry, owner: string, occasion?: Occasion): VerdictWords {
  const { verdict, reason, actual, desired, others } = entry;
  const words = verdictWords(verdict, reason, owner, occasion);
  if (others !== undefined)
    return {
      ...words,
      word: printableLine(`needs you: ${owner} and ${others.join(", ")} differ; what is there stays`),
    };
  if (verdict === "keep" && reason === "disowned" && actual === undefined) return { ...words, word: "kept out" };
  if (verdict === "move" && hasEdits(entry)) return { ...words, word: `${words.word}, with your changes kept` };
  // Adopting records the owner's value, whatever is there: where that differs it is the user's edit.
  const edited = verdict === "adopt" && occasion === undefined && !equalValues(actual, desired);
  return edited ? { ...words, word: "now managed; your value stays" } : words;
}

function hasEdits({ base, desired, result }: PlanEntry): boolean {
  return base !== undefined && result !== undefined && !equalValues(result, desired);
}

function notesOf({ key, file }: PlanEntry, { diagnostics }: PlanDocument): string[] {
  const told = toldByKey(diagnostics).get(key) ?? [];
  return told
    .filter((each) => each.file === undefined || each.file === file)
    .map(({ message }) => printableLine(message));
}

const toldCodes: ReadonlySet<string> = new Set(["duplicate-removed", "blocked", "locked", "overwritten"]);
const byKey = new WeakMap<readonly Diagnostic[], Map<string, Diagnostic[]>>();

/** What is said below entries, looked up once a plan: each of ten thousand entries may have a diagnostic. */
function toldByKey(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const known = byKey.get(diagnostics);
  if (known !== undefined) return known;
  const told = new Map<string, Diagnostic[]>();
  for (const each of diagnostics) {
    if (each.key === undefined || !toldCodes.has(each.code)) continue;
    const others = told.get(each.key);
    if (others) others.push(each);
    else told.set(each.key, [each]);
  }
  byKey.set(diagnostics, told);
  return told;
}

function changesOf(entry: PlanEntry, owner: string): readonly ChangeView[] {
  switch (entry.verdict) {
    case "conflict":
      return entry.others === undefined
        ? conflictChanges(entry, owner)
        : besides(entry.actual, entry.desired, "there", `${owner}'s`);
    case "update":
    case "merge":
    case "move":
      return updateChanges(entry);
    case "keep":
      if (entry.reason === "obsolete-modified") return besides(entry.actual, entry.base, "yours", "before");
      return entry.reason === "user-modified" || entry.reason === "user-owned" ? keptChanges(entry, owner) : [];
    default:
      return [];
  }
}

/** What changes, field by field, in the user's file. */
function updateChanges({ actual, result }: PlanEntry): ChangeView[] {
  return fieldChanges(actual, result).map(({ path, before, after }) => {
    if (isLongText(before) && isLongText(after)) return linesChange(before, after);
    const sides = [
      { name: "", value: before, role: "old" },
      { name: "", value: after, role: "new" },
    ] as const;
    return { field: path.join("."), sides };
  });
}

function keptChanges({ actual, desired }: PlanEntry, owner: string): ChangeView[] {
  return desired === undefined ? [] : besides(actual, desired, "yours", `${owner}'s`);
}

/** Two values beside each other, field by field; longer texts only where their lines differ. */
function besides(yours: Value | undefined, other: Value | undefined, name: string, otherName: string): ChangeView[] {
  const role = otherName === "before" ? "before" : "theirs";
  return fieldChanges(yours, other)
    .flatMap(({ path, before, after }) => {
      const field = path.join(".");
      return isLongText(before) && isLongText(after) ? lineChanges(before, after) : [{ field, before, after }];
    })
    .map(({ field, before, after }) => ({
      field,
      sides: [
        { name, value: before, role: "yours" },
        { name: otherName, value: after, role },
      ],
    }));
}

function lineChanges(yours: string, other: string) {
  const [mine, theirs] = [new TextLines(yours), new TextLines(other)];
  return diffLines(yours, other).map(({ beforeStart, beforeEnd, afterStart, afterEnd }) => ({
    field: `line ${beforeStart + 1}`,
    before: beforeStart === beforeEnd ? undefined : mine.slice(beforeStart, beforeEnd),
    after: afterStart === afterEnd ? undefined : theirs.slice(afterStart, afterEnd),
  }));
}

function conflictChanges({ base, actual, desired }: PlanEntry, owner: string): ChangeView[] {
  const all = clashes(base, actual, desired).flatMap(({ path, ...sides }) => {
    const { base: before, yours, theirs } = sides;
    const texts = typeof before === "string" && typeof yours === "string" && typeof theirs === "string";
    return (texts ? textClashes(before, yours, theirs) : undefined) ?? [{ field: path.join("."), ...sides }];
  });
  return all.map(({ field, yours, theirs, base: before }) => ({
    field,
    sides: [
      { name: "yours", value: yours, role: "yours" },
      { name: `${owner}'s`, value: theirs, role: "theirs" },
      ...(before === undefined ? [] : [{ name: "before", value: before, role: "before" } as const]),
    ],
  }));
}

/** Of a longer text only the parts that both changed, by the line where they begin in the user's. */
function textClashes(base: string, actual: string, desired: string) {
  if (![base, actual, desired].some((text) => text.includes("\n"))) return undefined;
  const merged = mergeText(base, actual, desired);
  if (merged.kind === "merged") return [];
  return merged.regions.map((region) => ({
    field: `line ${region.line}`,
    base: region.base,
    yours: region.ours,
    theirs: region.theirs,
  }));
}

function linesChange(before: string, after: string): ChangeView {
  const { added, removed } = lineCounts(before, after);
  return {
    field: "",
    sides: [],
    lines: `${counted(added, "line", "lines")} added, ${removed} removed; see them with --diff`,
  };
}

function isLongText(value: Value | undefined): value is string {
  return typeof value === "string" && value.includes("\n");
}

/** What can be decided about an entry, by what became of it. */
function answersFor(entry: PlanEntry, owner: string, { program, occasion, within }: ViewOptions): readonly Answer[] {
  if (occasion === "rollback" && entry.verdict !== "conflict") return [];
  const part = printableLine(typedPart(entry.key));
  const key = quoted(within === undefined ? part : `${within}#${part}`);
  const only = entry.reason === "owners-differ" ? ` --owner ${quoted(owner)}` : "";
  const resolve = (side: string) => `${program} resolve ${key}${only} --${side}`;
  const mine: Answer = {
    name: "mine",
    key: "m",
    label: "Keep mine",
    effect: "to keep yours",
    means: `your value stays; you are asked again only when ${owner} changes its own`,
    command: resolve("mine"),
  };
  const theirs: Answer = {
    name: "theirs",
    key: "t",
    label: `Take ${owner}'s`,
    effect: `to take ${owner}'s instead`,
    means: `${owner}'s value replaces yours, and ${owner} keeps it current`,
    command: resolve("theirs"),
  };
  const handOver: Answer = {
    name: "hand-over",
    key: "h",
    label: "Make it mine for good",
    effect: "to keep it for good",
    means: `your value stays, and ${owner} never touches it again`,
    command: `${program} disown ${key}`,
  };
  const keepOut: Answer = {
    ...handOver,
    name: "keep-out",
    key: "o",
    label: "Keep it out",
    effect: "to keep it out",
    means: `it stays away, whatever ${owner} ships`,
  };
  const adopt = (effect: string): Answer => ({
    name: "adopt",
    key: "a",
    label: `Let ${owner} manage it`,
    effect,
    means: `${owner} keeps it current from now on`,
    command: `${program} adopt ${key}`,
  });
  const edit: Answer = {
    name: "edit",
    key: "e",
    label: "Edit",
    effect: "to write it yourself",
    means: "your editor opens on it, and what you save counts as your edit",
    command: resolve("edit"),
  };
  switch (entry.verdict) {
    case "restore":
      return [
        keepOut,
        { ...theirs, label: "Put it back", effect: "to put it back", means: `it is put back as ${owner} has it` },
      ];
    case "conflict":
      return entry.reason === "ambiguous" ? [mine, theirs, handOver] : [mine, theirs, edit, handOver];
    case "keep":
      break;
    default:
      return [];
  }
  switch (entry.reason) {
    case "user-modified":
      return [theirs, mine, edit, handOver];
    case "create-only":
      return [theirs];
    case "user-owned":
      return [adopt(`to let ${owner} manage it`)];
    case "user-deleted":
      return [adopt("to put it back")];
    case "disowned":
      return [adopt(`to let ${owner} manage it again`)];
    case "obsolete-modified":
      return [
        handOver,
        { ...theirs, label: "Remove it", effect: "to remove it", means: "it goes; the history keeps what you had" },
      ];
    default:
      return [];
  }
}

const keysInOrder = "omteha";

/** Always the same order where somebody chooses: hands learn where a key is. */
export function toChooseFrom(answers: readonly Answer[]): Answer[] {
  return [...answers].sort((a, b) => keysInOrder.indexOf(a.key) - keysInOrder.indexOf(b.key));
}

/** A command takes an unambiguous part of a key: of a masked one, the longest that is really there. */
function typedPart(key: string): string {
  return key.split(maskText).reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}
