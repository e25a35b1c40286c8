import { resolve } from "node:path";
import { openCatalog } from "../host/catalog.ts";
import { hasErrors } from "../host/diagnostics.ts";
import { evaluateHost } from "../host/evaluate.ts";
import { evaluationDocument } from "../host/evaluation-document.ts";
import { openSource } from "../host/source.ts";
import { writeTree } from "../host/write-tree.ts";
import { hostIdentity, layoutOf, parseHostOptions, sourceOf, targetOf } from "./host-options.ts";
import { painter, printDiagnostics, printJson, shown } from "./host-output.ts";
import type { Io } from "./io.ts";

/** `stet host evaluate`: the desired state of one host, without looking at any. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseHostOptions(args, { "output-dir": { type: "string" } }, io, "evaluate");
  const source = await openSource(sourceOf(values, io, targetOf(values, io)));
  const evaluation = evaluateHost(openCatalog(source.tree), hostIdentity(values, io), layoutOf(values, io));
  const diagnostics = [...source.diagnostics, ...evaluation.diagnostics];
  const failed = hasErrors(diagnostics);
  if (values["output-dir"] && !failed) await writeTree(evaluation, resolve(io.cwd, values["output-dir"]));
  if (values.json) printJson(io, { ...evaluationDocument(evaluation, source.rev), diagnostics: shown(values, diagnostics) });
  else if (!values.quiet && !failed) {
    const paint = painter(values, io);
    io.out(`${paint.bold(evaluation.host)} ${source.rev?.slice(0, 12) ?? ""} ${evaluation.services.join(", ")}\n`);
    for (const file of evaluation.files) io.out(`  ${file.kind.padEnd(14)} ${file.path}  ${paint.dim(file.origin.join(" < "))}\n`);
  }
  printDiagnostics(io, { ...values, verbose: true }, diagnostics);
  return failed ? 1 : 0;
}
