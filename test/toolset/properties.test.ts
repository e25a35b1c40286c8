import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { canonicalText, equalValues, mapOf, type Value, type ValueMap } from "../../src/core/value.ts";
import type { Evaluation } from "../../src/toolset/evaluate.ts";
import { decideTools, overlay } from "../../src/toolset/overrides/effective.ts";
import { type Overrides, type OverrideTool, readCarefully } from "../../src/toolset/overrides/overrides.ts";
import { readQuickly } from "../../src/toolset/overrides/overrides-quick.ts";
import { dataSize } from "../../src/toolset/render/configmap.ts";
import { readBlocks } from "../../src/toolset/render/generate.ts";
import { yamlLines } from "../../src/toolset/render/yaml-text.ts";
import type { DiscoveredTool } from "../../src/toolset/tool.ts";
import { loadAsHolmes } from "./holmes-schema.ts";
import { evaluate, morning, noon, service, tools, withOverrides } from "./sample.ts";

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    "yes",
    "NO",
    "null",
    "~",
    "1e3",
    "0x1f",
    "12:30",
    "- a",
    "a: b",
    "# c",
    "a #b",
    " x",
    "x ",
    "é\n",
    "",
    "<<",
    "=",
    "\u2028",
    "\u0085",
  ),
);
const value: fc.Arbitrary<Value> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 3 }),
    fc.dictionary(text, tie("any"), { maxKeys: 3, noNullPrototype: false }),
  ),
})).any as fc.Arbitrary<Value>;

describe("rendered YAML", () => {
  it("says the same to two readers", () => {
    fc.assert(
      fc.property(value, (any) => {
        const rendered = `root:\n${yamlLines([any], "  ").join("\n")}\n`;
        const wanted = JSON.stringify({ root: [any] });
        expect(JSON.stringify(parse(rendered))).toBe(wanted);
        expect(JSON.stringify(load(rendered))).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });
});

const fieldNames = fc.constantFrom("type", "description", "endpoint", "parameters", "extra");
const leaf: fc.Arbitrary<Value> = fc.oneof(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 2 }));
const fields: fc.Arbitrary<ValueMap> = fc
  .dictionary(fieldNames, fc.oneof(leaf, fc.dictionary(fc.constantFrom("p", "q"), leaf)), { maxKeys: 4 })
  .map((map) => mapOf(Object.entries(map)));

describe("the shared decision table, for tools", () => {
  it("gives the discovered tool with the override on top, whatever was discovered before", () => {
    fc.assert(
      fc.property(fields, fc.option(fields), fields, (now, before, override) => {
        const tool: DiscoveredTool = { name: "t", fields: now, kind: "http", source: { namespace: "n", name: "s" } };
        const written: OverrideTool = { name: "t", fields: override, enabled: true };
        const [decision] = decideTools([tool], new Map(before ? [["t", before]] : []), new Map([["t", written]]));
        expect(equalValues(decision?.outcome.result, overlay(now, override))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the quick reader of overrides", () => {
  const scalar = fc.constantFrom(
    "a",
    "1",
    "1.5",
    "1e3",
    "0o17",
    "0x1f",
    "1_000",
    ".5",
    "-0",
    ".nan",
    ".inf",
    "12345678901234567890",
    "true",
    "yes",
    "No",
    "null",
    "~",
    "''",
    "2020-01-01",
    "12:30",
    "+1",
    "0b1",
    "a b",
    "a#b",
    "a: b",
    '"x"',
    "[a, b]",
    "{a: 1}",
    "!!str 1",
    "|-\n      x",
    "&x a",
    "*x",
    "- a",
    "\ta",
    "%",
    "@a",
    "`a",
  );
  const fieldName = fc.constantFrom(
    "description",
    "extra",
    "tags",
    "more",
    "endpoint",
    "enabled",
    "parameters",
    "<<",
    "1",
    "__proto__",
    "name",
  );
  const firstLine = fc.oneof(
    { weight: 9, arbitrary: fc.nat(99).map((n) => `name: tool_${n}`) },
    { weight: 1, arbitrary: scalar.map((odd) => `name: ${odd}`) },
  );
  const line = fc.tuple(fieldName, scalar).map(([name, any]) => `${name}: ${any}`);
  const item = fc
    .tuple(firstLine, fc.array(line, { maxLength: 2 }))
    .map(([first, lines]) => [first, ...lines].map((each, n) => `${n === 0 ? "  - " : "    "}${each}\n`).join(""));
  const root = fc.constantFrom("tools:\n", "toolsets:\n", "tools: \n", "---\ntools:\n", "%YAML 1.1\n---\ntools:\n");
  const written = fc.tuple(root, fc.array(item, { maxLength: 3 })).map(([head, items]) => head + items.join(""));

  it("takes nothing but what the careful one takes, for the same", () => {
    let taken = 0;
    fc.assert(
      fc.property(written, (text) => {
        const quick = readQuickly(text);
        if (quick === undefined) return;
        taken++;
        const careful = readCarefully(text, "f");
        expect(careful).toMatchObject({ kind: "valid", diagnostics: [] });
        expect(careful.kind === "valid" && canonicalText(asValue(careful.overrides))).toBe(canonicalText(asValue(quick)));
      }),
      { numRuns: 2000 },
    );
    expect(taken).toBeGreaterThan(150);
  });
});

function asValue({ tools: each, toolsets, mcpServers }: Overrides): Value {
  return [each.map(({ name, enabled, fields: its }) => [name, enabled, its]), toolsets, mcpServers];
}

const labels = fc.constantFrom("prometheus", "grafana", "jaeger", "elasticsearch", "other");
const services = fc.uniqueArray(
  fc.record({
    namespace: fc.constantFrom("a", "b"),
    name: fc.constantFrom("x", "y", "z"),
    app: labels,
    port: fc.integer({ min: 1, max: 3 }),
  }),
  { selector: (each) => `${each.namespace}/${each.name}`, maxLength: 5 },
);
const toolName = fc.constantFrom("prometheus_query", "grafana_dashboard", "jaeger_query", "mine", "prometheus_query_b_x");
const overrides = fc
  .array(
    fc.record({
      name: toolName,
      line: fc.constantFrom("endpoint: http://o:1", "enabled: false", "description: mine", "parameters: {timeout: 5s}"),
    }),
    { maxLength: 4 },
  )
  .map((all) => `tools:\n${all.map(({ name, line }) => `  - name: ${name}\n    ${line}\n`).join("")}`);

function clusterOf(all: readonly { namespace: string; name: string; app: string; port: number }[]) {
  return all.map(({ namespace, name, app, port }) => service(namespace, name, { labels: { app }, ports: [{ port }] }));
}

describe("reconciliation", () => {
  it("is done after one step, loses no byte of the user's, and depends on the present only", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(services, overrides), { minLength: 1, maxLength: 4 }), (steps) => {
        let map = evaluate([]).configMap;
        for (const [cluster, written] of steps) {
          const done = evaluate(clusterOf(cluster), withOverrides(written, map), { now: morning });
          map = done.configMap;
          expect(map.data?.["overrides.yaml"]).toBe(written);
          const again = evaluate(clusterOf(cluster), map, { now: noon });
          expect(again.inSync).toBe(true);
          expect(again.configMap).toEqual(map);
          expect(again.entries.entries.some((entry) => entry.changed)).toBe(false);
          loadAsHolmes(done.data["custom_toolset.yaml"]!);
          expect(readBlocks(done.data["toolset.yaml"]!).size).toBe(Number(done.annotations["kubernaut.io/discovered-services"]));
          expect(dataSize(map)).toBe(done.size);
        }
        // Only names have a history.
        const [cluster, written] = steps.at(-1)!;
        const endpoints = (each: Evaluation) =>
          tools(each)
            .map((tool) => tool.endpoint)
            .sort();
        expect(endpoints(evaluate(clusterOf(cluster), map))).toEqual(endpoints(evaluate(clusterOf(cluster), withOverrides(written))));
      }),
      { numRuns: 60 },
    );
  });
});
