import { type Diagnostic, InputError, renderDiagnostic } from "../../core/diagnostic.ts";
import { hasErrors } from "../../host/diagnostics.ts";
import { type ChangeGroup, diffRevisions, groupDiffs } from "../../host/evaluate/all-hosts.ts";
import { openSource } from "../../host/repository/source.ts";
import { printable, printableLine } from "../../report/colour.ts";
import { fitted } from "../../report/fit.ts";
import { clipped, code, foldedDiff, inMarkdown, pageLimit } from "../../report/markdown.ts";
import { maskLines } from "../../report/mask/mask.ts";
import { counted } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { formatOf, formatOption } from "../shell/options.ts";
import { exitCodes, hostIdentity, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { actionLine, type Drawn, drawnFor, printDiagnostics, printJson, shownRun } from "./output.ts";

export const command = defineCommand({
  name: "host diff",
  usage: "FROM [TO]",
  argument: "nothing",
  most: 2,
  about: `Shows what changes on hosts between two revisions, for pull requests. Touches no host.
Hosts with the same change are shown together, in at most 60,000 characters; JSON has everything.
Without TO, compares with the folder as it is, or with the remote's head.`,
  options: {
    "all-hosts": { type: "boolean", help: "compare every host (default: --host, or this machine)" },
    ...formatOption,
    ...hostOptions,
  },
  notes: exitCodes,
  example: "stet host diff origin/main --all-hosts --format markdown",
  async run({ values, positionals }, io) {
    const [from, to] = positionals;
    if (from === undefined)
      throw new InputError({ code: "usage", message: `from which revision? ${io.program} host diff FROM [TO]` });
    const format = formatOf(values);
    // Revisions are compared, not applied: nobody's signature matters.
    const options = { ...lookingOf(values, io), trust: { allowedSigners: undefined, keyring: undefined } };
    const [before, after] = [
      await openSource({ ...options, rev: from }),
      await openSource({ ...options, rev: to ?? options.rev }),
    ];
    const host = hostIdentity(values, io);
    const hosts = values["all-hosts"] || host === undefined ? "all" : [host];
    const comparing = { layout: layoutOf(values, io), strict: values.strict === true };
    const found = groupDiffs(diffRevisions(before.tree, after.tree, hosts, comparing));
    const groups = values["show-secrets"] ? found : found.map(masked);
    if (format === "json") printJson(io, { from: before.rev ?? null, to: after.rev ?? null, groups });
    else io.out(drawPage(groups, format === "markdown" ? markdownDrawing : textDrawing(drawnFor(values, io))));
    const diagnostics = groups.flatMap((group) => group.diagnostics);
    printDiagnostics(io, { ...values, json: format === "json" }, diagnostics);
    return hasErrors(diagnostics) ? 1 : 0;
  },
});

function masked(group: ChangeGroup): ChangeGroup {
  const files = group.files.map((file) => ({ ...file, diff: maskLines(file.diff) }));
  return { ...group, files, diagnostics: shownRun({}, group.diagnostics) };
}

/** What may be said below the table: the rest is for the table, and for counting what was left out. */
const [tableLimit, closingRoom, namesLimit] = [10_000, 1_000, 160];

/** How one format draws the parts of a page. */
interface Drawing {
  /** How long a list of names may be in the table. */
  readonly namesLimit: number;
  heading(changed: number, all: number): string;
  table(rows: readonly Row[], left: number): string;
  group(group: ChangeGroup): string;
  file(file: ChangedFile, isKnown: boolean): string;
  closing(files: number, hosts: number): string;
}

type ChangedFile = ChangeGroup["files"][number];

interface Row {
  readonly hosts: string;
  readonly files: string;
  readonly units: string;
}

/** All groups as one page: a table first, then each change once, as long as there is room. */
function drawPage(groups: readonly ChangeGroup[], drawing: Drawing, limit = pageLimit): string {
  const all = groups.reduce((sum, { hosts }) => sum + hosts.length, 0);
  const changed = groups.filter((group) => !isUnchanged(group));
  const parts = [drawing.heading(countHosts(changed), all), drawTable(groups, drawing)];
  let room = limit - closingRoom - length(parts);
  const known = new Set<string>();
  let left = { files: 0, hosts: 0 };
  for (const group of changed) {
    const head = drawing.group(group);
    const files = group.files.map((file) => drawing.file(file, known.has(file.path + file.diff)));
    const fitting = fittingParts([head, ...files], room);
    for (const [i, file] of group.files.entries()) if (i + 1 < fitting.length) known.add(file.path + file.diff);
    parts.push(...fitting);
    room -= length(fitting);
    const missing = files.length + 1 - Math.max(fitting.length, 1);
    if (fitting.length <= files.length) left = { files: left.files + missing, hosts: left.hosts + group.hosts.length };
  }
  if (left.hosts > 0) parts.push(drawing.closing(left.files, left.hosts));
  return parts.join("");
}

function drawTable(groups: readonly ChangeGroup[], drawing: Drawing): string {
  const rows = groups.map((group) => rowOf(group, drawing.namesLimit));
  let fitting = rows.length;
  while (fitting > 0 && drawing.table(rows.slice(0, fitting), rows.length - fitting).length > tableLimit)
    fitting = Math.floor(fitting * 0.8);
  return drawing.table(
    rows.slice(0, fitting),
    groups.slice(fitting).reduce((sum, { hosts }) => sum + hosts.length, 0),
  );
}

function fittingParts(parts: readonly string[], room: number): string[] {
  const fitting: string[] = [];
  let used = 0;
  for (const part of parts) {
    used += part.length;
    if (used > room) break;
    fitting.push(part);
  }
  return fitting;
}

function length(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

function countHosts(groups: readonly ChangeGroup[]): number {
  return groups.reduce((sum, { hosts }) => sum + hosts.length, 0);
}

function isUnchanged({ files, actions, diagnostics }: ChangeGroup): boolean {
  return files.length === 0 && actions.length === 0 && !hasErrors(diagnostics);
}

function rowOf(group: ChangeGroup, limit: number): Row {
  const units = group.actions
    .filter(({ action }) => action !== "daemon-reload")
    .map(({ action, unit }) => `${action} ${unit}`);
  const outcome = hasErrors(group.diagnostics)
    ? "can't be evaluated"
    : isUnchanged(group)
      ? "no change"
      : shortened(units, limit);
  return {
    hosts: shortened(group.hosts, limit),
    files: group.files.length === 0 ? "-" : String(group.files.length),
    units: outcome || "-",
  };
}

/** The length of " and 998 more". */
const moreLength = 13;

/** The first of many, and how many more there are. */
function shortened(names: readonly string[], limit = namesLimit): string {
  const all = names.join(", ");
  if (all.length <= limit + moreLength) return all;
  let shown = names.length;
  while (shown > 1 && names.slice(0, shown).join(", ").length > limit)
    shown = Math.min(shown - 1, Math.floor(shown * 0.8));
  const rest = names.length - shown;
  return `${names.slice(0, shown).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function textDrawing(drawn: Drawn): Drawing {
  const { paint, columns } = drawn;
  const inColumns = (text: string) => fitted(text, columns);
  const namesWidth = Math.min(60, Math.max(20, Math.floor((columns - 12) / 2)));
  return {
    namesLimit: namesWidth - moreLength,
    heading: (changed, all) =>
      all === 1 ? "" : `${changed} of ${counted(all, "host", "hosts")} change${changed === 1 ? "s" : ""}\n\n`,
    table(rows, left) {
      const widest = Math.max(5, ...rows.map(({ hosts }) => printableLine(hosts).length));
      const width = Math.min(namesWidth, widest);
      const line = ({ hosts, files, units }: Row) =>
        inColumns(`  ${printableLine(hosts).padEnd(width)}  ${files.padEnd(5)}  ${printableLine(units)}`);
      const more = left > 0 ? `  … and ${counted(left, "more host", "more hosts")}\n` : "";
      const title = paint.dim(line({ hosts: "HOSTS", files: "FILES", units: "UNITS" }));
      return `${[title, ...rows.map(line)].join("\n")}\n${more}`;
    },
    group: ({ hosts, actions }) =>
      inColumns(
        `\n${paint.bold(printableLine(shortened(hosts)))}\n${actions.map((action) => `${actionLine(action, paint)}\n`).join("")}`,
      ),
    file: (file, isKnown) =>
      isKnown ? `  ${file.action} ${printableLine(file.path)}: as above\n` : clipped(printable(file.diff)),
    closing: (files, hosts) => inColumns(`\n${leftOut(files, hosts)}\n`),
  };
}

const markdownDrawing: Drawing = {
  namesLimit,
  heading: (changed, all) =>
    `**${changed} of ${counted(all, "host", "hosts")} change${changed === 1 ? "s" : ""}.**\n\n`,
  table(rows, left) {
    const lines = rows.map(({ hosts, files, units }) => `| ${inMarkdown(hosts)} | ${files} | ${inMarkdown(units)} |\n`);
    const more = left > 0 ? `| … and ${counted(left, "more host", "more hosts")} | | |\n` : "";
    return `| hosts | files | units |\n|---|---|---|\n${lines.join("")}${more}`;
  },
  group({ hosts, actions, diagnostics }) {
    const title = `\n### ${inMarkdown(shortened(hosts))}\n\n`;
    if (hasErrors(diagnostics)) return clipped(`${title}Can't be evaluated:\n\n${diagnostics.map(errorItem).join("")}`);
    const units = actions.map(({ action, unit, reason }) => `- ${action} ${code(unit)} (${inMarkdown(reason)})\n`);
    return clipped(`${title}${units.length > 0 ? `${units.join("")}\n` : ""}`);
  },
  file({ path, action, diff }, isKnown) {
    if (isKnown) return `- ${action} ${code(path)}: as above\n`;
    return foldedDiff(`${action} ${code(path)}`, diff);
  },
  closing: (files, hosts) => `\n${leftOut(files, hosts)}\n`,
};

function leftOut(files: number, hosts: number): string {
  return `Not shown for want of room: ${counted(files, "file", "files")} of changes on ${counted(hosts, "host", "hosts")}. --format json has them all.`;
}

/** The page stands alone in a pull request: whoever reads it does not see standard error. */
function errorItem(diagnostic: Diagnostic): string {
  return diagnostic.severity === "error" ? `- ${inMarkdown(renderDiagnostic(diagnostic))} (${diagnostic.code})\n` : "";
}
