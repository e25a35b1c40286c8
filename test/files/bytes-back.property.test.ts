import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SharedFile } from "./shared-file.ts";

/**
 * Files as people have them. `mine` is a word that a person will change, and above a line with `@` a person will put a
 * comment. Between them the documents have everything that a new entry can come to stand beside or in: nothing at all,
 * tables without a header of their own, containers on one line and on several, comments at every end, other line
 * breaks, none at the end.
 */
const originals = {
  json: {
    file: "config.json",
    comment: undefined,
    texts: [
      "{}",
      "{\n}\n",
      '{"own": "mine"}\n',
      '{\n  "own": "mine",\n  "n": {},\n  "l": [1, 2]\n}\n',
      '{ "n": { "z": "mine" }, "m": { "deep": { "q": 1 } } }',
      '{\r\n\t"own": [1,\r\n\t2],\r\n\t"n": {\r\n\t\t"z": "mine"\r\n\t}\r\n}',
      '\ufeff{"n":{"deep":{}}}\n',
      // Just what an owner may ship as well: found, and never its own.
      '{\n  "a": 1,\n  "own": "mine",\n  "n": { "x": "text", "y": [] },\n  "m": {}\n}\n',
      "",
    ],
  },
  jsonc: {
    file: "config.jsonc",
    comment: "//",
    texts: [
      "// mine\n{\n  // @\n}\n",
      '{\n  "own": 1, // mine\n  // @\n  "n": {\n    // none yet\n  },\n}\n',
      '{ // @\n  "n": { "z": 1, /* mine */ },\n  "m": { "deep": {} } // end\n}\n// below',
      '{\r\n  "own": 1 // mine\r\n  // @\r\n}',
      "// only mine\n",
    ],
  },
  yaml: {
    file: "config.yaml",
    comment: "#",
    texts: [
      "",
      "# mine only\n",
      "own: mine",
      "own: mine # @\nn:\n  z: 1\n",
      "# mine\nown:\n- 1\n- 2\n# @\nn:\n    z: 1 # here\n    deep:\n        q: 1\n\n# end\n",
      "own: {a: mine}\nn: {z: 1}\nm: {}\n",
      "---\nown: mine\nn:\nm: # nothing\n...\n",
      "own: |\n  mine\n  text\n\n\nt:\n  s:\n    - a\r\n".replaceAll("\r", ""),
      "own: mine # @\r\n\r\nn:\r\n  z: 1\r\n  # below\r\n",
      "{own: mine, n: {}}\n",
      "{}\n",
      "n: &n\n  z: mine\nown: *n",
      "a: 1 # @\nown: mine\nn:\n  x: text\n  y: []\nm: {}\n",
    ],
  },
  toml: {
    file: "config.toml",
    comment: "#",
    texts: [
      "",
      "# mine only",
      'own = "mine"',
      'own = "mine"\n\n# @\n[n]\nz = 1 # here\n',
      '[n.deep]\nq = "mine"\n',
      "# mine\n[n.deep.more]\nq = 1\n\n[m.deep]\n# @\nq = 1\n[m]\nz = 1\n",
      '[[own]]\na = "mine"\n# @\n[own.sub]\nb = 1\n\n[[own]]\na = 2\n',
      'n.z = "mine"\nn.deep.q = 1\nm = {}\n\n[t.s.u]\nk = 1',
      'own = "mine"\r\n[n]\r\n# @\r\nz = 1\r\n[n.deep]\r\nq = 1\r\n',
      "n = { z = 1 }\nm = { deep = {} }\n\n\n# mine\n",
      "[t]\n[t.s.u]\n[n]\n\n[m.deep.more]\n# mine\n",
      'a = 1 # @\nown = "mine"\nn = { x = "text", y = [] }\n\n[m]\nx = true\n',
    ],
  },
  ini: {
    file: "config.ini",
    comment: "#",
    texts: [
      "",
      "own = mine",
      "# mine\nown=1\n\n[n]\n# @\nx0 = 1\n",
      "[n]\n\tz = mine\n[m]\n; @\n\n[t]\n",
      "[t]\r\nz=mine\r\n\r\n# @\r\n[n]\r\n",
      "\n\n# mine\n[own]\nz = 1\n\n\n",
    ],
  },
  dotenv: {
    file: ".env",
    comment: "#",
    texts: [
      "",
      "OWN=mine",
      "# mine\nexport OWN='a b'\n\n# @\nZ=1",
      "OWN=mine\r\n\r\n# @\r\nX=1\r\n",
      "\n\n# mine\n\n",
      'OWN="mine\ntwo"\n',
      "OWN=mine\nexport A=1\nB='two words' # @\n",
    ],
  },
} as const;

type FormatName = keyof typeof originals;
type Wishes = Readonly<Record<string, unknown>>;

const scalar = fc.constantFrom<unknown>(1, "text", true);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.constantFrom<unknown>([], ["x", "y"], [{ a: 1 }, { a: 2, b: { c: 3 } }], {}) },
);
const names = [
  "a",
  "b",
  "n.x",
  "n.y",
  "n.deep.x",
  "n.deep.y",
  "m.x",
  "m.deep.x",
  "m.deep.more.x",
  "m.deep.more.y",
  "t.x",
  "t.s.x",
  "t.s.u.x",
];

function wishesFor(format: FormatName): fc.Arbitrary<Wishes> {
  if (format === "dotenv")
    return fc.dictionary(fc.constantFrom("A", "B", "C", "D"), fc.constantFrom("1", "two words", "x=y"), { maxKeys: 4 });
  if (format === "ini")
    return fc
      .dictionary(
        fc.constantFrom("a", "b", "n.x", "n.y", "m.x", "m.y", "t.x", "new.x", "new.y"),
        fc.constantFrom("1", "two words"),
        {
          maxKeys: 6,
        },
      )
      .map(nested);
  return fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }).map(nested);
}

function nested(wishes: Wishes): Wishes {
  const template: Record<string, unknown> = {};
  for (const [name, wish] of Object.entries(wishes)) {
    const steps = name.split(".");
    let at = template;
    for (const step of steps.slice(0, -1)) at = at[step] = (at[step] ?? {}) as Record<string, unknown>;
    at[steps.at(-1)!] = wish;
  }
  return template;
}

type Step =
  | { readonly do: "apply"; readonly owner: string; readonly wishes: Wishes }
  | { readonly do: "leave"; readonly owner: string }
  | { readonly do: "change" | "comment" };

interface History {
  readonly start: string;
  readonly steps: readonly Step[];
  readonly lastOut: readonly string[];
}

const owners = ["alpha", "beta"];

/**
 * Tables in pieces have the most ways to stand beside each other. `FC_SEED=…` looks at other histories,
 * `STET_HISTORIES` at more.
 */
const runsOf = (format: FormatName) => Number(process.env.STET_HISTORIES ?? (format === "toml" ? 80 : 40));

function historiesOf(format: FormatName, persons: boolean): fc.Arbitrary<History> {
  const owner = fc.constantFrom(...owners);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("apply" as const), owner, wishes: wishesFor(format) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), owner }) },
    { weight: persons ? 3 : 0, arbitrary: fc.record({ do: fc.constantFrom("change" as const, "comment" as const) }) },
  );
  return fc.record({
    start: fc.constantFrom<string>(...originals[format].texts),
    steps: fc.array(step, { minLength: 1, maxLength: 6 }),
    lastOut: fc.shuffledSubarray(owners, { minLength: owners.length }),
  });
}

/** Plays a history to its end, where the file must be what the person would have if nobody else had ever come. */
async function play(format: FormatName, { start, steps, lastOut }: History): Promise<void> {
  const file = new SharedFile(originals[format].file, "entries", start);
  let alone = start;
  for (const [count, step] of steps.entries()) {
    if (step.do === "leave") await file.leave(step.owner).catch(() => undefined);
    else if (step.do === "apply") {
      const pack = file.release(step.owner, step.wishes);
      await file.apply(pack);
      expect((await file.plan(pack)).document.changed, file.text).toBe(0);
    } else {
      const edit = (text: string) =>
        step.do === "change" ? text.replace("mine", `mine${count}`) : commented(text, originals[format].comment, count);
      file.write(edit(file.text!));
      alone = edit(alone);
    }
  }
  const shown = file.text;
  for (const each of lastOut) await file.leave(each).catch(() => undefined);
  expect(file.text, shown).toBe(alone);
}

/** A comment on a line of its own, above the line with the sign. */
function commented(text: string, sign: string | undefined, count: number): string {
  const start = text.lastIndexOf("\n", text.indexOf("@")) + 1;
  if (sign === undefined || !text.includes("@")) return text;
  const indent = /^\ufeff?([ \t]*)/.exec(text.slice(start))![1]!;
  return `${text.slice(0, start)}${indent}${sign} note ${count}${text.includes("\r\n") ? "\r\n" : "\n"}${text.slice(start)}`;
}

describe.each(Object.keys(originals) as FormatName[])(
  "%s: releases that add and take away entries in any grouping, and then leave",
  (format) => {
    it("give every byte back", async () => {
      await fc.assert(
        fc.asyncProperty(historiesOf(format, false), (history) => play(format, history)),
        { numRuns: runsOf(format) },
      );
    });

    it("leave just what a person wrote meanwhile", async () => {
      await fc.assert(
        fc.asyncProperty(historiesOf(format, true), (history) => play(format, history)),
        { numRuns: runsOf(format) },
      );
    });
  },
);
