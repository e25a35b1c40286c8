import { InputError } from "../../core/diagnostic.ts";
import { modifyText } from "../../files/modify.ts";
import { packFromArgument } from "../files/instances.ts";
import { defineCommand } from "../shell/command.ts";
import { machineOf } from "../shell/options.ts";

export const command = defineCommand({
  name: "modify",
  usage: "PACK TARGET < LIVE > WANTED",
  argument: "file",
  most: 2,
  about: `Prints what apply would make of a file: reads the current text from standard input (empty if there is no
file yet) and writes the wanted one to standard output. Keeps no records and touches no file. For chezmoi's
modify_ scripts, home-manager, Ansible and image builds.`,
  options: {},
  example: "stet modify ./my-pack ~/.claude/settings.json < settings.json",
  async run({ values, positionals }, io) {
    const [pack, target] = positionals;
    if (pack === undefined || target === undefined)
      throw new InputError({
        code: "usage",
        message: `name a pack and one of its targets: ${io.program} modify PACK TARGET`,
      });
    const machine = machineOf(values, io);
    const live = await io.readInput();
    const text = await modifyText(
      packFromArgument(pack, values, machine, io),
      { target, text: live === "" ? undefined : live },
      machine,
    );
    io.out(text ?? "");
    return 0;
  },
});
