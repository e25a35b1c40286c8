import { describe, expect, it } from "vitest";
import type { Registry } from "../../src/core/records.ts";
import { Exact, type Value } from "../../src/core/value.ts";
import { parseRegistry, renderRegistry } from "../../src/store/records/registry.ts";

function registryWith(value: Value): Registry {
  const entry = {
    entry_type: "setting",
    added_in_version: "1",
    last_updated_in_version: "1",
    value_hash: "sha256:0",
    value,
  };
  return {
    format_version: 1,
    name: "zylos",
    version: "1",
    homes: ["/home/u"],
    files: { "~/a.json": { entries: { "setting:a": entry } } },
  };
}

const values: [string, Value][] = [
  ["plain", { b: [1, "text", null, true], c: {} }],
  ["a number that no double holds", new Exact("number", "12345678901234567890")],
  [
    "a date and an infinity deep inside",
    { a: [{ b: new Exact("datetime", "1979-05-27T07:32:00Z") }, new Exact("float", "inf")] },
  ],
  ["a map that reads like our spelling of such a scalar", { $exact: "number", text: "1" }],
  ["both, one in the other", { $exact: [new Exact("number", "1e999"), { $exact: "map", pairs: [] }] }],
  ["a text that reads like it", 'say "$exact" here'],
];

describe("a registry reads back as it was written: a value that is", () => {
  it.each(values)("%s", (_, value) => {
    const registry = registryWith(value);
    expect(parseRegistry(renderRegistry(registry), "/state/zylos/registry.json")).toEqual(registry);
  });

  it("says itself what it can't say in JSON", () => {
    expect(
      JSON.parse(renderRegistry(registryWith(new Exact("number", "1e999")))).files["~/a.json"].entries["setting:a"]
        .value,
    ).toEqual({
      $exact: "number",
      text: "1e999",
    });
  });
});
