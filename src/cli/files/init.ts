import { relative, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { type FirstPack, initPack, knownFiles } from "../../files/init/init.ts";
import { paint, printableLine } from "../../report/colour.ts";
import { tilde } from "../../report/values.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf, wantsColour } from "../shell/options.ts";

export const command = defineCommand({
  name: "init",
  usage: "FILE…",
  argument: "file",
  about: `Makes a pack from config files as they are: a stet.yaml with the profile of each file that is recognised, and a template for each.
Entries that look secret are left out of the templates, and your home becomes a variable. Overwrites nothing.`,
  options: {
    dir: { type: "string", value: "DIR", help: "where the pack goes (here)" },
    name: { type: "string", value: "NAME", help: "the owner's name (the folder's)" },
  },
  example: "stet init ~/.claude/settings.json --dir my-pack",
  async run({ values, positionals }, io) {
    const machine = machineOf(values, io);
    if (positionals.length === 0) {
      const found = knownFiles(machine);
      const here = found.length === 0 ? "" : `; here are ${found.join(", ")}`;
      throw new InputError({
        code: "usage",
        message: `say which files to begin from: ${io.program} init FILE…${here}`,
      });
    }
    const folder = resolve(io.cwd, values.dir ?? ".");
    const paths = positionals.map((path) => (path.startsWith("~") ? path : resolve(io.cwd, path)));
    const pack = await initPack(paths, machine, { folder, name: values.name });
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, ...pack }, undefined, 2)}\n`);
    else if (!values.quiet) show(pack, values, io, machine.home);
    return 0;
  },
});

function show({ manifest, files }: FirstPack, values: CommonValues, io: Io, home: string): void {
  const { bold, dim, yellow } = paint(wantsColour(values, io));
  const near = relative(io.cwd, manifest);
  const path = near.startsWith("..") ? tilde(manifest, home) : printableLine(near);
  io.out(`${bold(path)}\n`);
  for (const { target, template, profile, leftOut, notes } of files) {
    const whose = profile === undefined ? "" : dim(`  (${profile})`);
    io.out(`  ${printableLine(target)}${whose}  ${dim("from")} ${printableLine(template)}\n`);
    if (leftOut.length > 0)
      io.out(`    ${yellow("left out, as it looks secret:")} ${printableLine(leftOut.join(", "))}\n`);
    for (const note of notes) io.out(`    ${yellow("look at it:")} ${printableLine(note)}\n`);
  }
  io.out(`\nsee what it would do: ${io.program} plan ${path}\n`);
}
