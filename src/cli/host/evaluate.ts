import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { asErrors, hasErrors } from "../../host/diagnostics.ts";
import { openCatalog } from "../../host/evaluate/catalog.ts";
import { evaluateFor } from "../../host/evaluate/evaluate.ts";
import { evaluationDocument } from "../../host/evaluate/evaluation-document.ts";
import { writeTree } from "../../host/evaluate/write-tree.ts";
import { openSource, type RepositorySource, type SourceOptions } from "../../host/repository/source.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { tell } from "../shell/tell.ts";
import { exitCodes, type HostValues, hostIdentity, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { painter, printDiagnostics, printJson, shownRun } from "./output.ts";

export const command = defineCommand({
  name: "host evaluate",
  usage: "",
  argument: "nothing",
  most: 0,
  about: `The desired state of one host: every file with where it comes from. Looks at no
host, and writes nothing there.`,
  options: { "output-dir": { type: "string", value: "DIR", help: "write it as a tree below DIR" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host evaluate --repo . --host kadath",
  async run({ values }, io) {
    const options = lookingOf(values, io);
    const source = await (values.json ? openOrTell(options, values, io) : openSource(options));
    if (source === undefined) return 1;
    const evaluation = evaluateFor(openCatalog(source.tree), hostIdentity(values, io), layoutOf(values, io));
    const found = values.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
    const diagnostics = [...source.diagnostics, ...found];
    const failed = hasErrors(diagnostics);
    if (values["output-dir"] && !failed) writeTree(evaluation, resolve(io.cwd, values["output-dir"]), options.gate);
    if (values.json)
      printJson(io, { ...evaluationDocument(evaluation, source.rev), diagnostics: shownRun(values, diagnostics) });
    else if (!values.quiet && !failed) {
      const { bold, dim } = painter(values, io);
      const title = `${bold(evaluation.host)} ${source.rev?.slice(0, 12) ?? ""}`.trimEnd();
      tell(io, `${title}  ${evaluation.services.join(", ")}\n`);
      for (const { kind, path, origin } of evaluation.files)
        tell(io, `  ${kind.padEnd(14)} ${path}  ${dim(origin.join(" < "))}\n`);
    }
    printDiagnostics(io, { ...values, verbose: true }, diagnostics);
    return failed ? 1 : 0;
  },
});

/**
 * Whoever reads the document finds the same members in it whatever went wrong, also where there was no repository to
 * read.
 */
async function openOrTell(options: SourceOptions, values: HostValues, io: Io): Promise<RepositorySource | undefined> {
  try {
    return await openSource(options);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const nothing = { host: hostIdentity(values, io) ?? "", services: [], files: [], diagnostics: [] };
    printJson(io, { ...evaluationDocument(nothing, undefined), diagnostics: shownRun(values, [error.diagnostic]) });
    printDiagnostics(io, values, [error.diagnostic]);
    return undefined;
  }
}
