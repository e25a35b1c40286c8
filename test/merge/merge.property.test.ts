import fc from "fast-check";
import { load as readYaml } from "js-yaml";
import { parse as readToml, stringify as tomlText } from "smol-toml";
import { describe, expect, it } from "vitest";
import { stringify as yamlText } from "yaml";
import { mergeTexts } from "../../src/merge/merge-texts.ts";
import { loadFormat } from "../../src/readings/open-reading.ts";

type Tree = { [name: string]: Tree | number | string | number[] };

const name = fc.constantFrom("a", "b", "c", "d", "e f");
const leaf = fc.oneof(
  fc.nat(3),
  fc.constantFrom("x", "two words"),
  fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }),
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.dictionary(name, fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: tie("tree") }), {
    minKeys: 1,
    maxKeys: 5,
  }),
}));

/** Some names of a tree changed, added or taken out. */
const edits = fc.array(fc.tuple(name, fc.option(leaf, { nil: undefined })), { maxLength: 3 });

function edited(value: Tree, changes: readonly (readonly [string, Tree[string] | undefined])[]): Tree {
  const result = { ...value };
  for (const [each, change] of changes) {
    if (change === undefined) delete result[each];
    else result[each] = change;
  }
  return result;
}

const formats = {
  json: {
    write: (value: Tree) => `${JSON.stringify(value, undefined, 2)}\n`,
    read: (text: string) => JSON.parse(text) as Tree,
  },
  yaml: { write: (value: Tree) => yamlText(value), read: (text: string) => (readYaml(text) ?? {}) as Tree },
  toml: { write: (value: Tree) => `${tomlText(value)}\n`, read: (text: string) => readToml(text) as Tree },
} as const;

/** By name at the root: what the three-way rule says, or that there is nothing to say without a person. */
function ruleFor(name: string, base: Tree, mine: Tree, theirs: Tree): unknown {
  const [b, m, t] = [base, mine, theirs].map((side) => JSON.stringify(side[name]));
  if (m === t || b === t) return mine[name];
  return b === m ? theirs[name] : "somebody has to say";
}

describe.each(Object.entries(formats))("any two changes of any %s document", (format, { write, read }) => {
  it("nothing that only one side changed is lost, a clean result reads, and each side's own choice is a whole document", async () => {
    const reader = await loadFormat(format as keyof typeof formats);
    fc.assert(
      fc.property(tree, edits, edits, (base, first, second) => {
        const [mine, theirs] = [edited(base, first), edited(base, second)];
        if (format === "toml" && [base, mine, theirs].some((side) => Object.keys(side).length === 0)) return;
        const result = mergeTexts(write(base), write(mine), write(theirs), {
          format: reader,
          markers: { mine: "mine", theirs: "theirs" },
        });
        const texts =
          result.kind === "merged" ? [result.text] : [result.mine, result.theirs].filter((text) => text !== undefined);
        for (const text of texts) {
          const made = read(text);
          for (const each of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])) {
            const rule = ruleFor(each, base, mine, theirs);
            if (rule !== "somebody has to say") expect(made[each]).toEqual(rule);
          }
        }
        if (result.kind === "conflict") expect(result.text).toMatch(/^<{7} mine$[\s\S]*^={7}$[\s\S]*^>{7} theirs$/m);
      }),
      { numRuns: 150 },
    );
  });
});
