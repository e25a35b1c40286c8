import { describe, expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const deep = 100_000;
const templates: Record<string, string> = { json: '{ "a": 1 }\n', yaml: "a: 1\n", toml: "a = 1\n", env: "A=1\n" };

function prepared(extension: string, target: string): Terminal {
  const terminal = new Terminal();
  const name = extension === "env" ? ".env" : `config.${extension}`;
  terminal.write("pack/stet.yaml", `name: zylos\nversion: "1"\nfiles: [{ target: ~/app/${name}, template: ${name} }]\n`);
  terminal.write(`pack/${name}`, templates[extension]!);
  terminal.write(`home/app/${name}`, target);
  return terminal;
}

describe("a target made to exhaust the machine is refused, and stays as it is", () => {
  it.each([
    ["JSON, lists in lists", "json", `{"x":${"[".repeat(deep)}${"]".repeat(deep)}}`, /config\.json:1:\d+: .*nested more than 1000/],
    ["JSON, maps in maps", "json", '{"x":'.repeat(deep), /config\.json:1:\d+: .*nested more than 1000/],
    ["YAML, lists in lists", "yaml", `x: ${"[".repeat(deep)}${"]".repeat(deep)}\n`, /config\.yaml:1:\d+: .*nested more than 100 deep/],
    ["YAML, in one line of dashes", "yaml", `x:\n  ${"- ".repeat(deep)}a\n`, /config\.yaml:2:\d+: .*nested more than 100 deep/],
    ["YAML, an alias bomb", "yaml", aliases(12), /config\.yaml:1:1: .*alias bomb/],
    ["TOML, lists in lists", "toml", `x = ${"[".repeat(deep)}`, /config\.toml:1:\d+: .*nested too deep/],
    ["TOML, a name of many parts", "toml", `${"a.".repeat(deep)}a = 1\n`, /config\.toml:1:\d+: .*too many parts/],
    ["TOML, inline tables", "toml", `x = ${"{a=".repeat(deep)}`, /config\.toml:1:\d+: .*nested too deep/],
  ])("%s", async (_, extension, text, line) => {
    await expectRefusal(prepared(extension, text), line, ["plan", "pack"], ["apply", "pack"]);
  });

  it.each([
    ["json", `{ "x": "${"y".repeat(1_000_000)}" }\n`],
    ["yaml", `x: "${"y".repeat(1_000_000)}"\n`],
    ["toml", `x = "${"y".repeat(1_000_000)}"\n`],
    ["env", `X="${"y".repeat(1_000_000)}"\n`],
  ])("a value of a megabyte in %s is no reason to refuse", async (extension, text) => {
    const terminal = prepared(extension, text);
    expect(await terminal.run("apply", "pack")).toMatchObject({ code: 0 });
    expect(terminal.read(`home/app/${extension === "env" ? ".env" : `config.${extension}`}`)).toContain("y".repeat(1_000_000));
    await terminal.run("uninstall", "zylos");
    expect(terminal.read(`home/app/${extension === "env" ? ".env" : `config.${extension}`}`)).toBe(text);
  });
});

describe("names that every object has are names like any other", () => {
  it.each([
    ["json", '{ "__proto__": { "polluted": 1 }, "constructor": { "prototype": { "polluted": 1 } }, "toString": 1 }\n'],
    ["yaml", "__proto__:\n  polluted: 1\nconstructor:\n  prototype:\n    polluted: 1\ntoString: 1\n"],
    ["toml", "toString = 1\n\n[__proto__]\npolluted = 1\n\n[constructor.prototype]\npolluted = 1\n"],
  ])("in a %s template: written, settled and taken out again, and nothing is polluted", async (extension, template) => {
    const terminal = prepared(extension, templates[extension]!.replace("a", "mine"));
    const target = `home/app/config.${extension}`;
    const before = terminal.read(target);
    terminal.write(`pack/config.${extension}`, template);
    const planned = await terminal.json("apply", "pack");
    expect(planned.entries.map((entry: { key: string }) => entry.key).sort()).toEqual([
      "setting:__proto__.polluted",
      "setting:constructor.prototype.polluted",
      "setting:toString",
    ]);
    expect(terminal.read(target)).toContain("__proto__");
    expect(await terminal.json("apply", "pack")).toMatchObject({ changed: 0, summary: { unchanged: 3 } });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await terminal.run("uninstall", "zylos");
    expect(terminal.read(target)).toBe(before);
  });
});

function aliases(levels: number): string {
  const lines = Array.from({ length: levels }, (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`).join(", ")}]`);
  return `${["x0: &x0 [a, a, a]", ...lines].join("\n")}\n`;
}
