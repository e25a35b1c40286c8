import { generationsOf } from "../../engine/owner-state.ts";
import { ownersOf } from "../../engine/records.ts";
import { unknownOwner } from "../../files/places/find-entries.ts";
import { paint } from "../../report/colour.ts";
import { historyText } from "../../report/history-text.ts";
import { defineCommand } from "../shell/command.ts";
import { columnsOf, tell } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { ownerArgument } from "./instances.ts";

export const command = defineCommand({
  name: "history",
  usage: "[NAME]",
  argument: "owner",
  most: 1,
  about: "Lists the generations: every change of files or records, with its time (UTC), the command and the files.",
  options: {},
  example: "stet history zylos",
  async run({ values, positionals }, io) {
    const { name, machine } = ownerArgument(positionals[0], values, io);
    const generations = generationsOf(machine, name);
    if (generations.length === 0 && !ownersOf(machine).includes(name)) throw unknownOwner(name, machine);
    if (values.json) {
      io.out(`${JSON.stringify({ format_version: 1, name, generations }, undefined, 2)}\n`);
      return 0;
    }
    if (!values.quiet) tell(io, historyText(generations, machine.home, paint(wantsColour(values, io)), columnsOf(io)));
    return 0;
  },
});
