import { expect, it } from "vitest";
import { guessFormat } from "../../src/readings/reading-data.ts";

it.each([
  ["json", '{ "a": 1 }'],
  ["json", "// mine\n{}\n"],
  ["json", "[1, 2]\n"],
  ["json", "\uFEFF{\n}\n"],
  ["yaml", "a: 1\nb:\n  - c\n"],
  ["yaml", "# mine\n---\na: 1\n"],
  ["yaml", "- a\n- b\n"],
  ["toml", 'a = 1\n[b]\nc = "d"\n'],
  ["toml", "[package]\nname = 'x'\n"],
  ["dotenv", "# mine\nexport A=1\nB='two'\n"],
  ["text", "# A title\n\nSome words.\n"],
  ["text", "Dear reader,\nthis is a text.\n"],
  ["text", ""],
])("%s: %j", (format, text) => expect(guessFormat(["", text])).toBe(format));
