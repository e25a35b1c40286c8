import type { Format, ReadResult } from "../format.ts";
import { abridging } from "./abridging.ts";
import { editJson } from "./edit.ts";
import { JsonNode } from "./node.ts";
import { Scan } from "./scan.ts";
import { readWithEngine } from "./second-reader.ts";
import { Fault } from "./tokens.ts";
import { untouchedValues } from "./untouched.ts";

/**
 * JSON, also with comments and trailing commas (JSONC). A text of nothing but blanks and comments counts as an empty
 * map.
 */
export const json: Format = { name: "json", empty: "{}\n", read, readIndependently: readWithEngine, abridging };

function read(text: string): ReadResult {
  try {
    const root = rootOf(new Scan(text));
    return {
      kind: "read",
      document: {
        text,
        root,
        edit: (edits) => editJson(root, edits),
        untouched: (edits) => untouchedValues(root, edits),
        written: () => undefined,
        meaning: () => ({ kind: "value", value: root.value() }),
      },
    };
  } catch (error) {
    if (error instanceof Fault) return { kind: "malformed", message: error.message, offset: error.offset };
    throw error;
  }
}

function rootOf(scan: Scan): JsonNode {
  const start = scan.root ?? scan.text.length;
  const end = scan.root === undefined ? start : scan.skipValue(start);
  return new JsonNode(scan, undefined, 0, { entryStart: start, start, end });
}
