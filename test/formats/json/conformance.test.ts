import { Exact } from "../../../src/core/value.ts";
import { json } from "../../../src/formats/json/json.ts";
import { conformance } from "../conformance.ts";
import { jsonSamples } from "./samples.ts";

conformance(json, {
  documents: jsonSamples,
  names: ["added", "with.dot", 'with "quotes" \\ and\nlines', "ünïcode 😀"],
  values: [
    "text",
    7,
    { command: "node ~/c.js", nested: { empty: {}, list: [1, { deep: true }] } },
    [],
    {},
    ["x", "y"],
    null,
    false,
    new Exact("number", "98765432109876543210"),
  ],
});
