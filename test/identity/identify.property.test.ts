import fc from "fast-check";
import { expect, it } from "vitest";
import { equalValues, mapOf, type Value } from "../../src/core/value.ts";
import { nodeOf, type Path } from "../../src/formats/format.ts";
import { claudeCode } from "../../src/identity/profiles/agents.ts";
import {
  type Identified,
  identify,
  identifyUnderRules,
  keysFrom,
  settingFinder,
} from "../../src/identity/rules/identify.ts";
import { compiled } from "./documents.ts";
import { linux, machine } from "./machines.ts";

const rules = compiled(claudeCode.rules);
const name = fc.constantFrom(
  "hooks",
  "permissions",
  "allow",
  "mcpServers",
  "Stop",
  "matcher",
  "command",
  "a.b",
  "",
  '"',
  "__proto__",
  "x",
);
const scalar = fc.constantFrom<Value>(null, true, 0, "", "x", "*", "node ~/x.js", "$HOME/y", "it's");
const { value: anyValue } = fc.letrec<{ value: Value; map: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map(mapOf),
}));
const anyDocument = fc.array(fc.tuple(name, anyValue), { maxLength: 5 }).map(mapOf);
/** Documents in which the rules find something: chance alone rarely builds a hook. */
const hooks = fc.array(
  fc.record({
    matcher: fc.constantFrom("", "*", "Bash"),
    hooks: fc.array(fc.record({ command: fc.constantFrom("a", "nice a", "~/b", "$HOME/b") }), { maxLength: 3 }),
  }),
  { maxLength: 3 },
);
const likelyDocument = fc
  .tuple(anyDocument, hooks)
  .map(([document, Stop]) => mapOf([...Object.entries(document), ["hooks", mapOf([["Stop", Stop]])]]));

it("no entry lies inside another, and the order is the document's", () => {
  fc.assert(
    fc.property(likelyDocument, (document) => {
      const paths = identify(nodeOf(document), rules, linux).entries.map(({ path }) => path);
      paths.slice(1).forEach((path, i) => {
        expect(startsWith(path, paths[i] ?? [])).toBe(false);
      });
      const positions = paths.map((path) => positionOf(document, path));
      expect(positions).toEqual([...positions].sort(compareLists));
    }),
    { numRuns: 500 },
  );
});

it("without rules, the settings are the whole document, each under a key of its own", () => {
  fc.assert(
    fc.property(anyDocument, (document) => {
      const { entries } = identify(nodeOf(document), compiled([]), linux);
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
      expect(equalValues(rebuilt(entries), document)).toBe(true);
      const find = settingFinder(nodeOf(document));
      for (const { path, node } of entries)
        expect(equalValues(find(path.map(String))?.value(), node.value())).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it("what rules find in a target is what they find in a template", () => {
  fc.assert(
    fc.property(likelyDocument, (document) => {
      const inTemplate = identify(nodeOf(document), rules, linux).entries.filter(({ rule }) => rule !== undefined);
      const inTarget = identifyUnderRules(nodeOf(document), rules, linux);
      expect(inTarget.map(essence)).toEqual(inTemplate.map(essence));
    }),
    { numRuns: 500 },
  );
});

it("a record of any entry leads back to it, also from another home", () => {
  const moved = machine({ home: "/root", formerHomes: ["/home/alice"] });
  fc.assert(
    fc.property(likelyDocument, (document) => {
      const there = identify(nodeOf(document), rules, moved).entries;
      identify(nodeOf(document), rules, linux).entries.forEach(({ type, source, key }, i) => {
        const keys = keysFrom(type, JSON.parse(JSON.stringify(source)), rules, moved);
        expect(keys).toEqual({ key, match: there[i]?.match, pair: there[i]?.pair });
      });
    }),
    { numRuns: 300 },
  );
});

function essence({ key, match, pair, path, steps }: Identified) {
  return { key, match, pair, path, steps };
}

function startsWith(path: Path, other: Path): boolean {
  return other.every((step, i) => path[i] === step);
}

/** Where a path stands, as positions that can be compared. */
function positionOf(document: Value, path: Path): readonly number[] {
  let value: unknown = document;
  return path.map((step) => {
    const position = typeof step === "number" ? step : Object.keys(value as object).indexOf(step);
    value = (value as Record<string | number, unknown>)[step];
    return position;
  });
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((position, i) => position !== b[i]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** The document that settings say: every path set to its value. */
function rebuilt(entries: readonly Identified[]): Value {
  const root = new Map<string, unknown>();
  for (const { path, node } of entries) {
    let at = root;
    for (const step of path.slice(0, -1).map(String)) {
      if (!at.has(step)) at.set(step, new Map<string, unknown>());
      at = at.get(step) as Map<string, unknown>;
    }
    at.set(String(path.at(-1)), node.value());
  }
  return plain(root);
}

function plain(value: unknown): Value {
  return value instanceof Map
    ? mapOf([...value].map(([each, inner]) => [each, plain(inner)] as const))
    : (value as Value);
}
