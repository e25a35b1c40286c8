import { InputError } from "../../core/diagnostic.ts";
import { evaluateFor } from "../../host/evaluate/evaluate.ts";
import { openCatalog } from "../../host/evaluate/service.ts";
import { type HostGeneration, hostHistory } from "../../host/history.ts";
import { type HostRecords, readHostRecords } from "../../host/observe.ts";
import type { Reconciling } from "../../host/reconcile.ts";
import { repositoryOf } from "../../host/registry.ts";
import { openSource, versionOf } from "../../host/repository/source.ts";
import { downUnits, type HostStatus, hostStatus, isSettled, type UnitStatus } from "../../host/status.ts";
import { type Paint, printableLine } from "../../report/colour.ts";
import { moment } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { type Io, tell } from "../shell/io.ts";
import { exitCodes, type HostValues, hostOptions, hostTargetOf } from "./options.ts";
import { actionLine, painter, pauseLine, printDiagnostics, printJson, short } from "./output.ts";
import { reconcilingOf } from "./run.ts";

export const statusHostCommand = defineCommand({
  name: "host status",
  about: `Shows what is managed here, what was edited, and which units are down. With --repo or
--exit-code, also says whether the repository has a newer commit.`,
  options: { offline: { type: "boolean", help: "do not look for a newer commit" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host status --exit-code",
  async run({ values }, io) {
    const run = reconcilingOf(values, io);
    const records = readHostRecords(run.target);
    const looks = !values.offline && (values["exit-code"] === true || namesRepository(values, io));
    const available = looks ? await newest(run, records, values, io) : null;
    const status = await hostStatus(run.target, records, run.effects, available);
    if (values.json) printJson(io, status);
    else if (!values.quiet) tell(io, statusText(status, painter(values, io)));
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
    return versionOf(source.rev, evaluateFor(openCatalog(source.tree), registry.host ?? run.host, run.target.layout));
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
  const told = (word: string, rest: string) => lines.push(`  ${paint.yellow(word)}: ${rest}`);
  if (status.held !== null) told("held", `${printableLine(short(status.held))} was rolled back and is held`);
  const { available } = status;
  if (available !== null && available !== status.version && available !== status.held)
    told("newer", `the repository is at ${printableLine(short(available))}`);
  for (const pause of status.paused) lines.push(pauseLine(pause, paint));
  if (status.interrupted) lines.push("  a run was interrupted: the next apply finishes it");
  for (const { path, service, state } of status.files) {
    const colour = state === "ok" ? paint.green : paint.yellow;
    lines.push(`  ${colour(state.padEnd(7))} ${printableLine(path)}  ${paint.dim(printableLine(service))}`);
  }
  const down = new Set(downUnits(status));
  for (const unit of status.units) lines.push(unitLine(unit, down.has(unit), paint));
  for (const name of status.outdated) {
    const note = "podman keeps it as it is; see apply --recreate";
    lines.push(`  ${paint.yellow("outdated")} ${printableLine(name)}  ${paint.dim(note)}`);
  }
  if (status.pending.length > 0)
    lines.push("still to do:", ...status.pending.map((action) => actionLine(action, paint)));
  return `${lines.join("\n")}\n`;
}

function unitLine(unit: UnitStatus, isDown: boolean, paint: Paint): string {
  const [sign, colour] = isDown
    ? (["●", paint.red] as const)
    : unit.active === "active"
      ? (["●", paint.green] as const)
      : (["○", paint.dim] as const);
  const note = unit.standing === "finished" || unit.standing === "disabled" ? `, ${unit.standing}` : "";
  return `  ${colour(sign)} ${printableLine(unit.unit)}  ${paint.dim(printableLine(unit.said + note))}`;
}

export const historyHostCommand = defineCommand({
  name: "host history",
  about: `Lists every change of this host, oldest first: when it happened (UTC), which commit it
brought, and how many files it changed (-v names them).`,
  options: hostOptions,
  example: "stet host history",
  async run({ values }, io) {
    const target = hostTargetOf(values, io);
    const history = hostHistory(target, readHostRecords(target));
    if (values.json) printJson(io, history);
    else if (!values.quiet)
      for (const each of history.generations)
        tell(io, generationText(each, painter(values, io), values.verbose === true));
    return 0;
  },
});

function generationText(
  { number, time, command, rev, from, files, held, running }: HostGeneration,
  paint: Paint,
  verbose: boolean,
): string {
  const commits = printableLine(from === null || from === rev ? short(rev) : `${short(from)} → ${short(rev)}`);
  const count = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  const columns = [
    `  ${paint.bold(String(number).padStart(3))}  ${moment(time)}  ${command.padEnd(8)}`,
    commits,
    paint.dim(count),
    ...(running ? [paint.green("runs")] : []),
    ...(held ? [paint.yellow("held")] : []),
  ];
  const lines = verbose ? files.map(({ path, action }) => `      ${action} ${printableLine(path)}`) : [];
  return `${[columns.join("  "), ...lines].join("\n")}\n`;
}
