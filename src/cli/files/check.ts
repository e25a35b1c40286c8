import { platformFrom } from "../../engine/machine.ts";
import { type CheckReport, checkPack, hasFailed, type Trial, trialHomes } from "../../files/check/check.ts";
import { type Paint, paint, printableLine } from "../../report/colour.ts";
import { counted } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { tell } from "../shell/io.ts";
import { machineOf, wantsColour } from "../shell/options.ts";
import { withTemporaryFolder } from "../shell/temporary-home.ts";
import { packFromArgument } from "./instances.ts";

export const command = defineCommand({
  name: "check",
  usage: "[DIR|stet.yaml]",
  argument: "file",
  most: 1,
  about: `Tries a pack in temporary homes. Is the manifest valid? Does the upgrade from every release under earlier work, with records and without?
Does a second run change nothing? Does uninstall give every byte back? Your own files are not touched, and variables are not read from
the environment. Exits 1 if anything is wrong.`,
  options: {},
  example: "stet check ./my-pack",
  async run({ values, positionals }, io) {
    // Only to read the pack: what it would write goes to the temporary homes.
    const reading = { ...machineOf({ ...values, home: values.home ?? io.cwd }, io), env: {} };
    const pack = packFromArgument(positionals[0], values, reading, io);
    const earlier = pack.earlier.map((release) => release.pack);
    const trialMachine = { platform: platformFrom(io.platform), program: io.program, gate: reading.gate, now: io.now };
    const homes = trialHomes(pack.scope, trialMachine, (use) => withTemporaryFolder("stet-check-", use));
    const report = await checkPack(pack, earlier, homes);
    if (values.json) io.out(`${JSON.stringify(report, undefined, 2)}\n`);
    else if (!values.quiet) tell(io, checkText(report, paint(wantsColour(values, io))));
    return report.passed ? 0 : 1;
  },
});

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
