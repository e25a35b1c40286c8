import { Exact } from "../../../src/core/value.ts";
import { yaml } from "../../../src/formats/yaml/yaml.ts";
import { conformance } from "../conformance.ts";
import { yamlSamples } from "./samples.ts";

conformance(yaml, {
  documents: yamlSamples,
  names: ["added", "with.dot", 'with "quotes" \\ and\nlines', "", "on", "a: b", "12"],
  values: [
    "text",
    7,
    { command: "node ~/c.js", nested: { empty: {}, list: [1, { deep: true, more: ["a", "b"] }] } },
    {},
    ["x", "y"],
    null,
    "several\n\nlines\n  of text",
    "ends with a break\n",
    new Exact("number", "0644"),
  ],
});
