import { pauseHost, resumeHost } from "../../host/pause.ts";
import { defineCommand } from "../shell/command.ts";
import { parseDuration } from "../shell/duration.ts";
import { tell } from "../shell/tell.ts";
import { hostOptions, hostTargetOf, takeOverState } from "./options.ts";
import { painter, pauseLine, printJson } from "./output.ts";

export const pauseHostCommand = defineCommand({
  name: "host pause",
  usage: "[UNIT]",
  argument: "nothing",
  most: 1,
  about: `For maintenance: until it ends, apply and watch change, start, stop and undo
nothing on this host, or nothing of one unit. Everything says so meanwhile.`,
  options: {
    for: { type: "string", value: "DURATION", help: "how long; without it until: host resume" },
    ...hostOptions,
  },
  example: "stet host pause web.container --for 2h",
  async run({ values, positionals }, io) {
    const forMs = values.for === undefined ? undefined : parseDuration("for", values.for);
    await takeOverState(values, io);
    const paused = await pauseHost(hostTargetOf(values, io), positionals[0], forMs);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) for (const pause of paused) tell(io, `${pauseLine(pause, painter(values, io))}\n`);
    return 0;
  },
});

export const resume = defineCommand({
  name: "host resume",
  usage: "[UNIT]",
  argument: "nothing",
  most: 1,
  about: "Ends the pause of a unit, or without one all there are. The next run does what waited.",
  options: hostOptions,
  example: "stet host resume",
  async run({ values, positionals }, io) {
    await takeOverState(values, io);
    const paused = await resumeHost(hostTargetOf(values, io), positionals[0]);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) {
      if (paused.length === 0) tell(io, "nothing is paused any more\n");
      for (const pause of paused) tell(io, `${pauseLine(pause, painter(values, io))}\n`);
    }
    return 0;
  },
});
