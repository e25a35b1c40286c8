import { resolve } from "node:path";
import { findProject } from "../../engine/machine.ts";
import { projectsOf } from "../../files/project.ts";
import { listRunners, type RunningEntry } from "../../files/who-runs.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskKey } from "../../report/mask/mask.ts";
import { maskInText } from "../../report/mask/text.ts";
import { tilde } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { complain, tell } from "../shell/io.ts";
import { machineOf, wantsColour } from "../shell/options.ts";

export const command = defineCommand({
  name: "who-runs",
  usage: "[DIR]",
  argument: "file",
  most: 1,
  about: `Lists every hook, server and permission of every agent runtime: what runs, which
file and line it comes from, and who manages it. Looks at your own files and at
those of the project in DIR (default: here).`,
  options: {
    all: { type: "boolean", help: "include every project on this machine that has a pack" },
  },
  example: "stet who-runs",
  async run({ values, positionals }, io) {
    const machine = machineOf(values, io);
    const folder = resolve(io.cwd, positionals[0] ?? values.project ?? ".");
    const here = findProject(machine.gate, folder, machine.home) ?? folder;
    const others = values.all ? projectsOf(machine).flatMap(({ root, isThere }) => (isThere ? [root] : [])) : [];
    const projects = [...new Set([...(here === machine.home ? [] : [here]), ...others])];
    const found = await listRunners(machine, projects);
    const shown = values["show-secrets"] ? found : { ...found, entries: found.entries.map(masked) };
    if (values.json) io.out(`${jsonText({ ...shown })}\n`);
    else if (!values.quiet) tell(io, whoRunsText(shown.entries, machine.home, paint(wantsColour(values, io))));
    for (const { file, message } of shown.unreadable)
      complain(io, `${io.program}: ${printableLine(`${file}: ${message}; what is in it is not listed`)}\n`);
    return 0;
  },
});

function masked(entry: RunningEntry): RunningEntry {
  return {
    ...entry,
    key: maskKey(entry.key),
    what: maskInText(entry.what),
    problem: entry.problem && maskInText(entry.problem),
  };
}

function whoRunsText(entries: readonly RunningEntry[], home: string, colours: Paint): string {
  if (entries.length === 0) return "no runtime has a hook, server or permission here\n";
  const lines: string[] = [];
  let group = "";
  for (const { runtime, file, line, type, when, what, owner, problem } of entries) {
    const heading = `${colours.bold(runtime)}  ${colours.dim(tilde(file, home))}`;
    if (heading !== group) lines.push(...(group === "" ? [] : [""]), heading);
    group = heading;
    lines.push(
      `  ${colours.dim(`${line}:`.padStart(5))} ${printableLine(`${type} ${when}`)}  ${printableLine(what)}  ${colours.cyan(owner)}`,
    );
    if (problem !== undefined) lines.push(`        ${colours.yellow(printableLine(problem))}`);
  }
  return `${lines.join("\n")}\n`;
}
