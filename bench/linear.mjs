// Eight times the entries and eight times the edits: some eight times the work where cost is linear, sixty-four times
// where it is not.
import { compare } from "./measure.mjs";

const [few, many] = [4_800, 38_400];

export async function* benchLinear({ json, yaml, toml, dotenv, ini, editVerified, mergeTexts }) {
  const merge = (count) => {
    const text = (side) =>
      list(count, (i) => `  "k${i}": { "x": ${i % 97 === side ? -side : i}, "note": "some text" }`);
    const [base, mine, theirs] = [0, 1, 2].map((side) => `{\n${text(side).join(",\n")}\n}\n`);
    return () => {
      const { kind } = mergeTexts(base, mine, theirs, { format: json, markers: { mine: "mine", theirs: "theirs" } });
      if (kind !== "merged") throw new Error("these texts merge");
    };
  };
  const name = "JSON: three texts merged, each with edits of its own";
  yield await compare({ name, against: "an eighth of it", turns: 3, floor: merge(few), work: merge(many) });
  for (const { name, format, text, edits } of shapes({ json, yaml, toml, dotenv, ini })) {
    const edit = (count) => {
      const [source, changes] = [text(count), edits(count)];
      return () => {
        const result = editVerified(format, format.read(source).document, changes);
        if (result.kind !== "edited") throw new Error(`${name}: ${result.message}`);
      };
    };
    yield await compare({ name, against: "an eighth of it", turns: 3, floor: edit(few), work: edit(many) });
  }
}

function shapes({ json, yaml, toml, dotenv, ini }) {
  /** As many new names as there are. */
  const names = (n, into = []) =>
    list(n, (i) => ({ kind: "insert", into, name: `new${i}`, value: `${i}`, place: "end" }));
  return [
    {
      name: "JSON: as many new names as there are",
      format: json,
      text: (n) => JSON.stringify(Object.fromEntries(list(n, (i) => [`k${i}`, `${i}`])), undefined, 2),
      edits: names,
    },
    {
      name: "YAML: as many new names as there are",
      format: yaml,
      text: (n) => list(n, (i) => `k${i}: "${i}"\n`).join(""),
      edits: names,
    },
    {
      name: "TOML: as many new names as there are",
      format: toml,
      text: (n) => list(n, (i) => `k${i} = "${i}"\n`).join(""),
      edits: names,
    },
    {
      name: "dotenv: as many new names as there are",
      format: dotenv,
      text: (n) => list(n, (i) => `k${i}=${i}\n`).join(""),
      edits: names,
    },
    {
      name: "INI: as many new names as there are",
      format: ini,
      text: (n) => `[a]\n${list(n, (i) => `k${i} = ${i}\n`).join("")}`,
      edits: (n) => names(n, ["a"]),
    },
    {
      name: "JSON: every other entry of a map of maps set",
      format: json,
      text: (n) =>
        JSON.stringify(Object.fromEntries(list(n, (i) => [`k${i}`, { x: i, note: "some text" }])), undefined, 2),
      edits: (n) => list(n / 2, (i) => ({ kind: "set", at: [`k${i * 2}`, "x"], value: -1 })),
    },
    {
      name: "TOML: items of one long line removed",
      format: toml,
      text: (n) => `allow = [${list(n * 4, (i) => `"item ${i}"`).join(", ")}]\n`,
      edits: (n) => list(n, (i) => ({ kind: "remove", at: ["allow", i * 4] })),
    },
    {
      name: "TOML: lines added between comments",
      format: toml,
      text: (n) => list(n, (i) => `# about ${i}\nk${i} = ${i} # behind\n`).join(""),
      edits: (n) =>
        list(n / 3, (i) => ({ kind: "insert", into: [], name: `new${i}`, value: i, place: { before: `k${i * 3}` } })),
    },
    {
      name: "TOML: tables with sub-tables added and removed",
      format: toml,
      text: (n) => list(n, (i) => `[m.s${i}]\nx = ${i}\n\n[m.s${i}.env]\ny = 1\n`).join("\n"),
      edits: (n) =>
        list(n / 3, (i) => [
          { kind: "insert", into: ["m"], name: `new${i}`, value: { z: 1 }, place: { after: `s${i * 3}` } },
          { kind: "remove", at: ["m", `s${i * 3 + 1}`] },
        ]).flat(),
    },
    {
      name: "TOML: elements of a list of tables set",
      format: toml,
      text: (n) => list(n, (i) => `[[h.s]]\nx = ${i}\n`).join("\n"),
      edits: (n) => list(n / 3, (i) => ({ kind: "set", at: ["h", "s", i * 3], value: { x: -1, y: 2 } })),
    },
  ];
}

function list(length, of) {
  return Array.from({ length }, (_, i) => of(i));
}
