import { InputError } from "../../core/diagnostic.ts";
import { ownersIn } from "../../store/records/registry.ts";
import { commands } from "../main.ts";
import { wordsOf } from "./command-words.ts";
import { completionScript, type Shell, shells } from "./completion-scripts.ts";
import type { Command } from "./io.ts";
import { machineOf, parseOptions } from "./options.ts";

export const command: Command = {
  name: "completion",
  summary: "completion for bash, zsh and fish",
  help: `usage: stet completion bash | zsh | fish

Prints a script that completes commands and options. For bash, in ~/.bashrc: source <(stet completion bash)
For zsh: stet completion zsh > a folder of your fpath, as _stet. For fish: stet completion fish > ~/.config/fish/completions/stet.fish

example: source <(stet completion bash)
`,
  async run(args, io) {
    const { values, positionals } = parseOptions(args, {}, io, "completion");
    const [shell] = positionals;
    // The scripts ask for the names of owners with this.
    if (shell === "owners") {
      const machine = machineOf(values, io);
      io.out(
        ownersIn(machine.gate, machine.stateDir)
          .map((name) => `${name}\n`)
          .join(""),
      );
      return 0;
    }
    if (!isShell(shell))
      throw new InputError({ code: "usage", message: `say for which shell: ${io.program} completion ${shells.join(" | ")}` });
    const loaded = await Promise.all(Object.values(commands).map(async ({ load }) => wordsOf((await load()).command)));
    io.out(completionScript(shell, io.program, loaded));
    return 0;
  },
};

function isShell(name: string | undefined): name is Shell {
  return (shells as readonly (string | undefined)[]).includes(name);
}
