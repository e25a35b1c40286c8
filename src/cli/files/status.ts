import { changesAnything } from "../../files/plan.ts";
import { statusOf } from "../../files/status.ts";
import { paint } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask.ts";
import { glanceOf, statusText } from "../../report/status-text.ts";
import { commonHelp } from "../shell/help.ts";
import type { Command } from "../shell/io.ts";
import { machineOf, parseOptions, wantsColour } from "../shell/options.ts";

export const command: Command = {
  name: "status",
  summary: "every managed file and entry: owner, version, edits, conflicts, drift",
  help: `usage: stet status [NAME]

Shows every owner with its files and entries, and how they stand against what it last wanted. Needs no manifest.

  --exit-code   2 if something is not as the owner last wanted it
${commonHelp}
example: stet status zylos
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, { "exit-code": { type: "boolean" } }, io, "status");
    const machine = machineOf(values, io);
    const plans = await statusOf(machine, positionals[0]);
    const shown = plans.map(({ document }) => (values["show-secrets"] ? document : maskPlan(document)));
    if (values.json) {
      const owners = shown.map((document) => ({ ...document, glance: glanceOf(document) }));
      io.out(`${jsonText({ format_version: 1, owners })}\n`);
    } else if (!values.quiet) {
      const colours = paint(wantsColour(values, io));
      const texts = shown.map((document) => statusText(document, machine.home, colours));
      io.out(texts.length === 0 ? `nothing is installed; begin with: ${io.program} apply DIR\n` : texts.join("\n"));
    }
    return values["exit-code"] && plans.some(changesAnything) ? 2 : 0;
  },
};
