import { hasErrors } from "../../host/diagnostics.ts";
import { openCatalog } from "../../host/evaluate/catalog.ts";
import { checkRepository } from "../../host/evaluate/check-repository.ts";
import { openSource } from "../../host/repository/source.ts";
import { defineCommand } from "../shell/command.ts";
import { exitCodes, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { printDiagnostics, printJson, shown } from "./output.ts";

export const command = defineCommand({
  name: "host check",
  usage: "",
  argument: "nothing",
  most: 0,
  about: "Evaluates every host of the repository and lists all diagnostics, each once.",
  options: hostOptions,
  notes: exitCodes,
  example: "stet host check --repo .",
  async run({ values }, io) {
    const source = await openSource(lookingOf(values, io));
    const checked = checkRepository(openCatalog(source.tree), layoutOf(values, io));
    const diagnostics = [...source.diagnostics, ...checked.diagnostics];
    if (values.json) printJson(io, { rev: source.rev ?? null, hosts: checked.hosts, diagnostics: shown(values, diagnostics) });
    printDiagnostics(io, { ...values, verbose: true }, diagnostics);
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    const hosts = `${checked.hosts.length} ${checked.hosts.length === 1 ? "host" : "hosts"}`;
    if (!values.json && !values.quiet)
      io.out(errors === 0 ? `${hosts}: no errors\n` : `${hosts}: ${errors} ${errors === 1 ? "error" : "errors"}\n`);
    return hasErrors(diagnostics) ? 1 : 0;
  },
});
