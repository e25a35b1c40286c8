// needs: python
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import type { Edit, Format } from "../../src/formats/format.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { applyToData, compareData } from "../../src/formats/verify/compare.ts";
import { editVerified } from "../../src/formats/verify/verify.ts";
import { yaml } from "../../src/formats/yaml/yaml.ts";
import { type Choice, editsOf } from "../formats/json/arbitrary.ts";
import { corpora } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import { Random } from "./random.ts";

/**
 * Reads texts as JSON lines and prints what each holds, or null where Python can't read it. Names become texts, other
 * types their names.
 */
const script = `
import json, sys, tomllib, yaml
class Loader(yaml.SafeLoader): pass
def plain(value):
    if isinstance(value, dict): return {str(k) if not isinstance(k, str) else k: plain(v) for k, v in value.items()}
    if isinstance(value, list): return [plain(v) for v in value]
    if isinstance(value, (str, bool, int)) or value is None: return value
    return repr(value)
for line in sys.stdin:
    text = json.loads(line)
    try: print(json.dumps({"data": plain(tomllib.loads(text) if sys.argv[1] == "toml" else yaml.load(text, Loader))}))
    except Exception: print("null")
`;

function readByPython(format: string, texts: readonly string[]): ({ data: unknown } | null)[] {
  const input = texts.map((text) => `${JSON.stringify(text)}\n`).join("");
  const out = execFileSync("python3", ["-c", script, format], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { data: unknown } | null);
}

/** Values that YAML 1.1, YAML 1.2 and TOML take for the same. */
const values = ["text", "two words", 7, true, "a: b", "# no"];

/** Texts whose last line break some readers take for a part of them, and others don't. */
const openEnds = ["last: |\n  text\n", "last:\n  - a\n  - |\n    text\n", "last:\n  - run: >\n      text\n"];

it.each<[string, Format, number]>([
  ["yaml", yaml, 400],
  ["toml", toml, 400],
])(
  "%s: what we leave alone means the same to Python after an edit, and what we write is what was meant",
  (name, format, runs) => {
    const { texts } = corpora.find((corpus) => corpus.format === format)!;
    const cases: { text: string; edits: Edit[]; after: string }[] = [];
    for (let seed = 1; seed <= runs; seed++) {
      const random = new Random(seed);
      const whole = random.below(3) === 0 ? mutated(random.of(texts), texts, random) : random.of(texts);
      const longer = name === "yaml" && random.below(4) === 0 ? `${whole}\n${random.of(openEnds)}` : whole;
      const text = random.below(2) === 0 ? longer.replace(/\n+$/, "") : longer;
      const read = format.read(text);
      if (read.kind === "malformed") continue;
      const choice = (): Choice => ({ where: random.below(1e6), what: random.below(10), value: random.of(values) });
      const edits = editsOf(read.document.root, [choice(), choice()], random.below(2) === 0 ? "insert" : "any");
      const result = editVerified(format, read.document, edits);
      if (result.kind === "edited") cases.push({ text, edits, after: result.text });
    }
    const seen = readByPython(
      name,
      cases.flatMap(({ text, after }) => [text, after]),
    );
    let compared = 0;
    cases.forEach(({ text, edits, after }, i) => {
      const [before, made] = [seen[2 * i], seen[2 * i + 1]];
      // What Python refuses, or reads as another kind of thing, says nothing about the edit.
      if (!before) return;
      const meant = applyToData(before.data ?? {}, edits);
      if (meant.kind === "impossible") return;
      compared++;
      const story = `${JSON.stringify(text)}\n${JSON.stringify(edits)}\n${JSON.stringify(after)}`;
      expect(made, `Python can't read\n${story}`).not.toBeNull();
      expect(compareData(meant.data, made!.data ?? {}), story).toBeUndefined();
    });
    expect(compared).toBeGreaterThan(runs / 4);
  },
);
