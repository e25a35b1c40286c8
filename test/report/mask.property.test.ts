import fc from "fast-check";
import { stringify as tomlText } from "smol-toml";
import { expect, it } from "vitest";
import { stringify as yamlText } from "yaml";
import type { Value } from "../../src/core/value.ts";
import { maskLines, maskValue } from "../../src/report/mask/mask.ts";
import { unifiedDiff } from "../../src/text/diff-lines.ts";

/** A text that could be a secret, and that nothing else in the documents holds. */
const secret = fc
  .tuple(
    fc.constantFrom("", "a b ", "#", "x,", "}", "]", '"', "\\", "{", "="),
    fc.constantFrom("", " z", ": y", "'", ",b"),
  )
  .map(([before, after]) => `${before}hunter2${after}`);

const name = fc.constantFrom("a", "b", "list", "server", "env-x", "n1");
const secretName = fc.constantFrom(
  "token",
  "API_KEY",
  "clientSecret",
  "db-password",
  "x-api-key",
  "credentials",
  "access_token",
);
const harmless = fc.oneof(fc.constantFrom("x", "plain text", "1"), fc.nat(9), fc.boolean());

/** Documents in which secrets stand only under secret names, at any depth, alone or in lists and maps. */
const { tree } = fc.letrec<{ tree: Record<string, unknown>; hidden: unknown }>((tie) => ({
  hidden: fc.oneof(
    { weight: 4, arbitrary: secret },
    { weight: 1, arbitrary: fc.array(secret, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.dictionary(name, secret, { minKeys: 1, maxKeys: 3 }) },
  ),
  tree: fc
    .record({
      plain: fc.dictionary(name, fc.oneof({ weight: 3, arbitrary: harmless }, { weight: 1, arbitrary: tie("tree") }), {
        maxKeys: 4,
      }),
      secrets: fc.dictionary(secretName, tie("hidden"), { maxKeys: 2 }),
    })
    .map(({ plain, secrets }) => ({ ...plain, ...secrets })),
}));

const hides = (text: string) => expect(text).not.toContain("hunter2");

it("values: nothing under a secret name is seen", () => {
  fc.assert(
    fc.property(tree, (value) => {
      hides(JSON.stringify(maskValue(value as Value)));
    }),
    { numRuns: 300 },
  );
});

const writers: readonly [string, (value: Record<string, unknown>) => string][] = [
  ["JSON", (value) => JSON.stringify(value, undefined, 2)],
  ["JSON with tabs", (value) => JSON.stringify(value, undefined, "\t")],
  ["JSON on one line", (value) => JSON.stringify(value)],
  ["YAML", (value) => yamlText(value, { lineWidth: 0 })],
  ["YAML in flow style", (value) => yamlText(value, { collectionStyle: "flow", lineWidth: 0 })],
  ["TOML", (value) => tomlText(value)],
];

it.each(writers)("the text of a file, and a diff that shows all of it: %s", (_, write) => {
  fc.assert(
    fc.property(tree, (value) => {
      const text = write(value);
      hides(maskLines(text));
      hides(maskLines(unifiedDiff("", text, { from: "a", to: "b" })));
      expect(maskLines(text).split("\n")).toHaveLength(text.split("\n").length);
    }),
    { numRuns: 300 },
  );
});
