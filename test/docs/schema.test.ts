import fs from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { releases } from "../../src/cli/demo/demo.ts";

// Made by the build, from the schema that the program itself uses.
const root = path.resolve(import.meta.dirname, "../..");
const schema = JSON.parse(fs.readFileSync(path.join(root, "dist/stet.schema.json"), "utf8"));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
const problems = (yaml: string) =>
  validate(load(yaml)) ? [] : validate.errors!.map((error) => `${error.instancePath} ${error.keyword}`);

const everything = `
name: zylos
version: 1.4.0
vars: { ZYLOS_HOME: ~/zylos, PORT: 4100, ON: true }
files:
  - { target: ~/.claude/settings.json, template: templates/settings.json, profile: claude-code, only-if: exists }
  - target: \${ZYLOS_HOME}/config.json
    template: templates/config.json
    format: jsonc
    os: [linux, darwin]
    rules:
      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event, "command|script"], position: end }
  - { target: ~/.bashrc, template: templates/bashrc, strategy: block }
earlier: { "1.2.0": releases/1.2 }
moved:
  - { from: "hook:a", to: "hook:b", file: ~/x }
policy:
  - { match: "hook:*", when-deleted: respect, when-edited: keep, when-present: adopt, ignore: [timeout], create-only: true }
`;

describe("the JSON Schema of stet.yaml", () => {
  it("accepts what the contract shows, and what the demo ships", () => {
    expect(problems(everything)).toEqual([]);
    for (const files of Object.values(releases)) expect(problems(files["stet.yaml"]!)).toEqual([]);
  });

  const bad: [what: string, from: string, to: string, problem: string][] = [
    ["an unknown key", "earlier:", "earlyer:", " additionalProperties"],
    ["a missing version", "version: 1.4.0\n", "", " required"],
    ["a version that is a number", "version: 1.4.0", "version: 1.4", "/version type"],
    ["a name that is no name", "name: zylos", "name: ../zylos", "/name pattern"],
    ["a file without a template", ", template: templates/bashrc", "", "/files/2 required"],
    ["an unknown strategy", "strategy: block", "strategy: overwrite", "/files/2/strategy enum"],
    ["an unknown system", "[linux, darwin]", "[plan9]", "/files/1/os/0 enum"],
    ["an unknown policy", "when-deleted: respect", "when-deleted: ignore", "/policy/0/when-deleted enum"],
    ["an unknown key of a rule", "position: end", "postion: end", "/files/1/rules/0 additionalProperties"],
  ];
  for (const [what, from, to, problem] of bad) {
    it(`refuses ${what}`, () => {
      expect(everything).toContain(from);
      expect(problems(everything.replace(from, to))).toContain(problem);
    });
  }
});
