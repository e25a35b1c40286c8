// needs: python
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import type { Format } from "../../src/formats/format.ts";
import { mergeTexts } from "../../src/merge/merge-texts.ts";
import { loadFormat } from "../../src/readings/open-reading.ts";
import { fuzz, timeLimit } from "./budget.ts";
import type { Random } from "./random.ts";

/** Reads texts of a format as JSON lines; null where Python's own parser refuses one, or a name stands twice. */
const script = `
import configparser, json, re, sys, tomllib, yaml
def once(pairs):
    if len(dict(pairs)) < len(pairs): raise ValueError("twice")
    return dict(pairs)
class Loader(yaml.SafeLoader): pass
Loader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: once(loader.construct_pairs(node, deep=True)))
def ini(text):
    parser = configparser.RawConfigParser()
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections()}
readers = {
    "json": lambda text: json.loads(re.sub(r"(?m)^ *//.*", "", text), object_pairs_hook=once),
    "yaml": lambda text: yaml.load(text, Loader),
    "toml": tomllib.loads,
    "ini": ini,
    "dotenv": lambda text: {"s": once([tuple(line.split("=", 1)) for line in text.splitlines() if line and line[0] != "#"])},
}
for line in sys.stdin:
    format, text = json.loads(line)
    try: print(json.dumps(readers[format](text.removeprefix("\\ufeff").replace("\\r\\n", "\\n"))))
    except Exception: print("null")
`;

type Sections = ReadonlyMap<string, ReadonlyMap<string, string>>;

interface Layout {
  readonly eol: string;
  readonly begin: string;
  readonly end: boolean;
}

const writers: Readonly<Record<string, (sections: Sections, comments: ReadonlySet<string>) => string>> = {
  json: (sections, comments) =>
    `{\n${each(sections, (name, entries) => `  "${name}": {\n${each(entries, (key, value) => `${noted(comments, key, "    // ")}    "${key}": "${value}"`, ",\n")}\n  }`, ",\n")}\n}`,
  yaml: (sections, comments) =>
    each(
      sections,
      (name, entries) =>
        `${name}:\n${each(entries, (key, value) => `${noted(comments, key, "  # ")}  ${key}: ${value}`)}`,
    ),
  toml: (sections, comments) =>
    each(
      sections,
      (name, entries) =>
        `[${name}]\n${each(entries, (key, value) => `${noted(comments, key, "# ")}${key} = "${value}"`)}`,
    ),
  ini: (sections, comments) =>
    each(
      sections,
      (name, entries) =>
        `[${name}]\n${each(entries, (key, value) => `${noted(comments, key, "# ")}${key} = ${value}`)}`,
    ),
  dotenv: (sections, comments) =>
    each(sections.get("s")!, (key, value) => `${noted(comments, key, "# ")}${key}=${value}`),
};

function each<T>(map: ReadonlyMap<string, T>, write: (name: string, value: T) => string, between = "\n"): string {
  return [...map].map(([name, value]) => write(name, value)).join(between);
}

function noted(comments: ReadonlySet<string>, key: string, mark: string): string {
  return comments.has(key) ? `${mark}note on ${key}\n` : "";
}

function laidOut(text: string, { eol, begin, end }: Layout): string {
  return begin + (end ? `${text}\n` : text).replaceAll("\n", eol);
}

/** Names are told apart by their section, too, so that a comment tells whose it is. */
function arbitrarySections(random: Random): Sections {
  const entries = (name: string) =>
    new Map(Array.from({ length: 2 + random.below(6) }, (_, i) => [`${name}${i}`, `v${random.below(3)}`]));
  return new Map(["s", "t", "u"].slice(0, 1 + random.below(3)).map((name) => [name, entries(name)]));
}

/** Values changed, names added and taken out, and now and then all of them in another order. */
function edited(sections: Sections, random: Random): Sections {
  return new Map(
    [...sections].map(([name, entries]) => {
      const result = [...entries].flatMap(([key, value]): [string, string][] => {
        const dice = random.below(10);
        if (dice === 0 && entries.size > 2) return [];
        if (dice === 1) return [[key, `v${random.below(9)}`]];
        return dice === 2
          ? [
              [key, value],
              [`${key}n${random.below(2)}`, `w${random.below(3)}`],
            ]
          : [[key, value]];
      });
      if (random.below(6) === 0) result.reverse();
      return [name, new Map(result.length === 0 ? entries : result)];
    }),
  );
}

interface Case {
  readonly story: string;
  readonly format: string;
  readonly base: Sections;
  readonly mine: Sections;
  readonly theirs: Sections;
  readonly comments: ReadonlySet<string>;
  readonly layout: Layout;
  readonly texts: readonly string[];
}

function merged(formats: ReadonlyMap<string, Format>, random: Random): Case {
  const format = random.of([...formats.keys()]);
  const all = arbitrarySections(random);
  const base = format === "dotenv" ? new Map([["s", all.get("s")!]]) : all;
  const [mine, theirs] = [edited(base, random), edited(base, random)];
  const comments = new Set(
    [...mine.values()].flatMap((entries) => [...entries.keys()].filter(() => random.below(6) === 0)),
  );
  const layout = {
    eol: random.of(["\n", "\n", "\r\n"]),
    begin: random.of(["", "", "\ufeff"]),
    end: random.below(3) > 0,
  };
  const write = (sections: Sections, notes: ReadonlySet<string>) => laidOut(writers[format]!(sections, notes), layout);
  const three = [write(base, new Set()), write(mine, comments), write(theirs, new Set())] as const;
  const result = mergeTexts(...three, { format: formats.get(format)!, markers: { mine: "mine", theirs: "theirs" } });
  const texts =
    result.kind === "merged" ? [result.text] : [result.mine, result.theirs].filter((text) => text !== undefined);
  return { story: JSON.stringify({ format, three, texts }), format, base, mine, theirs, comments, layout, texts };
}

it("merges by entry: Python reads them, and finds all that only one side changed, once, and the comments of mine", {
  timeout: timeLimit,
}, async () => {
  const names = ["json", "yaml", "toml", "dotenv", "ini"] as const;
  const formats = new Map(
    await Promise.all(names.map(async (name) => [name, await loadFormat(name, "setup.cfg")] as const)),
  );
  let compared = 0;
  fuzz(3, (random) => {
    const cases = Array.from({ length: 60 }, () => merged(formats, random));
    const input = cases.flatMap(({ format, texts }) => texts.map((text) => `${JSON.stringify([format, text])}\n`));
    const answers = execFileSync("python3", ["-c", script], { input: input.join(""), encoding: "utf8" }).split("\n");
    for (const each of cases)
      for (const text of each.texts) {
        expectMerged(each, text, JSON.parse(answers.shift()!));
        compared++;
      }
  });
  expect(compared).toBeGreaterThan(100);
});

function expectMerged(
  { story, base, mine, theirs, comments, layout }: Case,
  text: string,
  read: Readonly<Record<string, Readonly<Record<string, string>>>> | null,
): void {
  expect(read, `Python can't read ${story}`).not.toBeNull();
  for (const name of base.keys()) {
    const [was, own, other] = [base, mine, theirs].map((side) => side.get(name)!);
    for (const key of new Set([...was!.keys(), ...own!.keys(), ...other!.keys()])) {
      const [old, left, right] = [was!.get(key), own!.get(key), other!.get(key)];
      const made = read![name]?.[key];
      if (left === right || old === right) expect(made, `${key} in ${story}`).toBe(left);
      else if (old === left) expect(made, `${key} in ${story}`).toBe(right);
      else expect([left, right], `${key} in ${story}`).toContain(made);
      if (comments.has(key) && made !== undefined && old === right)
        expect(text.split(`note on ${key}${layout.eol}`).length, `the comment on ${key} in ${story}`).toBe(2);
    }
  }
  expect(text.replaceAll(layout.eol, ""), `line breaks in ${story}`).not.toMatch(/[\r\n]/);
  expect(text.startsWith("\ufeff"), `the mark at the beginning in ${story}`).toBe(layout.begin !== "");
}
