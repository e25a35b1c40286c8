import { resumeHost } from "../../host/pause.ts";
import { defineCommand } from "../shell/command.ts";
import { hostOptions, takeOverState, targetOf } from "./options.ts";
import { painter, printJson } from "./output.ts";
import { pauseLine } from "./text.ts";

export const command = defineCommand({
  name: "host resume",
  usage: "[UNIT]",
  argument: "nothing",
  most: 1,
  about: "Ends the pause of a unit, or without one all there are. The next run does what waited.",
  options: hostOptions,
  example: "stet host resume",
  async run({ values, positionals }, io) {
    await takeOverState(values, io);
    const paused = await resumeHost(targetOf(values, io), positionals[0]);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) {
      if (paused.length === 0) io.out("nothing is paused any more\n");
      for (const pause of paused) io.out(`${pauseLine(pause, painter(values, io))}\n`);
    }
    return 0;
  },
});
