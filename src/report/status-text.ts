import type { PlanDocument, PlanEntry } from "../core/plan-document.ts";
import { type Paint, printableLine } from "./colour.ts";
import { counted, tilde } from "./values.ts";

/** How an entry stands, from the user's point of view. */
export type Standing = "current" | "yours" | "edited" | "conflict" | "drift";

const words: Readonly<Record<string, string>> = {
  restore: "missing",
  conflict: "conflict",
  "user-modified": "edited by you",
  "user-owned": "yours",
  "user-deleted": "deleted by you",
  "obsolete-modified": "edited, obsolete",
  disowned: "handed to you",
  "create-only": "yours since",
  update: "not current",
  merge: "not current",
  move: "not current",
  dedupe: "doubled",
  remove: "obsolete",
  locked: "locked",
  blocked: "blocked",
};
const width = Math.max(...Object.values(words).map((word) => word.length));

export function standingOf({ verdict, reason }: PlanEntry): Standing {
  if (verdict === "conflict") return "conflict";
  if (verdict === "keep") {
    if (reason === "user-modified" || reason === "obsolete-modified") return "edited";
    return reason === "locked" || reason === "blocked" || reason === "prune-off" ? "drift" : "yours";
  }
  return verdict === "unchanged" || verdict === "adopt" || verdict === "forget" ? "current" : "drift";
}

/** What `--json` adds to each owner, and what the text says first. */
export interface Glance {
  readonly files: number;
  readonly entries: number;
  readonly edits: number;
  readonly conflicts: number;
  readonly drift: number;
}

export function glanceOf({ files, entries }: Pick<PlanDocument, "files" | "entries">): Glance {
  const count = (standing: Standing) => entries.filter((entry) => standingOf(entry) === standing).length;
  return { files: files.length, entries: entries.length, edits: count("edited"), conflicts: count("conflict"), drift: count("drift") };
}

/** One owner with its files and entries, the counts first. */
export function statusText(document: PlanDocument, home: string, paint: Paint): string {
  const lines = [
    `${paint.bold(printableLine(document.name))} ${printableLine(document.version)}  ${glanceText(glanceOf(document), paint)}`,
  ];
  for (const file of document.files) {
    const entries = document.entries.filter((entry) => entry.file === file.path);
    lines.push(`  ${tilde(file.path, home)}  ${paint.dim(counted(entries.length, "entry", "entries"))}`);
    for (const entry of entries) lines.push(`    ${standingText(entry, paint)}  ${printableLine(entry.key)}`);
  }
  for (const { message, key } of document.diagnostics) if (key === undefined) lines.push(`  ${paint.yellow(printableLine(message))}`);
  return `${lines.join("\n")}\n`;
}

function glanceText({ files, entries, edits, conflicts, drift }: Glance, paint: Paint): string {
  const parts = [
    paint.dim(counted(files, "file", "files")),
    paint.dim(counted(entries, "entry", "entries")),
    ...(edits > 0 ? [paint.blue(counted(edits, "edit of yours", "edits of yours"))] : []),
    ...(conflicts > 0 ? [paint.red(counted(conflicts, "conflict", "conflicts"))] : []),
    ...(drift > 0 ? [paint.yellow(`${drift} drifted`)] : []),
    ...(edits + conflicts + drift === 0 ? [paint.green("all as it should be")] : []),
  ];
  return parts.join(paint.dim(", "));
}

const colours = { current: "dim", yours: "blue", edited: "blue", conflict: "red", drift: "yellow" } as const satisfies Record<
  Standing,
  keyof Paint
>;

function standingText(entry: PlanEntry, paint: Paint): string {
  const word = words[entry.reason ?? ""] ?? words[entry.verdict] ?? "current";
  return paint[colours[standingOf(entry)]](word.padEnd(width));
}
