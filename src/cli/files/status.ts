import { type Diagnostic, InputError } from "../../core/diagnostic.ts";
import { changesAnything, type OwnerPlan } from "../../engine/plan-owner.ts";
import { ownersOf } from "../../engine/records.ts";
import { unknownOwner } from "../../files/places/find-entries.ts";
import { allInstances } from "../../files/project.ts";
import { statusOf } from "../../files/status.ts";
import { paint } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { glanceOf, statusText } from "../../report/status-text.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf, wantsColour } from "../shell/options.ts";
import { tell } from "../shell/tell.ts";
import { instancesOf } from "./instances.ts";

export const command = defineCommand({
  name: "status",
  usage: "[NAME]",
  argument: "owner",
  most: 1,
  about:
    "Shows every owner with its files and entries: what is current, what you edited, and what needs you. Works without the pack.",
  options: {
    all: { type: "boolean", help: "also every project on this machine" },
    "exit-code": { type: "boolean", help: "2 if applying the installed version again would change something" },
  },
  example: "stet status zylos",
  async run({ values, positionals }, io) {
    const plans = await showStatus(positionals[0], values, io, values.all);
    if (plans.some(({ document }) => document.diagnostics.some(({ severity }) => severity === "error"))) return 1;
    return values["exit-code"] && plans.some(changesAnything) ? 2 : 0;
  },
});

/** How everything installed stands, or one owner's part of it, as the options want it printed. */
export async function showStatus(
  name: string | undefined,
  values: CommonValues,
  io: Io,
  everywhere = false,
): Promise<OwnerPlan[]> {
  const machine = machineOf(values, io);
  const instances = everywhere ? allInstances(machine, instancesOf(values, io)) : instancesOf(values, io);
  const plans: OwnerPlan[] = [];
  const errors: Diagnostic[] = [];
  for (const each of instances) {
    try {
      if (name === undefined || ownersOf(each).includes(name)) plans.push(...(await statusOf(each, name)));
    } catch (error) {
      // A project whose records can't be read hides no other.
      if (!everywhere || !(error instanceof InputError)) throw error;
      errors.push(...error.diagnostics);
    }
  }
  if (plans.length === 0 && name !== undefined) throw unknownOwner(name, machine);
  const shown = plans.map(({ document }) => (values["show-secrets"] ? document : maskPlan(document)));
  if (values.json) {
    const owners = shown.map((document) => ({ ...document, glance: glanceOf(document) }));
    const diagnostics = errors.length > 0 ? { diagnostics: errors } : {};
    io.out(`${jsonText({ format_version: 1, owners, ...diagnostics })}\n`);
  } else if (!values.quiet) {
    const colours = paint(wantsColour(values, io));
    const texts = shown.map((document) =>
      statusText(document, { home: machine.home, paint: colours, verbose: values.verbose }),
    );
    if (texts.length > 0) tell(io, texts.join("\n"));
    else if (errors.length === 0) tell(io, `nothing is installed; begin with: ${io.program} apply DIR\n`);
  }
  if (errors.length > 0) throw new InputError(errors[0]!, errors.slice(1));
  return plans;
}
