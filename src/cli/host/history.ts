import { type HostGeneration, historyOf } from "../../host/history.ts";
import { readRecords } from "../../host/observe-host.ts";
import { type Paint, printableLine } from "../../report/colour.ts";
import { moment } from "../../report/values.ts";
import { defineCommand } from "../shell/command.ts";
import { hostOptions, targetOf } from "./options.ts";
import { painter, printJson } from "./output.ts";
import { short } from "./text.ts";

export const command = defineCommand({
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
