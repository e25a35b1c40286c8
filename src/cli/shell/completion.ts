import { InputError } from "../../core/diagnostic.ts";
import { ownersOf } from "../../engine/records.ts";
import { commands } from "../main.ts";
import { defineCommand } from "./command.ts";
import { wordsOf } from "./command-words.ts";
import { completionScript, type Shell, shells } from "./completion-scripts.ts";
import { machineOf } from "./options.ts";

export const command = defineCommand({
  name: "completion",
  usage: "bash | zsh | fish",
  argument: "nothing",
  most: 1,
  about: `Prints a script that completes commands and options. For bash, in ~/.bashrc: source <(stet completion bash)
For zsh: stet completion zsh > a folder of your fpath, as _stet.
For fish: stet completion fish > ~/.config/fish/completions/stet.fish`,
  options: {},
  example: "source <(stet completion bash)",
  async run({ values, positionals }, io) {
    const [shell] = positionals;
    // The scripts ask for the names of owners with this.
    if (shell === "owners") {
      const machine = machineOf(values, io);
      io.out(
        ownersOf(machine)
          .map((name) => `${name}\n`)
          .join(""),
      );
      return 0;
    }
    if (!isShell(shell))
      throw new InputError({
        code: "usage",
        message: `say for which shell: ${io.program} completion ${shells.join(" | ")}`,
      });
    const loaded = await Promise.all(
      Object.entries(commands).map(async ([name, { summary, load }]) => wordsOf(name, summary, (await load()).command)),
    );
    io.out(completionScript(shell, io.program, loaded));
    return 0;
  },
});

function isShell(name: string | undefined): name is Shell {
  return (shells as readonly (string | undefined)[]).includes(name);
}
