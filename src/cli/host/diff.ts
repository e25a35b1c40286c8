import { type Diagnostic, InputError, renderDiagnostic } from "../../core/diagnostic.ts";
import { hasErrors } from "../../host/diagnostics.ts";
import { diffRevisions, type HostDiff } from "../../host/evaluate/diff-revisions.ts";
import { openSource } from "../../host/repository/source.ts";
import { printable, printableLine } from "../../report/colour.ts";
import { maskLines } from "../../report/mask/mask.ts";
import { defineCommand } from "../shell/command.ts";
import { exitCodes, hostIdentity, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { painter, printDiagnostics, printJson, shown } from "./output.ts";
import { actionLine } from "./text.ts";

const formats = ["text", "markdown", "json"] as const;

export const command = defineCommand({
  name: "host diff",
  usage: "FROM [TO]",
  argument: "nothing",
  most: 2,
  about: `What changes on hosts between two revisions, for pull requests. Touches no host.
Without TO: the folder as it is, or the remote's head.`,
  options: {
    "all-hosts": { type: "boolean", help: "every host (without: --host, or this machine)" },
    format: { type: "string", value: "text|markdown|json", help: "how to print it" },
    ...hostOptions,
  },
  notes: exitCodes,
  example: "stet host diff origin/main --all-hosts --format markdown",
  async run({ values, positionals }, io) {
    const [from, to] = positionals;
    if (from === undefined) throw new InputError({ code: "usage", message: `from which revision? ${io.program} host diff FROM [TO]` });
    const format = formats.find((each) => each === (values.json ? "json" : (values.format ?? "text")));
    if (format === undefined)
      throw new InputError({ code: "usage", message: `--format ${values.format}: there are ${formats.join(", ")}` });
    // Revisions are compared, not applied: nobody's signature matters.
    const options = { ...lookingOf(values, io), trust: { allowedSigners: undefined, keyring: undefined } };
    const [before, after] = [await openSource({ ...options, rev: from }), await openSource({ ...options, rev: to ?? options.rev })];
    const host = hostIdentity(values, io);
    const hosts = values["all-hosts"] || host === undefined ? "all" : [host];
    const diffs = diffRevisions(before.tree, after.tree, hosts, layoutOf(values, io)).map((diff) =>
      values["show-secrets"] ? diff : masked(diff),
    );
    if (format === "json") printJson(io, { from: before.rev ?? null, to: after.rev ?? null, hosts: diffs });
    else
      io.out(format === "markdown" ? diffs.map(markdown).join("\n") : diffs.map((diff) => plainText(diff, painter(values, io))).join("\n"));
    const diagnostics = diffs.flatMap((diff) => diff.diagnostics);
    printDiagnostics(io, { ...values, json: format === "json" }, diagnostics);
    return hasErrors(diagnostics) ? 1 : 0;
  },
});

function masked(diff: HostDiff): HostDiff {
  return { ...diff, files: diff.files.map((file) => ({ ...file, diff: maskLines(file.diff) })), diagnostics: shown({}, diff.diagnostics) };
}

function plainText({ host, files, actions, diagnostics }: HostDiff, paint: ReturnType<typeof painter>): string {
  if (hasErrors(diagnostics)) return `${paint.bold(printableLine(host))}: can't be evaluated\n`;
  if (files.length === 0) return `${paint.bold(printableLine(host))}: no change\n`;
  const diffs = files.map((file) => printable(file.diff)).join("");
  return `${paint.bold(printableLine(host))}\n${diffs}${actions.map((action) => `${actionLine(action, paint)}\n`).join("")}`;
}

/** A name in a page that others look at: no markup of its own, no line of its own. */
function inMarkdown(text: string): string {
  return printableLine(text).replaceAll(/[&<>`|*[\]\\!]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** The page stands alone in a pull request: whoever reads it does not see standard error. */
function errorItem(diagnostic: Diagnostic): string {
  return diagnostic.severity === "error" ? `- ${inMarkdown(renderDiagnostic(diagnostic))} (${diagnostic.code})\n` : "";
}

/** A longer fence than any in the text, so that nothing in a file can end it. */
function markdown({ host, files, actions, diagnostics }: HostDiff): string {
  if (hasErrors(diagnostics)) return `### ${inMarkdown(host)}\n\nCan't be evaluated:\n\n${diagnostics.map(errorItem).join("")}`;
  if (files.length === 0) return `### ${inMarkdown(host)}\n\nNo change.\n`;
  const blocks = files.map(({ path, action, diff }) => {
    const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([ticks]) => ticks.length));
    const fence = "`".repeat(longest + 1);
    return `<details><summary>${action} <code>${inMarkdown(path)}</code></summary>\n\n${fence}diff\n${printable(diff)}${fence}\n\n</details>\n`;
  });
  const units = actions.map(({ action, unit, reason }) => `- ${action} <code>${inMarkdown(unit)}</code> (${inMarkdown(reason)})\n`);
  return `### ${inMarkdown(host)}\n\n${units.length > 0 ? `${units.join("")}\n` : ""}${blocks.join("\n")}`;
}
