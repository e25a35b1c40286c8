import { resolve } from "node:path";
import { InputError, lineAndColumn } from "../../core/diagnostic.ts";
import { quoted } from "../../core/messages.ts";
import type { Value } from "../../core/value.ts";
import type { EntryDifference } from "../../merge/diff-texts.ts";
import { paint, printableLine } from "../../report/colour.ts";
import { maskKey, maskValue, secretPart } from "../../report/mask/mask.ts";
import { brief } from "../../report/words.ts";
import { defineCommand } from "../shell/command.ts";
import { tell } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { isUtf8, readAs, readFiles } from "./texts.ts";

export const command = defineCommand({
  name: "diff",
  usage: "A B",
  argument: "file",
  most: 2,
  about: `Shows the entries in which two files differ, by key. Order, comments and spelling do not count.`,
  options: {
    path: { type: "string", value: "NAME", help: "the file these are versions of: decides format and profile" },
    rules: { type: "string", value: "FILE", help: "how to tell items of lists apart: rules as in stet.yaml" },
  },
  notes: "exit code 1: the files differ.",
  example: "stet diff old/settings.json new/settings.json",
  async run({ values, positionals }, io) {
    const [a, b] = positionals;
    if (a === undefined || b === undefined)
      throw new InputError({
        code: "usage",
        message: `name two files: ${io.program} diff A B; to see what a pack would change: ${io.program} plan ${quoted(a ?? "DIR")} --diff`,
      });
    const files = [a, b].map((file) => (file === "-" ? "standard input" : resolve(io.cwd, file)));
    const texts = (await readFiles([a, b], io)).map((bytes, i) => {
      if (isUtf8(bytes)) return bytes.toString("utf8");
      throw new InputError({ code: "not-utf8", message: "it is not UTF-8 text; convert it", file: files[i]! });
    });
    const { format, rules, context } = await readAs(
      { path: values.path, file: b, rules: values.rules },
      texts,
      values,
      io,
    );
    if (format === undefined)
      throw new InputError({
        code: "no-entries",
        message: `${b} is plain text, which has no entries; name its format with --path NAME`,
      });
    const { diffTexts } = await import("../../merge/diff-texts.ts");
    const result = diffTexts(texts[0]!, texts[1]!, format, rules, context);
    if (result.kind === "malformed") {
      const at = result.side === "a" ? 0 : 1;
      const place = lineAndColumn(texts[at]!, result.fault.offset);
      throw new InputError({ code: "malformed-target", message: result.fault.message, file: files[at]!, ...place });
    }
    const differences = values["show-secrets"] ? result.differences : result.differences.map(masked);
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, differences }, undefined, 2)}\n`);
    else if (!values.quiet) tell(io, differences.map((each) => lineOf(each, paint(wantsColour(values, io)))).join(""));
    return differences.length > 0 ? 1 : 0;
  },
});

function masked({ key, type, a, b }: EntryDifference): EntryDifference {
  const shown = (value: Value | undefined) => (value === undefined ? undefined : maskValue(value, secretPart(key)));
  return { key: maskKey(key), type, a: shown(a), b: shown(b) };
}

function lineOf({ key, a, b }: EntryDifference, colours: ReturnType<typeof paint>): string {
  const name = printableLine(key);
  if (a === undefined) return `${colours.green("+")} ${name}: ${brief(b)}\n`;
  if (b === undefined) return `${colours.red("-")} ${name}: ${brief(a)}\n`;
  return `${colours.yellow("~")} ${name}: ${brief(a)} → ${brief(b)}\n`;
}
