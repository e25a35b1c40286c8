import { InputError } from "../../core/diagnostic.ts";
import { hasErrors } from "../../host/diagnostics.ts";
import { type ChangeGroup, diffRevisions, groupDiffs } from "../../host/evaluate/diff-revisions.ts";
import { openSource } from "../../host/repository/source.ts";
import { maskLines } from "../../report/mask/mask.ts";
import { defineCommand } from "../shell/command.ts";
import { formatOf, formatOption } from "../shell/options.ts";
import { drawPage, markdownDrawing, textDrawing } from "./diff-text.ts";
import { exitCodes, hostIdentity, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { painter, printDiagnostics, printJson, shown } from "./output.ts";

export const command = defineCommand({
  name: "host diff",
  usage: "FROM [TO]",
  argument: "nothing",
  most: 2,
  about: `What changes on hosts between two revisions, for pull requests. Touches no host.
Hosts with the same change are shown together, in at most 60,000 characters; JSON has everything.
Without TO: the folder as it is, or the remote's head.`,
  options: {
    "all-hosts": { type: "boolean", help: "every host (without: --host, or this machine)" },
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
    else io.out(drawPage(groups, format === "markdown" ? markdownDrawing : textDrawing(painter(values, io))));
    const diagnostics = groups.flatMap((group) => group.diagnostics);
    printDiagnostics(io, { ...values, json: format === "json" }, diagnostics);
    return hasErrors(diagnostics) ? 1 : 0;
  },
});

function masked(group: ChangeGroup): ChangeGroup {
  const files = group.files.map((file) => ({ ...file, diff: maskLines(file.diff) }));
  return { ...group, files, diagnostics: shown({}, group.diagnostics) };
}
