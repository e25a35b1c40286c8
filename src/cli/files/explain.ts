import { InputError } from "../../core/diagnostic.ts";
import { storyOf } from "../../files/explain.ts";
import { paint } from "../../report/colour.ts";
import { explainText, maskExplanation } from "../../report/explain-text.ts";
import { jsonText } from "../../report/json-text.ts";
import { defineCommand } from "../shell/command.ts";
import { columnsOf } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { instanceWith } from "./instances.ts";

export const command = defineCommand({
  name: "explain",
  usage: "KEY",
  argument: "key",
  most: 1,
  about: `Tells the whole story of one entry: your value, the owner's, what is on record, what the next apply does
and why, and every change with its date and version. KEY may be FILE#KEY, or any part of a key that
only one entry has.`,
  options: {
    owner: { type: "string", value: "NAME", help: "only this owner's entries" },
  },
  example: "stet explain setting:theme",
  async run({ values, positionals }, io) {
    const [text] = positionals;
    if (text === undefined)
      throw new InputError({ code: "usage", message: `name an entry: ${io.program} explain KEY` });
    const query = { text, owner: values.owner, folder: io.cwd };
    const machine = instanceWith(query, values, io);
    const found = await storyOf(query, machine);
    const shown = values["show-secrets"] ? found : found.map(maskExplanation);
    if (values.json) io.out(`${jsonText({ format_version: 1, entries: shown })}\n`);
    else if (!values.quiet) {
      const colours = paint(wantsColour(values, io));
      const options = { paint: colours, home: machine.home, columns: columnsOf(io), program: io.program };
      io.out(shown.map((each) => explainText(each, options)).join("\n"));
    }
    return 0;
  },
});
