import { InputError } from "../../core/diagnostic.ts";
import { openCatalog } from "../../host/evaluate/catalog.ts";
import { evaluateHost } from "../../host/evaluate/evaluate.ts";
import { type HostGeneration, historyOf } from "../../host/history.ts";
import { type HostRecords, readRecords } from "../../host/observe.ts";
import type { Reconciling } from "../../host/reconcile.ts";
import { repositoryOf } from "../../host/registry.ts";
import { openSource, versionOf } from "../../host/repository/source.ts";
import { downUnits, type HostStatus, isSettled, statusOf, type UnitStatus } from "../../host/status.ts";
import { type Paint, printableLine } from "../../report/colour.ts";
import { moment } from "../../report/values.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { exitCodes, type HostValues, hostOptions, targetOf } from "./options.ts";
import { actionLine, painter, pauseLine, printDiagnostics, printJson, short } from "./output.ts";
import { reconcilingOf } from "./run.ts";

export const status = defineCommand({
  name: "host status",
  usage: "",
  argument: "nothing",
  most: 0,
  about: `What is managed here, what was edited, which units are down. With --repo or
--exit-code also whether the repository has a newer commit.`,
  options: { offline: { type: "boolean", help: "do not look for a newer commit" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host status --exit-code",
  async run({ values }, io) {
    const run = reconcilingOf(values, io);
    const records = readRecords(run.target);
    const looks = !values.offline && (values["exit-code"] === true || namesRepository(values, io));
    const available = looks ? await newest(run, records, values, io) : null;
    const status = await statusOf(run.target, records, run.effects, available);
    if (values.json) printJson(io, status);
    else if (!values.quiet) io.out(statusText(status, painter(values, io)));
    return values["exit-code"] && !isSettled(status) ? 2 : 0;
  },
});

function namesRepository(values: HostValues, io: Io): boolean {
  return typeof values.repo === "string" || Boolean(io.env.STET_REPO);
}

/** The commit that an apply would take: of the repository that is named, or else of the one that was applied last. */
async function newest(run: Reconciling, { registry }: HostRecords, values: HostValues, io: Io): Promise<string | null> {
  const known = repositoryOf(registry);
  if (registry === undefined || (known === undefined && !namesRepository(values, io))) return null;
  const named = namesRepository(values, io)
    ? run.source
    : { ...run.source, repo: known!.repo, rev: run.source.rev ?? known!.rev ?? undefined };
  try {
    const source = await openSource({ ...named, allowRewind: true });
    printDiagnostics(io, values, source.diagnostics);
    return versionOf(source.rev, evaluateHost(openCatalog(source.tree), registry.host ?? run.host, run.target.layout));
  } catch (error) {
    // How the host stands is worth knowing also where the repository can't be reached.
    if (!(error instanceof InputError)) throw error;
    printDiagnostics(io, values, [{ ...error.diagnostic, severity: "warning" }]);
    return null;
  }
}

function statusText(status: HostStatus, paint: Paint): string {
  if (status.version === null) return "nothing is applied here\n";
  const lines = [`${paint.bold(printableLine(status.host ?? status.name))} ${printableLine(short(status.version))}`];
  if (status.held !== null)
    lines.push(`  ${paint.yellow("held")}: ${printableLine(short(status.held))} was rolled back from and waits`);
  const { available } = status;
  if (available !== null && available !== status.version && available !== status.held)
    lines.push(`  ${paint.yellow("newer")}: the repository is at ${printableLine(short(available))}`);
  for (const pause of status.paused) lines.push(pauseLine(pause, paint));
  if (status.interrupted) lines.push("  a run was interrupted: the next apply finishes it");
  for (const { path, service, state } of status.files) {
    const word = state === "ok" ? paint.green("ok     ") : paint.yellow(state.padEnd(7));
    lines.push(`  ${word} ${printableLine(path)}  ${paint.dim(printableLine(service))}`);
  }
  const down = new Set(downUnits(status));
  for (const unit of status.units) lines.push(unitLine(unit, down.has(unit), paint));
  for (const name of status.outdated)
    lines.push(
      `  ${paint.yellow("outdated")} ${printableLine(name)}  ${paint.dim("podman keeps it as it was made; see apply --recreate")}`,
    );
  if (status.pending.length > 0)
    lines.push("still to do:", ...status.pending.map((action) => actionLine(action, paint)));
  return `${lines.join("\n")}\n`;
}

function unitLine(unit: UnitStatus, isDown: boolean, paint: Paint): string {
  const sign = isDown ? paint.red("●") : unit.active === "active" ? paint.green("●") : paint.dim("○");
  const note = unit.standing === "finished" || unit.standing === "disabled" ? `, ${unit.standing}` : "";
  return `  ${sign} ${printableLine(unit.unit)}  ${paint.dim(printableLine(unit.said + note))}`;
}

export const history = defineCommand({
  name: "host history",
  usage: "",
  argument: "nothing",
  most: 0,
  about: `Every change of this host, oldest first: when it was (UTC), which commit it
brought, and how many files it changed (-v names them).`,
  options: hostOptions,
  example: "stet host history",
  async run({ values }, io) {
    const target = targetOf(values, io);
    const history = historyOf(target, readRecords(target));
    if (values.json) printJson(io, history);
    else if (!values.quiet)
      for (const each of history.generations)
        io.out(generationText(each, painter(values, io), values.verbose === true));
    return 0;
  },
});

function generationText(
  { number, time, command, rev, from, files, held, running }: HostGeneration,
  paint: Paint,
  verbose: boolean,
): string {
  const commits = printableLine(from === null || from === rev ? short(rev) : `${short(from)} → ${short(rev)}`);
  const marks = [...(running ? [paint.green("runs")] : []), ...(held ? [paint.yellow("held")] : [])].join(", ");
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const lines = verbose ? files.map(({ path, action }) => `      ${action} ${printableLine(path)}\n`) : [];
  return `  ${paint.bold(String(number).padStart(3))}  ${moment(time)}  ${command.padEnd(8)}  ${commits}  ${paint.dim(count)}${marks ? `  ${marks}` : ""}\n${lines.join("")}`;
}
