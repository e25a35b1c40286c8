import { hostHelp } from "./host-help.ts";
import type { Command, Io } from "./io.ts";

type Run = (args: readonly string[], io: Io) => Promise<number>;

const subcommands: Readonly<Record<string, () => Promise<{ readonly run: Run }>>> = {
  evaluate: () => import("./host-evaluate.ts"),
  check: () => import("./host-check.ts"),
  show: () => import("./host-show.ts"),
  diff: () => import("./host-diff.ts"),
  plan: () => import("./host-plan.ts"),
  apply: () => import("./host-apply.ts"),
  status: () => import("./host-status.ts"),
  watch: () => import("./host-watch.ts"),
  rollback: () => import("./host-rollback.ts"),
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
