import { hasErrors } from "../../host/diagnostics.ts";
import { findGenerator } from "../../host/effects/podman.ts";
import { openCatalog } from "../../host/evaluate/catalog.ts";
import { checkHosts } from "../../host/evaluate/check-repository.ts";
import { openSource } from "../../host/repository/source.ts";
import { verifyEvaluation } from "../../host/units/verify-units.ts";
import { defineCommand } from "../shell/command.ts";
import { tell } from "../shell/tell.ts";
import { exitCodes, hostOptions, layoutOf, lookingOf } from "./options.ts";
import { printDiagnostics, printJson, shownRun } from "./output.ts";

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
    const layout = layoutOf(values, io);
    const scope = values.user ? "user" : "system";
    const verifying = { generator: findGenerator(scope, io.env), env: io.env };
    const checked = await checkHosts(openCatalog(source.tree), layout, {
      strict: values.strict === true,
      verify: (evaluation) => verifyEvaluation(evaluation, { layout, scope }, verifying),
    });
    const diagnostics = [...source.diagnostics, ...checked.diagnostics];
    if (values.json)
      printJson(io, { rev: source.rev ?? null, hosts: checked.hosts, diagnostics: shownRun(values, diagnostics) });
    printDiagnostics(io, { ...values, verbose: true }, diagnostics);
    const errors = diagnostics.filter(({ severity }) => severity === "error").length;
    const hosts = `${checked.hosts.length} ${checked.hosts.length === 1 ? "host" : "hosts"}`;
    if (!values.json && !values.quiet)
      tell(io, errors === 0 ? `${hosts}: no errors\n` : `${hosts}: ${errors} ${errors === 1 ? "error" : "errors"}\n`);
    return hasErrors(diagnostics) ? 1 : 0;
  },
});
