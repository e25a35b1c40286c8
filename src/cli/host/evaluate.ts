import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { asErrors, hasErrors } from "../../host/diagnostics.ts";
import { findGenerator } from "../../host/effects/podman.ts";
import { checkHosts } from "../../host/evaluate/all-hosts.ts";
import { evaluateFor } from "../../host/evaluate/evaluate.ts";
import { type EvaluatedHost, evaluationDocument, writeFiles, writeTree } from "../../host/evaluate/evaluation.ts";
import { runtimeUnits } from "../../host/evaluate/find-conflicts.ts";
import { openCatalog } from "../../host/evaluate/service.ts";
import { collect, collectMachine } from "../../host/init/collect.ts";
import { type FirstRepository, firstRepository } from "../../host/init/init.ts";
import { isSafeName } from "../../host/repository/host-declaration.ts";
import { openSource, type RepositorySource, type SourceOptions } from "../../host/repository/source.ts";
import { isNote } from "../../host/repository/tree.ts";
import type { EffectiveUnit } from "../../host/units/unit-text.ts";
import { verifyEvaluation } from "../../host/units/verify-units.ts";
import { findUnit } from "../../host/units/wanted-units.ts";
import { printable, printableLine } from "../../report/colour.ts";
import { wrapped } from "../../report/fit.ts";
import { looksSecret, maskLines, maskText } from "../../report/mask/mask.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, type Io, tell } from "../shell/io.ts";
import { exitCodes, type HostValues, hostIdentity, hostOptions, hostTargetOf, layoutOf, lookingOf } from "./options.ts";
import { type Drawn, drawnFor, painter, printDiagnostics, printJson, shownRun } from "./output.ts";

export const evaluateHostCommand = defineCommand({
  name: "host evaluate",
  about: `Prints the desired state of one host: every file, and where it comes from. Looks at no
host, and writes nothing to one.`,
  options: {
    "output-dir": { type: "string", value: "DIR", help: "write the files as a tree below DIR" },
    ...hostOptions,
  },
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

export const checkHostCommand = defineCommand({
  name: "host check",
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

export const showHostCommand = defineCommand({
  name: "host show",
  usage: "UNIT",
  argument: "nothing",
  most: 1,
  about: "Prints a unit as it is after all drop-ins, each line with the file it comes from.",
  options: hostOptions,
  notes: exitCodes,
  example: "stet host show traefik.container --repo . --host kadath",
  async run({ values, positionals }, io) {
    const [name] = positionals;
    if (name === undefined)
      throw new InputError({ code: "usage", message: `which unit? ${io.program} host show NAME.container` });
    const source = await openSource(lookingOf(values, io));
    const evaluation = evaluateFor(openCatalog(source.tree), hostIdentity(values, io), layoutOf(values, io));
    const diagnostics = values.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
    printDiagnostics(io, values, diagnostics);
    if (hasErrors(diagnostics)) return 1;
    const found = findUnit(evaluation.files, name);
    if (found === undefined) throw new InputError({ code: "unknown-unit", message: notFound(evaluation, name) });
    const effective = values["show-secrets"] ? found.effective : masked(found.effective);
    if (values.json)
      printJson(io, {
        unit: name,
        service: found.unit.file.service,
        runs_as: found.unit.runtime,
        sections: effective.sections,
      });
    else io.out(unitText(effective, drawnFor(values, io)));
    return 0;
  },
});

function notFound(evaluation: EvaluatedHost, name: string): string {
  const units = runtimeUnits(evaluation.files);
  const maker = units.find((unit) => unit.runtime === name);
  if (maker) return `podman generates ${name} from ${maker.unit.name}; show that one`;
  return `${evaluation.host} has no unit ${JSON.stringify(name)}; it has ${units.map((unit) => unit.unit.name).join(", ") || "none"}`;
}

function unitText(unit: EffectiveUnit, { paint, fileColumns }: Drawn): string {
  const all = unit.sections.flatMap(({ lines }) => lines);
  const width = Math.min(
    60,
    Math.floor(fileColumns / 2),
    Math.max(0, ...all.map(({ key, value }) => key.length + 1 + value.length)),
  );
  const sections = unit.sections.map(({ name, lines }) =>
    [
      `[${printableLine(name)}]`,
      ...lines.map((line) => {
        const text = printable(`${line.key}=${line.value}`).padEnd(width);
        const source = printableLine(`# ${line.source}:${line.line}`);
        const fits = text.length + 2 + source.length <= fileColumns;
        if (fits) return `${text}  ${paint.dim(source)}`;
        return [...wrapped(text.trimEnd(), fileColumns - 4), `  ${paint.dim(source)}`].join("\n    ");
      }),
    ].join("\n"),
  );
  return `${sections.join("\n\n")}\n`;
}

/** `Environment=DB_PASSWORD=…` names its secret in the value; `Creds=` is one. */
function masked(unit: EffectiveUnit): EffectiveUnit {
  const maskWords = (value: string) =>
    value.replace(/(^|[\s"'])([\w.-]+)=("[^"]*"|[^\s"']+)/g, (whole, before: string, name: string) =>
      looksSecret(name) ? `${before}${name}=${maskText}` : whole,
    );
  const maskLine = (key: string, value: string) =>
    (looksSecret(key) && key !== "Secret") || key === "Creds" || key === "DecryptionKey"
      ? maskText
      : maskLines(maskWords(value));
  return {
    sections: unit.sections.map(({ name, lines }) => ({
      name,
      lines: lines.map((line) => ({ ...line, value: maskLine(line.key, line.value) })),
    })),
  };
}

export const initHostCommand = defineCommand({
  name: "host init",
  usage: "[FROM]",
  argument: "file",
  most: 1,
  about: `Makes the repository --repo from the units in the folder FROM, however they are arranged there: sorts them into services, and puts
drop-ins and configuration where a repository has them. Without FROM, takes what runs on this machine (with --user: as this user).
Evaluating the new repository gives the same bytes. Overwrites nothing.`,
  options: hostOptions,
  example: "stet host init ~/quadlets --repo homelab --host kadath",
  async run({ values, positionals }, io) {
    const host = hostIdentity(values, io);
    if (host === undefined || !isSafeName(host))
      throw new InputError({ code: "no-host-identity", message: "which host is it for? give its name with --host" });
    const repo = emptyFolder(values, io);
    const { gate, root } = hostTargetOf(values, io);
    const layout = layoutOf(values, io);
    const from = positionals[0] === undefined ? undefined : resolve(io.cwd, positionals[0]);
    const collected = from === undefined ? collectMachine(gate, root, layout) : collect(gate, from);
    if (collected.units.length === 0)
      throw new InputError({
        code: "no-units",
        message: `${from ?? layout.quadletFolder} has no Quadlet file and no unit`,
      });
    const made = firstRepository(collected, host, layout);
    refuseForeignLinks(gate, repo);
    writeFiles(gate, repo, made.files);
    report(made, repo, host, values, io);
    return 0;
  },
});

/** A new folder, or one with nothing in it but Git's own and notes. */
function emptyFolder(values: HostValues, io: Io): string {
  const given = typeof values.repo === "string" && values.repo !== "" ? values.repo : undefined;
  if (given === undefined)
    throw new InputError({ code: "usage", message: "where should the repository be? give a new folder with --repo" });
  const folder = resolve(io.cwd, given);
  const names = listNames(folder).filter((name) => !isNote(name));
  if (names.length === 0) return folder;
  throw new InputError({
    code: "folder-not-empty",
    file: folder,
    message: `holds ${names[0]}: --repo must be a new or empty folder`,
  });
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new InputError({ code: "unreadable-file", file: folder, message: "is not a folder that can be read" });
  }
}

function report(made: FirstRepository, repo: string, host: string, values: HostValues, io: Io): void {
  const { services, unselected, leftOut, evaluation } = made;
  const wrong = unselected.flatMap(({ diagnostics }) => diagnostics);
  if (values.json) {
    const diagnostics = shownRun(values, [...wrong, ...evaluation.diagnostics]);
    printJson(io, {
      format_version: 1,
      repo,
      host,
      services,
      unselected: unselected.map(({ service }) => service),
      files: [...made.files.keys()].sort(),
      left_out: leftOut,
      diagnostics,
    });
  } else if (!values.quiet) {
    const { bold, dim } = painter(values, io);
    tell(
      io,
      `${bold(printableLine(repo))}  ${services.length} ${services.length === 1 ? "service" : "services"} for ${printableLine(host)}\n`,
    );
    for (const service of services) {
      const units = evaluation.files
        .filter((file) => file.service === service)
        .map((file) => file.path.slice(file.path.lastIndexOf("/") + 1));
      tell(io, `  ${printableLine(service)}  ${dim(printableLine(units.join(", ")))}\n`);
    }
    if (unselected.length > 0)
      tell(io, `not selected until repaired: ${unselected.map(({ service }) => printableLine(service)).join(", ")}\n`);
    const shownLeftOut = values.verbose ? leftOut : leftOut.slice(0, 10);
    if (leftOut.length > 0) tell(io, "left out:\n");
    for (const { path, why } of shownLeftOut) tell(io, `  ${printableLine(path)}  ${dim(printableLine(why))}\n`);
    if (leftOut.length > shownLeftOut.length)
      tell(io, `  … and ${leftOut.length - shownLeftOut.length} more (-v shows them)\n`);
    tell(io, `\nlook at it: ${io.program} host check --repo ${printableLine(repo)}\n`);
  }
  printDiagnostics(io, values, evaluation.diagnostics);
  for (const { service, diagnostics } of unselected) {
    printDiagnostics(io, values, values.verbose ? diagnostics : diagnostics.slice(0, 1));
    if (diagnostics.length > 1 && !values.verbose && !values.quiet)
      complain(
        io,
        `${io.program}: … and ${diagnostics.length - 1} more in ${printableLine(service)} (-v shows them)\n`,
      );
  }
}
