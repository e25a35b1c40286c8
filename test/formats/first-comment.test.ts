import { expect, it } from "vitest";
import { dotenv } from "../../src/formats/dotenv/dotenv.ts";
import type { Format } from "../../src/formats/format.ts";
import { json } from "../../src/formats/json/json.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { editVerified } from "../../src/formats/verify/verify.ts";
import { yaml } from "../../src/formats/yaml/yaml.ts";

/** The text with `new` inserted before `own`. */
function before(format: Format, text: string): string {
  const read = format.read(text);
  if (read.kind !== "read") throw new Error(read.message);
  const insert = { kind: "insert", into: [], name: "new", value: "1", place: { before: "own" } } as const;
  const result = editVerified(format, read.document, [insert]);
  if (result.kind !== "edited") throw new Error(result.message);
  return result.text;
}

it.each<[string, Format, string, string]>([
  ["YAML", yaml, "# why\n# really\nown: a\n", 'new: "1"\n# why\n# really\nown: a\n'],
  ["YAML behind a mark", yaml, "---\n# why\nown: a\n", '---\nnew: "1"\n# why\nown: a\n'],
  ["YAML with a head", yaml, "# the file\n\n# why\nown: a\n", '# the file\n\nnew: "1"\n# why\nown: a\n'],
  ["YAML with a BOM", yaml, "\ufeff# why\nown: a\n", '\ufeffnew: "1"\n# why\nown: a\n'],
  ["YAML as a script", yaml, "#!/usr/bin/ansible\n# why\nown: a\n", '#!/usr/bin/ansible\nnew: "1"\n# why\nown: a\n'],
  ["dotenv", dotenv, "# why\nown=a\n", "new=1\n# why\nown=a\n"],
  ["dotenv with a head", dotenv, "# the file\n\n# why\nown=a\n", "# the file\n\nnew=1\n# why\nown=a\n"],
  ["dotenv as a script", dotenv, "#!/bin/sh\n# why\nown=a\n", "#!/bin/sh\nnew=1\n# why\nown=a\n"],
  ["TOML", toml, "# why\nown = 'a'\n", "new = '1'\n# why\nown = 'a'\n"],
  ["JSONC", json, '{\n  // why\n  "own": "a"\n}\n', '{\n  "new": "1",\n  // why\n  "own": "a"\n}\n'],
])(
  "%s: a comment above the first name stays with it when something comes before it",
  (_name, format, text, expected) => {
    expect(before(format, text)).toBe(expected);
  },
);
