// Edits of a megabyte, checked by the second reader as always, against reading it once with that reader.
import { load as loadYaml } from "js-yaml";
import { parse as parseToml } from "smol-toml";
import { benchLinear } from "./linear.mjs";
import { compare } from "./measure.mjs";

export async function* benchFormats(parts) {
  const { yaml, toml, editVerified } = parts;
  const edit = (format, text, sections) => () => {
    const read = format.read(text);
    const edits = sections.map((i) => ({ kind: "set", at: [`section${i}`, "name"], value: "changed" }));
    const result = editVerified(format, read.document, edits);
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
  const hundred = Array.from({ length: 100 }, (_, i) => i * 70);
  for (const [name, sections] of [
    ["one edit in 1 MB of YAML", [500]],
    ["100 edits in 1 MB of YAML", hundred],
  ])
    yield await compare({
      name,
      against: "one load by js-yaml",
      turns: 9,
      warmups: 6,
      floor: () => loadYaml(yamlText),
      work: edit(yaml, yamlText, sections),
    });
  yield await compare({
    name: "one edit in 1 MB of TOML",
    against: "one parse by smol-toml",
    turns: 9,
    warmups: 3,
    floor: () => parseToml(tomlText),
    work: edit(toml, tomlText, [500]),
  });
  yield* benchLinear(parts);
}

function documentOf(section) {
  let text = "";
  for (let i = 0; text.length < 1_000_000; i++) text += section(i);
  return text;
}
