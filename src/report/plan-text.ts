import type { Verdict } from "../core/entry.ts";
import type { PlanDocument, PlanEntry } from "../core/plan-document.ts";
import { canonicalText, equalValues, isMap, type Value } from "../core/value.ts";
import { type Paint, printable } from "./colour.ts";

export interface PlanTextOptions {
  readonly paint: Paint;
  /** Also what stays as it is. */
  readonly verbose: boolean;
  /** Show the bytes that change. */
  readonly diff: boolean;
  /** `apply`: it is done; `plan`: it would be. */
  readonly tense: "plan" | "apply";
  readonly program: string;
  readonly home: string;
}

/** A plan for people: by file, a sign and a reason for each entry, the command that changes the outcome, one line at the end. */
export function planText(document: PlanDocument, options: PlanTextOptions): string {
  const { paint } = options;
  const version =
    document.from === null || document.from === document.version ? document.version : `${document.from} → ${document.version}`;
  const blocks: string[] = [`${paint.bold(document.name)} ${version}`];
  for (const file of document.files) {
    const shown = document.entries.filter((entry) => entry.file === file.path && (options.verbose || !isQuiet(entry)));
    if (shown.length === 0 && file.action === "none") continue;
    const note = file.action === "none" ? "" : paint.dim(`  (${fileNote[file.action]})`);
    const lines = [
      `${paint.bold(tilde(file.path, options.home))}${note}`,
      ...shown.flatMap((entry) => entryLines(entry, document, options)),
    ];
    if (options.diff && file.diff !== "") lines.push(...diffLines(file.diff, paint));
    blocks.push(lines.join("\n"));
  }
  const loose = document.diagnostics.filter((each) => each.key === undefined);
  if (loose.length > 0) blocks.push(loose.map((each) => `${severitySign(each.severity, paint)} ${printable(each.message)}`).join("\n"));
  blocks.push(summaryLine(document, options));
  return `${blocks.join("\n\n")}\n`;
}

const fileNote = { create: "new file", modify: "changed", delete: "file goes" } as const;

/** Nothing happens, and nobody needs to know. */
function isQuiet(entry: PlanEntry): boolean {
  return (
    entry.verdict === "unchanged" ||
    entry.verdict === "forget" ||
    (entry.verdict === "keep" && (entry.reason === "disowned" || entry.reason === "user-deleted"))
  );
}

const signs: Readonly<Record<Verdict, { readonly sign: string; readonly colour: keyof Paint; readonly word: string }>> = {
  create: { sign: "+", colour: "green", word: "added" },
  update: { sign: "~", colour: "yellow", word: "updated" },
  merge: { sign: "~", colour: "yellow", word: "merged with your changes" },
  restore: { sign: "+", colour: "magenta", word: "put back: it had been deleted" },
  remove: { sign: "-", colour: "red", word: "removed: no longer needed" },
  dedupe: { sign: "-", colour: "red", word: "doubled; the copies go" },
  move: { sign: ">", colour: "cyan", word: "renamed" },
  keep: { sign: "=", colour: "blue", word: "kept" },
  conflict: { sign: "!", colour: "red", word: "conflict: yours stands" },
  adopt: { sign: "=", colour: "green", word: "already as wanted; now kept current" },
  forget: { sign: "·", colour: "dim", word: "gone already; forgotten" },
  unchanged: { sign: "·", colour: "dim", word: "up to date" },
};

const keptBecause: Readonly<Record<string, string>> = {
  "user-modified": "kept: you changed it",
  "user-owned": "kept: it was there before, so it is yours",
  "user-deleted": "stays out: you deleted it",
  "obsolete-modified": "kept: no longer needed, but you changed it; remove it yourself if you agree",
  disowned: "kept: handed over to you",
  "prune-off": "kept: no longer needed, but --no-prune",
  held: "held back: this version was rolled back from",
  "create-only": "kept: written once, then yours",
  locked: "kept: can't be edited safely",
  blocked: "not added: something else is in the way",
  ambiguous: "conflict: gone, and several entries could be what became of it",
  "owners-differ": "conflict: two owners want different things; what is there stands",
};

function entryLines(entry: PlanEntry, document: PlanDocument, options: PlanTextOptions): string[] {
  const { paint } = options;
  const { sign, colour, word } = signs[entry.verdict];
  const why = (entry.reason && keptBecause[entry.reason]) ?? word;
  const lines = [`  ${paint[colour](sign)} ${printable(entry.key)}  ${paint.dim(why)}`];
  if (entry.verdict === "conflict") lines.push(...conflictLines(entry, paint));
  else if (entry.verdict === "update" || entry.verdict === "merge" || entry.verdict === "move") lines.push(...changeLines(entry, paint));
  const hint = hintFor(entry, options.program, document);
  if (hint) lines.push(`      ${paint.dim(hint)}`);
  return lines;
}

/** The command that changes the outcome. */
function hintFor(entry: PlanEntry, program: string, document: PlanDocument): string | undefined {
  const key = /^[A-Za-z0-9_@%+=:,./-]+$/.test(entry.key) ? entry.key : `'${printable(entry.key).replaceAll("'", "'\\''")}'`;
  if (entry.verdict === "restore") return `keep it out: ${program} disown ${key}`;
  if (entry.verdict === "conflict") return `settle it: ${program} resolve ${key} --mine | --theirs`;
  if (entry.verdict !== "keep") return undefined;
  if (entry.reason === "user-owned") return `let ${document.name} keep it current: ${program} adopt ${key}`;
  if (entry.reason === "user-modified") return `take ${document.name}'s: ${program} resolve ${key} --theirs`;
  return undefined;
}

/** What changes, field by field, in the user's file. */
function changeLines(entry: PlanEntry, paint: Paint): string[] {
  return fieldChanges(entry.actual, entry.result, "").map(
    ({ name, before, after }) =>
      `      ${name === "" ? "" : `${printable(name)}: `}${paint.red(brief(before))} → ${paint.green(brief(after))}`,
  );
}

function conflictLines(entry: PlanEntry, paint: Paint): string[] {
  const names = new Set(
    [...fieldChanges(entry.base, entry.actual, ""), ...fieldChanges(entry.base, entry.desired, "")].map((change) => change.name),
  );
  const at = (value: Value | undefined, name: string) =>
    name === "" ? value : name.split(".").reduce<Value | undefined>((v, n) => (isMap(v) ? v[n] : undefined), value);
  return [...names].flatMap((name) => {
    const [base, actual, desired] = [at(entry.base, name), at(entry.actual, name), at(entry.desired, name)];
    if (equalValues(actual, desired) || equalValues(base, actual) || equalValues(base, desired)) return [];
    const label = name === "" ? "" : `${printable(name)}  `;
    return [`      ${label}yours ${paint.green(brief(actual))}   theirs ${paint.yellow(brief(desired))}   was ${paint.dim(brief(base))}`];
  });
}

interface FieldChange {
  readonly name: string;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

function fieldChanges(before: Value | undefined, after: Value | undefined, name: string): FieldChange[] {
  if (equalValues(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ name, before, after }];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((each) =>
    fieldChanges(before[each], after[each], name === "" ? each : `${name}.${each}`),
  );
}

/** A value in a few words of one line. */
export function brief(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? JSON.stringify(value) : canonicalText(value);
  return printable(text.length > 72 ? `${text.slice(0, 69)}…` : text);
}

function diffLines(diff: string, paint: Paint): string[] {
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map(
      (line) =>
        `    ${line.startsWith("+") ? paint.green(printable(line)) : line.startsWith("-") ? paint.red(printable(line)) : line.startsWith("@@") ? paint.cyan(line) : printable(line)}`,
    );
}

function summaryLine(document: PlanDocument, { paint, tense }: PlanTextOptions): string {
  const counts = Object.entries(document.summary).map(([verdict, count]) => `${count} ${verdict}`);
  const done = tense === "apply" ? "changed" : "to change";
  if (document.changed === 0) return `${paint.green("Nothing to change.")} ${paint.dim(counts.join(", "))}`;
  return `${paint.bold(`${document.changed} ${document.changed === 1 ? "entry" : "entries"} ${done}.`)} ${paint.dim(counts.join(", "))}`;
}

function severitySign(severity: string, paint: Paint): string {
  return severity === "error" ? paint.red("error:") : severity === "warning" ? paint.yellow("warning:") : paint.dim("note:");
}

/** A path as a person would say it. */
export function tilde(path: string, home: string): string {
  return printable(path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
}
