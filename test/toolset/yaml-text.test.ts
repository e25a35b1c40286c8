import { expect, it } from "vitest";
import { parse } from "yaml";
import { yamlLines } from "../../src/toolset/render/yaml.ts";

it("a list longer than a call takes arguments is written, level by level", () => {
  const list = Array.from({ length: 150_000 }, (_, i) => [i]);
  const lines = yamlLines({ config: { instances: list } }, "");
  expect(lines).toHaveLength(150_002);
  expect(lines.slice(0, 4)).toEqual(["config:", "  instances:", "    - - 0", "    - - 1"]);
  const text = yamlLines([[{ a: [1, { b: [] }] }, [[2]]], {}], "").join("\n");
  expect(parse(text)).toEqual([[{ a: [1, { b: [] }] }, [[2]]], {}]);
});
