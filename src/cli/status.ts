import type { PlanDocument, PlanEntry } from "../core/plan-document.ts";
import { changesAnything } from "../files/plan.ts";
import { statusOf } from "../files/status.ts";
import { type Paint, paint, printable } from "../report/colour.ts";
import { maskPlan } from "../report/mask.ts";
import { tilde } from "../report/plan-text.ts";
import { commonHelp } from "./help.ts";
import type { Command } from "./io.ts";
import { machineOf, parseOptions, wantsColour } from "./options.ts";

export const command: Command = {
  name: "status",
  summary: "every managed file and entry: owner, version, edits, conflicts, drift",
  help: `usage: stet status [NAME]

Shows every owner with its files and entries, and how they stand against what it last wanted. Needs no manifest.

  --exit-code   2 if something is not as the owner last wanted it
${commonHelp}
example: stet status zylos
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { "exit-code": { type: "boolean" } }, io, "status");
    const machine = machineOf(values, io);
    const plans = await statusOf(machine, positionals[0]);
    const shown = plans.map(({ document }) => (values["show-secrets"] ? document : maskPlan(document)));
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, owners: shown }, undefined, 2)}\n`);
    else if (!values.quiet) {
      const colours = paint(wantsColour(values, io));
      io.out(
        shown.length === 0 ? "nothing is installed\n" : shown.map((document) => ownerText(document, machine.home, colours)).join("\n"),
      );
    }
    return values["exit-code"] && plans.some(changesAnything) ? 2 : 0;
  },
};

const words: Readonly<Record<string, string>> = {
  restore: "missing",
  conflict: "conflict",
  "user-modified": "edited by you",
  "user-owned": "yours",
  "user-deleted": "deleted by you",
  "obsolete-modified": "edited by you, no longer needed",
  disowned: "handed to you",
  update: "not current",
  merge: "not current",
  remove: "no longer needed",
  locked: "can't be edited",
  blocked: "can't be added",
};

function ownerText(document: PlanDocument, home: string, colours: Paint): string {
  const lines = [`${colours.bold(document.name)} ${document.version}`];
  for (const file of document.files) {
    const entries = document.entries.filter((entry) => entry.file === file.path);
    lines.push(`  ${tilde(file.path, home)}  ${colours.dim(`${entries.length} ${entries.length === 1 ? "entry" : "entries"}`)}`);
    for (const entry of entries) lines.push(`    ${stateOf(entry, colours)}  ${printable(entry.key)}`);
  }
  return `${lines.join("\n")}\n`;
}

function stateOf(entry: PlanEntry, colours: Paint): string {
  const word = words[entry.reason ?? ""] ?? words[entry.verdict] ?? "current";
  const colour = word === "current" ? colours.dim : entry.verdict === "conflict" ? colours.red : colours.yellow;
  return colour(word.padEnd(14));
}
