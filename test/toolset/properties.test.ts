import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { equalValues, isMap, mapOf, type Value, type ValueMap } from "../../src/core/value.ts";
import type { ToolsetEvaluation } from "../../src/toolset/evaluate.ts";
import { dataSize } from "../../src/toolset/render/configmap.ts";
import { readBlocks } from "../../src/toolset/render/generate.ts";
import { yamlLines } from "../../src/toolset/render/yaml.ts";
import { overlay } from "../../src/toolset/tool.ts";
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

describe("the overlay of overrides", () => {
  it("has every field of the override, and of the tool what the override does not name", () => {
    fc.assert(
      fc.property(fields, fields, (tool, override) => {
        const result = overlay(tool, override);
        expect(equalValues(overlay(result, override), result)).toBe(true);
        for (const name of Object.keys(tool))
          if (!Object.hasOwn(override, name)) expect(equalValues(result[name], tool[name])).toBe(true);
        for (const name of Object.keys(override))
          if (!isMap(tool[name])) expect(equalValues(result[name], override[name])).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

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
const toolName = fc.constantFrom(
  "prometheus_query",
  "grafana_dashboard",
  "jaeger_query",
  "mine",
  "prometheus_query_b_x",
);
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
          expect(readBlocks(done.data["toolset.yaml"]!).size).toBe(
            Number(done.annotations["kubernaut.io/discovered-services"]),
          );
          expect(dataSize(map)).toBe(done.size);
        }
        // Only names have a history.
        const [cluster, written] = steps.at(-1)!;
        const endpoints = (each: ToolsetEvaluation) =>
          tools(each)
            .map((tool) => tool.endpoint)
            .sort();
        expect(endpoints(evaluate(clusterOf(cluster), map))).toEqual(
          endpoints(evaluate(clusterOf(cluster), withOverrides(written))),
        );
      }),
      { numRuns: 60 },
    );
  });
});
