import { pauseHost } from "../../host/pause.ts";
import { defineCommand } from "../shell/command.ts";
import { parseDuration } from "../shell/duration.ts";
import { hostOptions, takeOverState, targetOf } from "./options.ts";
import { painter, printJson } from "./output.ts";
import { pauseLine } from "./text.ts";

export const command = defineCommand({
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
    const paused = await pauseHost(targetOf(values, io), positionals[0], forMs);
    if (values.json) printJson(io, { format_version: 1, paused });
    else if (!values.quiet) for (const pause of paused) io.out(`${pauseLine(pause, painter(values, io))}\n`);
    return 0;
  },
});
