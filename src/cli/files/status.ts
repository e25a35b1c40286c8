import { type Diagnostic, InputError, renderDiagnostic } from "../../core/diagnostic.ts";
import { groupBy, pushAll } from "../../core/lists.ts";
import type { PlanDocument, PlanEntry } from "../../core/plan-document.ts";
import { changesAnything, type OwnerPlan } from "../../engine/plan-owner.ts";
import { ownersOf } from "../../engine/records.ts";
import { unknownOwner } from "../../files/places/find-entries.ts";
import { allInstances } from "../../files/project.ts";
import { statusOf } from "../../files/status.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { entryView, waitingOf } from "../../report/entry-view.ts";
import { usualColumns } from "../../report/fit.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { changeLines, someChanges } from "../../report/plan-text.ts";
import { counted, speltIn, tilde, tildeInText } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { columnsOf, complain, type Io, tell } from "../shell/io.ts";
import { type CommonValues, machineOf, wantsColour } from "../shell/options.ts";
import { instancesOf, nothingInstalled } from "./instances.ts";

export const command = defineCommand({
  name: "status",
  usage: "[NAME]",
  argument: "owner",
  most: 1,
  about:
    "Shows every owner with its files and entries: what is current, what you edited, and what needs you. Does not need the pack.",
  options: {
    all: { type: "boolean", help: "include every project on this machine" },
    "exit-code": { type: "boolean", help: "exit 2 if applying the installed version again would change something" },
  },
  example: "stet status zylos",
  async run({ values, positionals }, io) {
    const plans = await showStatus(positionals[0], values, io, { everywhere: values.all });
    if (plans.some(({ document }) => errorsIn(document).length > 0)) return 1;
    return values["exit-code"] && plans.some(changesAnything) ? 2 : 0;
  },
});

/** How everything installed stands, or one owner's part of it, as the options want it printed. */
export async function showStatus(
  name: string | undefined,
  values: CommonValues,
  io: Io,
  {
    everywhere = false,
    suggest = false,
  }: { readonly everywhere?: boolean | undefined; readonly suggest?: boolean } = {},
): Promise<OwnerPlan[]> {
  const machine = machineOf(values, io);
  const instances = everywhere ? allInstances(machine, instancesOf(values, io)) : instancesOf(values, io);
  const plans: OwnerPlan[] = [];
  const projects: (string | undefined)[] = [];
  const errors: Diagnostic[] = [];
  for (const each of instances) {
    try {
      if (name === undefined || ownersOf(each).includes(name)) plans.push(...(await statusOf(each, name)));
      while (projects.length < plans.length) projects.push(each.project?.root);
    } catch (error) {
      // A project whose records can't be read hides no other.
      if (!everywhere || !(error instanceof InputError)) throw error;
      errors.push(...error.diagnostics);
    }
  }
  if (plans.length === 0 && name !== undefined) throw unknownOwner(name, machine, instances);
  const shown = plans.map(({ document }) => (values["show-secrets"] ? document : maskPlan(document)));
  if (values.json) {
    const owners = shown.map((document) => ({ ...document, glance: glanceOf(document) }));
    const diagnostics = errors.length > 0 ? { diagnostics: errors } : {};
    io.out(`${jsonText({ format_version: 1, owners, ...diagnostics })}\n`);
  } else if (!values.quiet) {
    const colours = paint(wantsColour(values, io));
    const options = { home: machine.home, paint: colours, verbose: values.verbose, program: io.program };
    const texts = shown.map((document, i) =>
      statusText(document, { ...options, project: projects[i], columns: columnsOf(io) }),
    );
    const next = nextSteps(shown, io.program, suggest).map((line) => colours.dim(`${line}\n`));
    if (next.length > 0) texts.push(next.join(""));
    if (texts.length > 0) tell(io, texts.join("\n"));
    else if (errors.length === 0) tell(io, `${nothingInstalled(io.program)}\n`);
  }
  for (const each of shown.flatMap(errorsIn)) complain(io, `${io.program}: ${printableLine(renderDiagnostic(each))}\n`);
  if (errors.length > 0) throw new InputError(errors[0]!, errors.slice(1));
  return plans;
}

/** Files that can't be read hide no others. They are told on standard error, like every error. */
function errorsIn({ diagnostics }: PlanDocument): Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/** How an entry stands, from the user's point of view. */
type Standing = "current" | "yours" | "edited" | "conflict" | "drift";

const words: Readonly<Record<string, string>> = {
  restore: "missing",
  conflict: "needs you",
  "user-modified": "edited",
  "user-owned": "yours",
  "user-deleted": "kept out",
  "obsolete-modified": "edited, obsolete",
  disowned: "yours for good",
  "create-only": "written once",
  update: "not current",
  merge: "not current",
  move: "not current",
  dedupe: "duplicate",
  remove: "obsolete",
  locked: "locked",
  blocked: "blocked",
  held: "held",
  elsewhere: "elsewhere",
};
const width = Math.max(...Object.values(words).map((word) => word.length));

function standingOf({ verdict, reason }: PlanEntry): Standing {
  if (verdict === "conflict") return "conflict";
  if (verdict === "keep") {
    if (reason === "user-modified" || reason === "obsolete-modified") return "edited";
    return reason === "locked" || reason === "blocked" || reason === "prune-off" || reason === "reverted"
      ? "drift"
      : "yours";
  }
  return verdict === "unchanged" || verdict === "adopt" || verdict === "forget" ? "current" : "drift";
}

/** What `--json` adds to each owner, and what the text says first. */
interface Glance {
  readonly files: number;
  readonly entries: number;
  readonly edits: number;
  readonly conflicts: number;
  readonly drift: number;
}

function glanceOf({ files, entries }: Pick<PlanDocument, "files" | "entries">): Glance {
  const count = (standing: Standing) => entries.filter((entry) => standingOf(entry) === standing).length;
  return {
    files: files.length,
    entries: entries.length,
    edits: count("edited"),
    conflicts: count("conflict"),
    drift: count("drift"),
  };
}

interface StatusTextOptions {
  readonly home: string;
  readonly paint: Paint;
  /** Also the entries that are current. */
  readonly verbose?: boolean | undefined;
  /** The project that it is installed in. */
  readonly project?: string | undefined;
  readonly program?: string | undefined;
  readonly columns?: number | undefined;
}

/** How many files are named that there is nothing to say of. */
const mostQuiet = 5;

/** One owner with its files: the counts, what is not simply current with its difference, and how many are. */
function statusText(document: PlanDocument, options: StatusTextOptions): string {
  const { home, paint, verbose = false, project, program = "stet" } = options;
  const where = project === undefined ? "" : `  ${paint.dim(`in ${tilde(project, home)}`)}`;
  const lines = [
    `${paint.bold(printableLine(document.name))} ${printableLine(document.version)}${where}  ${glanceText(document, paint)}`,
  ];
  const byFile = groupBy(document.entries, ({ file }) => file);
  const differs = (entry: PlanEntry) => verbose || standingOf(entry) !== "current";
  const quiet = document.files.filter(({ path }) => !(byFile.get(path) ?? []).some(differs));
  const unnamed = new Set(quiet.length > mostQuiet ? quiet : []);
  for (const file of document.files) {
    if (unnamed.has(file)) continue;
    const entries = byFile.get(file.path) ?? [];
    const shown = entries.filter(differs);
    const path = speltIn(file.path, { home, project });
    lines.push(`  ${path}  ${paint.dim(counted(entries.length, "entry", "entries"))}`);
    for (const entry of shown) pushAll(lines, entryLines(entry, document, options));
    if (shown.length > 0 && shown.length < entries.length)
      lines.push(paint.dim(`    ${entries.length - shown.length} more, current`));
  }
  if (unnamed.size > 0) {
    const all = paint.dim(`(to list them: ${program} status ${printableLine(document.name)} -v)`);
    const more = unnamed.size === document.files.length ? "" : "more ";
    lines.push(`  ${unnamed.size} ${more}files, current  ${all}`);
  }
  for (const { file, key, severity, message } of document.diagnostics) {
    const isError = severity === "error" && file !== undefined;
    if (isError) lines.push(`  ${speltIn(file, { home, project })}  ${paint.red("can't be read")}`);
    else if (key === undefined) lines.push(`  ${paint.yellow(tildeInText(message, home))}`);
  }
  return `${lines.join("\n")}\n`;
}

/** How one entry stands, why, and in what it differs. */
function entryLines(entry: PlanEntry, document: PlanDocument, options: StatusTextOptions): string[] {
  const { paint, columns = usualColumns, program = "stet" } = options;
  const inset = " ".repeat(6);
  const view = entryView(entry, document, { program });
  return [
    `    ${standingText(entry, paint)}  ${printableLine(entry.key)}`,
    ...reasonsOf(entry, document).map((why) => `${inset}${paint.dim(why)}`),
    ...(standingOf(entry) === "current"
      ? []
      : someChanges(view, (change) => changeLines(change, paint, columns - inset.length)).map((line) => inset + line)),
  ];
}

/** Why an entry can't be written: nobody can mend what they are not told. */
function reasonsOf({ key, file, reason }: PlanEntry, { diagnostics }: PlanDocument): string[] {
  if (reason !== "locked" && reason !== "blocked") return [];
  return diagnostics
    .filter((each) => each.key === key && each.file === file)
    .map(({ message }) => printableLine(message));
}

function glanceText(document: PlanDocument, paint: Paint): string {
  const { files, entries, edits, conflicts, drift } = glanceOf(document);
  const unread = errorsIn(document).length;
  const parts = [
    paint.dim(counted(files, "file", "files")),
    paint.dim(counted(entries, "entry", "entries")),
    ...(edits > 0 ? [paint.blue(`${edits} edited`)] : []),
    ...(conflicts > 0 ? [paint.red(`${conflicts} ${conflicts === 1 ? "needs" : "need"} you`)] : []),
    ...(drift > 0 ? [paint.yellow(`${drift} not current`)] : []),
    ...(unread > 0 ? [paint.red(`${counted(unread, "file", "files")} can't be read`)] : []),
    ...(edits + conflicts + drift + unread === 0 ? [paint.green("all current")] : []),
  ];
  return parts.join(paint.dim(", "));
}

const colours = {
  current: "dim",
  yours: "blue",
  edited: "blue",
  conflict: "red",
  drift: "yellow",
} as const satisfies Record<Standing, keyof Paint>;

function standingText(entry: PlanEntry, paint: Paint): string {
  const word = words[entry.reason ?? ""] ?? words[entry.verdict] ?? "current";
  return paint[colours[standingOf(entry)]](word.padEnd(width));
}

/** What can be done: decide what waits; and, where nobody asked for anything in particular, where else to look. */
function nextSteps(documents: readonly PlanDocument[], program: string, suggest: boolean): string[] {
  if (documents.length === 0) return [];
  const waits = documents.some(({ entries }) => entries.some((entry) => waitingOf(entry) === "conflict"));
  return [
    ...(waits ? [`to decide: ${program} review`] : []),
    ...(suggest ? [`to install or upgrade a pack: ${program} plan DIR`, `all commands: ${program} help`] : []),
  ];
}
