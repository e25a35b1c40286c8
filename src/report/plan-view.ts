import { groupBy } from "../core/lists.ts";
import type { PlanDocument, PlanEntry, PlanFile } from "../core/plan-document.ts";
import { printableLine } from "./colour.ts";
import { type EntryView, entryView, isQuiet, keysInSeveralFiles } from "./entry-view.ts";
import { counted, countsInWords, type Occasion, speltIn, tildeInText } from "./words.ts";

/**
 * `apply`: it is done; `plan`: it would be. `record` and `to-record` are the same where records change, even if no file
 * does.
 */
export type Tense = "plan" | "apply" | "record" | "to-record";

export interface PlanViewOptions {
  /** Also what stays as it is. */
  readonly verbose: boolean;
  readonly tense: Tense;
  /** What it is a plan of; default: of installing or upgrading a pack. */
  readonly occasion?: Occasion | undefined;
  readonly program: string;
  readonly home: string;
  /** The project that files are named in; default: from the home. */
  readonly project?: string | undefined;
  /** When the owner of an entry that waits set it, in words. */
  readonly when?: ((entry: PlanEntry) => string | undefined) | undefined;
}

/** What there is to tell of a plan. Terminal and Markdown only draw it. */
export interface PlanView {
  readonly title: string;
  readonly name: string;
  readonly versions: string;
  readonly files: readonly FileView[];
  /** What is said of no entry in particular. */
  readonly messages: readonly { readonly severity: "error" | "warning" | "note"; readonly text: string }[];
  /** What happens, in words. */
  readonly summary: string;
  /** What else there is to count where nothing changes. */
  readonly besides: string;
  /** A file or record changes. */
  readonly changes: boolean;
  /** What to do next, where somebody has to decide. */
  readonly next: string | undefined;
}

export interface FileView {
  readonly path: string;
  /** `new file`, `changes`, or nothing. */
  readonly note: string;
  readonly entries: readonly EntryView[];
  /** How many entries there are that nothing is said of. */
  readonly quiet: number;
  readonly diff: string;
}

export function planView(document: PlanDocument, options: PlanViewOptions): PlanView {
  const name = printableLine(document.name);
  const { from, version } = document;
  const versions = printableLine(from === null || from === version ? version : `${from} → ${version}`);
  const byFile = groupBy(document.entries, ({ file }) => file);
  const shared = keysInSeveralFiles(document.entries);
  return {
    title: `${name} ${versions}`,
    name,
    versions,
    files: document.files.flatMap(
      (file) => fileView(file, byFile.get(file.path) ?? [], { document, shared }, options) ?? [],
    ),
    messages: document.diagnostics
      .filter(({ key }) => key === undefined)
      .map(({ severity, message }) => ({
        severity: severity === "info" ? "note" : severity,
        text: tildeInText(message, options.home),
      })),
    ...summaryOf(document, options),
  };
}

const fileNotes = { create: "new file", modify: "changes", delete: "file removed", none: "" } as const;

function fileView(
  file: PlanFile,
  entries: readonly PlanEntry[],
  { document, shared }: { readonly document: PlanDocument; readonly shared: ReadonlySet<string> },
  options: PlanViewOptions,
): FileView | undefined {
  const copies = keysOfCopies(file, document);
  const shown = entries.filter((entry) => options.verbose || copies.has(entry.key) || !isQuiet(entry));
  if (shown.length === 0 && file.action === "none") return undefined;
  const path = speltIn(file.path, options);
  return {
    path,
    note: fileNotes[file.action],
    entries: shown.map((entry) =>
      entryView(entry, document, { ...options, within: shared.has(entry.key) ? path : undefined }),
    ),
    quiet: entries.length - shown.length,
    get diff() {
      return file.diff;
    },
  };
}

/** What is taken out of a file is never taken out without a line. */
function keysOfCopies({ path }: PlanFile, { diagnostics }: PlanDocument): ReadonlySet<string | undefined> {
  return new Set(
    diagnostics.filter(({ code, file }) => code === "duplicate-removed" && file === path).map(({ key }) => key),
  );
}

/** Where no file changes. */
const summaries = {
  plan: "Nothing to change.",
  apply: "Nothing to change.",
  record: "Recorded; no file was changed.",
  "to-record": "No file would change; apply would only update the records.",
} as const satisfies Record<Tense, string>;

function summaryOf(
  { entries, changed }: PlanDocument,
  { tense, occasion, program }: PlanViewOptions,
): Pick<PlanView, "summary" | "besides" | "changes" | "next"> {
  const words = countsInWords(entries).join(", ");
  const isPlan = tense === "plan" || tense === "to-record";
  const waits = entries.some(({ verdict }) => verdict === "conflict") && occasion === undefined && !isPlan;
  const next = waits ? `to decide: ${program} review` : undefined;
  if (changed > 0) {
    const what = words || counted(changed, "change", "changes");
    return { summary: isPlan ? `Plan: ${what}.` : `${what}.`, besides: "", changes: true, next };
  }
  const summary = summaries[tense];
  return { summary, besides: words === "" || occasion === "resolve" ? "" : `${words}.`, changes: false, next };
}
