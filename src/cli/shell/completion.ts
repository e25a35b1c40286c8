import { InputError } from "../../core/diagnostic.ts";
import { pathContext } from "../../engine/machine.ts";
import { ownersOf, readRecords } from "../../engine/records.ts";
import { maskKey } from "../../report/mask/mask.ts";
import { instancesOf } from "../files/instances.ts";
import { commands } from "../main.ts";
import { defineCommand } from "./command.ts";
import { commandWords, completionScript, type Shell, shells } from "./completion-scripts.ts";
import type { Io } from "./io.ts";
import type { CommonValues } from "./options.ts";

export const command = defineCommand({
  name: "completion",
  usage: "bash | zsh | fish | powershell",
  argument: "shell",
  most: 1,
  about: `Prints a script that completes commands, options, owners and keys.

  bash         in ~/.bashrc: source <(stet completion bash)
  zsh          save as _stet in a folder of your fpath: stet completion zsh
  fish         save as ~/.config/fish/completions/stet.fish: stet completion fish
  PowerShell   in $PROFILE: stet completion powershell | Out-String | Invoke-Expression`,
  options: {},
  example: "source <(stet completion bash)",
  async run({ values, positionals }, io) {
    const [shell] = positionals;
    // The scripts ask for the names of owners, and for keys, with these.
    if (shell === "owners" || shell === "keys") {
      const lines = shell === "owners" ? ownersHere(values, io) : keysHere(values, io);
      io.out(lines.map((line) => `${line}\n`).join(""));
      return 0;
    }
    if (!isShell(shell))
      throw new InputError({
        code: "usage",
        message: `name a shell: ${io.program} completion ${shells.join(" | ")}`,
      });
    const loaded = await Promise.all(
      Object.entries(commands).map(async ([name, { summary, load }]) =>
        commandWords(name, summary, (await load()).command),
      ),
    );
    io.out(completionScript(shell, io.program, loaded));
    return 0;
  },
});

function ownersHere(values: CommonValues, io: Io): string[] {
  return [...new Set(instancesOf(values, io).flatMap((machine) => ownersOf(machine)))].sort();
}

/** The keys on record. One that holds a secret is not offered: nobody wants to see it on the screen. */
function keysHere(values: CommonValues, io: Io): string[] {
  const keys = instancesOf(values, io).flatMap((machine) =>
    ownersOf(machine).flatMap((name) => {
      const records = readRecords(machine.gate, machine, name, pathContext(machine, []));
      return Object.values(records?.files ?? {}).flatMap(({ entries, wanted = {} }) =>
        Object.keys({ ...entries, ...wanted }),
      );
    }),
  );
  return [...new Set(keys)].filter((key) => maskKey(key) === key && !key.includes("\n")).sort();
}

function isShell(name: string | undefined): name is Shell {
  return (shells as readonly (string | undefined)[]).includes(name);
}
