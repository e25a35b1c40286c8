import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { writeFiles } from "../../host/evaluate/evaluation.ts";
import { collect, collectMachine } from "../../host/init/collect.ts";
import { type FirstRepository, firstRepository } from "../../host/init/init.ts";
import { isSafeName } from "../../host/repository/host-declaration.ts";
import { isNote } from "../../host/repository/tree.ts";
import { printableLine } from "../../report/colour.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, type Io, tell } from "../shell/io.ts";
import { type HostValues, hostIdentity, hostOptions, hostTargetOf, layoutOf } from "./options.ts";
import { painter, printDiagnostics, printJson, shownRun } from "./output.ts";

export const command = defineCommand({
  name: "host init",
  usage: "[FROM]",
  argument: "file",
  most: 1,
  about: `Makes the repository --repo from the units in the folder FROM, however they are arranged there: services by name, drop-ins and
configuration where a repository has them. Without FROM: what runs on this machine (with --user: as this user). Evaluated, it gives
the same bytes. Overwrites nothing.`,
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
        message: `${from ?? layout.quadletFolder} holds no Quadlet file and no unit`,
      });
    const made = firstRepository(collected, host, layout);
    refuseForeignLinks(gate, repo);
    writeFiles(repo, made.files);
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
