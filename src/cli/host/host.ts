import type { Command, Io } from "../shell/io.ts";
import { hostHelp } from "./help.ts";

type Run = (args: readonly string[], io: Io) => Promise<number>;

const subcommands: Readonly<Record<string, () => Promise<{ readonly run: Run }>>> = {
  evaluate: () => import("./evaluate.ts"),
  check: () => import("./check.ts"),
  show: () => import("./show.ts"),
  diff: () => import("./diff.ts"),
  plan: () => import("./plan.ts"),
  apply: () => import("./apply.ts"),
  status: () => import("./status.ts"),
  watch: () => import("./watch.ts"),
  rollback: () => import("./rollback.ts"),
};

/** `stet host …`: each sub-command is loaded only when it is called. */
export const command: Command = {
  name: "host",
  summary: "shared services and host overlays, from Git to running units",
  help: hostHelp,
  async run(args, io) {
    const [name = "", ...rest] = args;
    if (name === "help" || name === "--help" || name === "-h") {
      io.out(hostHelp);
      return 0;
    }
    const load = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (load === undefined) {
      const what = name === "" ? "a sub-command is missing" : `there is no sub-command ${JSON.stringify(name)}`;
      io.err(`${io.program} host: ${what}; there are ${Object.keys(subcommands).join(", ")}\n`);
      return 1;
    }
    return (await load()).run(rest, io);
  },
};
