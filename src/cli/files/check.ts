import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inProject, type Machine, platformFrom } from "../../engine/machine.ts";
import { type CheckReport, checkPack, type Homes, hasFailed, type Trial } from "../../files/check/check.ts";
import type { Pack } from "../../files/manifest/pack.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { counted } from "../../report/values.ts";
import type { Gate } from "../../store/gate/gate.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { machineOf, wantsColour } from "../shell/options.ts";
import { tell } from "../shell/tell.ts";
import { withTemporaryFolder } from "../shell/temporary-home.ts";
import { packFromArgument } from "./pack-argument.ts";

export const command = defineCommand({
  name: "check",
  usage: "[DIR|stet.yaml]",
  argument: "file",
  most: 1,
  about: `Tries a pack in temporary homes: is the manifest valid, do upgrades from every release under earlier work (recorded, and installed before
there were records), does a second run change nothing, does uninstall give every byte back? Your own files are never near; variables are
not taken from the environment. Exit 1 if anything is wrong.`,
  options: {},
  example: "stet check ./my-pack",
  async run({ values, positionals }, io) {
    // Only to read the pack: what it would write goes to the temporary homes.
    const reading = { ...machineOf({ ...values, home: values.home ?? io.cwd }, io), env: {} };
    const pack = packFromArgument(positionals[0], values, reading, io);
    const earlier = pack.earlier.map((release) => release.pack);
    const report = await checkPack(pack, earlier, temporaryHomes(io, reading.gate, pack.scope));
    if (values.json) io.out(`${JSON.stringify(report, undefined, 2)}\n`);
    else if (!values.quiet) tell(io, checkText(report, paint(wantsColour(values, io))));
    return report.passed ? 0 : 1;
  },
});

function temporaryHomes(io: Io, gate: Gate, scope: Pack["scope"]): Homes {
  const platform = platformFrom(io.platform);
  return {
    use: (trial) =>
      withTemporaryFolder("stet-check-", (folder) => {
        const [home, stateDir] = [join(folder, "home"), join(folder, "state")];
        mkdirSync(home);
        const user: Machine = { home, stateDir, env: {}, platform, program: io.program, gate, now: io.now };
        if (scope === "project") mkdirSync(join(home, "project", ".git"), { recursive: true });
        const machine = scope === "project" ? inProject(user, join(home, "project")) : user;
        return trial({ machine, forget: () => rmSync(stateDir, { recursive: true, force: true }) });
      }),
  };
}

function checkText({ name, version, passed, trials }: CheckReport, colours: Paint): string {
  const lines = [
    `${colours.bold(printableLine(name))} ${printableLine(version)}`,
    "",
    ...trials.flatMap((trial) => trialLines(trial, colours)),
  ];
  const last = passed ? colours.green("The pack is in order.") : colours.red("The pack needs work.");
  return `${lines.join("\n")}\n\n${last} ${colours.dim(`${counted(trials.length, "trial", "trials")}`)}\n`;
}

function trialLines(trial: Trial, colours: Paint): string[] {
  return [
    `  ${hasFailed(trial) ? colours.red("✗") : colours.green("✓")} ${trial.name}`,
    ...trial.findings.map(({ severity, message, file, line, column }) => {
      const place = [file, line, column].filter((part) => part !== undefined).join(":");
      const text = printableLine(place === "" ? message : `${place}: ${message}`);
      return `      ${severity === "info" ? colours.dim(text) : text}`;
    }),
  ];
}
