import { resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { blameLines } from "../../files/blame/blame.ts";
import { blameText, maskBlame } from "../../report/blame-text.ts";
import { paint } from "../../report/colour.ts";
import { defineCommand } from "../shell/command.ts";
import { wantsColour } from "../shell/options.ts";
import { fileColumnsOf } from "../shell/tell.ts";
import { instancesOf } from "./instances.ts";

export const command = defineCommand({
  name: "blame",
  usage: "FILE",
  argument: "file",
  most: 1,
  about: `Shows every line of a file with whose it is:

  zylos@1.4.0      written by zylos, last in this version
  you              yours; an owner wants it, too
  you-over-zylos   your change of what zylos wrote
  unmanaged        yours: no owner manages it`,
  options: {},
  example: "stet blame ~/.claude/settings.json",
  async run({ values, positionals }, io) {
    const [file] = positionals;
    if (file === undefined)
      throw new InputError({ code: "usage", message: `say which file: ${io.program} blame FILE` });
    const found = await blameLines(file.startsWith("~") ? file : resolve(io.cwd, file), instancesOf(values, io));
    const lines = values["show-secrets"] ? found.lines : maskBlame(found.lines);
    if (values.json) io.out(`${JSON.stringify({ ...found, lines }, undefined, 2)}\n`);
    else if (!values.quiet) io.out(blameText(lines, paint(wantsColour(values, io)), fileColumnsOf(io)));
    return 0;
  },
});
