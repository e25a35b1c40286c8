import { Exact } from "../../../src/core/value.ts";
import { toml } from "../../../src/formats/toml/toml.ts";
import { conformance } from "../conformance.ts";
import { tomlSamples } from "./samples.ts";

conformance(toml, {
  documents: tomlSamples,
  names: ["added", "with.dot", 'with "quotes" \\ and\nlines', "ünïcode 😀"],
  values: [
    "text",
    7,
    { command: "node ~/c.js", nested: { empty: {}, list: [1, { deep: true }] } },
    [],
    {},
    ["x", "y"],
    "two\nlines",
    false,
    [{ a: 1 }, { a: 2, b: { c: "'" } }],
    new Exact("number", "98765432109876543210"),
    new Exact("datetime", "2026-11-15"),
    new Exact("float", "2.0"),
  ],
});
