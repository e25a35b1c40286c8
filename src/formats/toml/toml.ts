import { parse } from "smol-toml";
import type { Format, ReadResult } from "../format.ts";
import { tooLong, tooMany } from "../limits.ts";
import { abridging } from "./abridging.ts";
import { editToml } from "./edit.ts";
import { scan } from "./scan.ts";
import { TomlSyntaxError } from "./syntax-error.ts";
import { untouchedSections } from "./untouched.ts";

/** TOML. Reads 1.0 and 1.1, writes 1.0. An empty text is an empty table. */
export const toml: Format = { name: "toml", empty: "", read, readIndependently, abridging };

function read(text: string): ReadResult {
  const refused = tooLong(text, "TOML") ?? tooMany(text, "toml");
  if (refused !== undefined) return refused;
  try {
    const root = scan(text);
    return {
      kind: "read",
      document: {
        text,
        root,
        edit: (edits) => editToml(root, edits),
        untouched: (edits) => untouchedSections(root, edits),
        written: () => undefined,
        meaning: () => ({ kind: "value", value: root.value() }),
      },
    };
  } catch (error) {
    if (error instanceof TomlSyntaxError) return { kind: "malformed", message: error.message, offset: error.offset };
    throw error;
  }
}

/** Line breaks inside strings count as `\n` whatever the file uses, as in `read`. */
function readIndependently(text: string): unknown {
  return parse(text.replaceAll("\r\n", "\n"), { integersAsBigInt: "asNeeded" });
}
