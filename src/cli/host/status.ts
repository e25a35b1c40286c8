import { isUp } from "../../host/effects/health.ts";
import { type HostStatus, isSettled, statusOf } from "../../host/status.ts";
import { type Paint, printableLine } from "../../report/colour.ts";
import { defineCommand } from "../shell/command.ts";
import { exitCodes, hostOptions } from "./options.ts";
import { painter, printJson } from "./output.ts";
import { reconcilingOf } from "./setup.ts";
import { actionLine, short } from "./text.ts";

export const command = defineCommand({
  name: "host status",
  usage: "",
  argument: "nothing",
  most: 0,
  about: "What is managed here, what was edited, which units are down.",
  options: hostOptions,
  notes: exitCodes,
  example: "stet host status --exit-code",
  async run({ values }, io) {
    const { target, effects } = reconcilingOf(values, io);
    const status = await statusOf(target, effects.manager);
    if (values.json) printJson(io, status);
    else if (!values.quiet) io.out(statusText(status, painter(values, io)));
    return values["exit-code"] && !isSettled(status) ? 2 : 0;
  },
});

function statusText(status: HostStatus, paint: Paint): string {
  if (status.version === null) return "nothing is applied here\n";
  const lines = [`${paint.bold(printableLine(status.host ?? status.name))} ${printableLine(short(status.version))}`];
  if (status.held !== null) lines.push(`  held: ${printableLine(short(status.held))} was rolled back from`);
  if (status.interrupted) lines.push("  a run was interrupted: the next apply finishes it");
  for (const { path, service, state } of status.files) {
    lines.push(
      `  ${state === "ok" ? paint.green("ok     ") : paint.yellow(state.padEnd(7))} ${printableLine(path)}  ${paint.dim(printableLine(service))}`,
    );
  }
  for (const unit of status.units) {
    const word = `${unit.active} (${unit.sub})`;
    lines.push(
      `  ${isUp(unit) ? paint.green("●") : unit.active === "failed" ? paint.red("●") : paint.dim("○")} ${printableLine(unit.unit)}  ${paint.dim(printableLine(word))}`,
    );
  }
  if (status.pending.length > 0) lines.push("still to do:", ...status.pending.map((action) => actionLine(action, paint)));
  return `${lines.join("\n")}\n`;
}
