// One edit of a megabyte, checked by the second reader as always, against reading it once with the parser that finds
// the ranges (or, where that is our own, the second).
import { parse as parseToml } from "smol-toml";
import { parseDocument } from "yaml";
import { benchLinear } from "./linear.mjs";
import { compare } from "./measure.mjs";

export async function* benchFormats(parts) {
  const { yaml, toml, editVerified } = parts;
  const edit = (format, text) => () => {
    const read = format.read(text);
    const result = editVerified(format, read.document, [{ kind: "set", at: ["section500", "name"], value: "changed" }]);
    if (result.kind !== "edited" || result.text === text) throw new Error(`${format.name}: ${result.message}`);
  };
  const yamlText = documentOf(
    (i) =>
      `section${i}:\n  name: value ${i} # a comment\n  list: [1, 2, 3]\n  nested:\n    enabled: true\n    text: "quoted text number ${i}"\n`,
  );
  const tomlText = documentOf(
    (i) =>
      `[section${i}]\nname = "value ${i}" # a comment\nlist = [1, 2, 3]\nnested.enabled = true\nnested.text = "quoted text number ${i}"\n\n`,
  );
  yield await compare({
    name: "one edit in 1 MB of YAML",
    against: "one parse by yaml",
    turns: 5,
    floor: () => parseDocument(yamlText, { keepSourceTokens: true }),
    work: edit(yaml, yamlText),
  });
  yield await compare({
    name: "one edit in 1 MB of TOML",
    against: "one parse by smol-toml",
    turns: 9,
    warmups: 3,
    floor: () => parseToml(tomlText),
    work: edit(toml, tomlText),
  });
  yield* benchLinear(parts);
}

function documentOf(section) {
  let text = "";
  for (let i = 0; text.length < 1_000_000; i++) text += section(i);
  return text;
}
