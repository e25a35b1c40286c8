import { describe, expect, it } from "vitest";
import { maxTextLength } from "../../src/formats/limits.ts";
import { Terminal } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const deep = 100_000;
const templates: Record<string, string> = { json: '{ "a": 1 }\n', yaml: "a: 1\n", toml: "a = 1\n", env: "A=1\n" };

function prepared(extension: string, target: string): Terminal {
  const terminal = new Terminal();
  const name = extension === "env" ? ".env" : `config.${extension}`;
  terminal.write(
    "pack/stet.yaml",
    `name: zylos\nversion: "1"\nfiles: [{ target: ~/app/${name}, template: ${name} }]\n`,
  );
  terminal.write(`pack/${name}`, templates[extension]!);
  terminal.write(`home/app/${name}`, target);
  return terminal;
}

describe("a target made to exhaust the machine is refused, and stays as it is", () => {
  it.each([
    [
      "JSON, lists in lists",
      "json",
      `{"x":${"[".repeat(deep)}${"]".repeat(deep)}}`,
      /config\.json:1:\d+: .*nested more than 1000/,
    ],
    ["JSON, maps in maps", "json", '{"x":'.repeat(deep), /config\.json:1:\d+: .*nested more than 1000/],
    [
      "YAML, lists in lists",
      "yaml",
      `x: ${"[".repeat(deep)}${"]".repeat(deep)}\n`,
      /config\.yaml:1:\d+: .*nested more than 100 levels deep/,
    ],
    [
      "YAML, in one line of dashes",
      "yaml",
      `x:\n  ${"- ".repeat(deep)}a\n`,
      /config\.yaml:2:\d+: .*nested more than 100 levels deep/,
    ],
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
    expect(terminal.read(`home/app/${extension === "env" ? ".env" : `config.${extension}`}`)).toContain(
      "y".repeat(1_000_000),
    );
    await terminal.run("uninstall", "zylos");
    expect(terminal.read(`home/app/${extension === "env" ? ".env" : `config.${extension}`}`)).toBe(text);
  });
});

describe("text longer than memory has room for", () => {
  it.each([
    ["yaml", "# x\n", "YAML"],
    ["toml", "# x\n", "TOML"],
    ["env", "# x\n", "variables"],
  ])("%s is refused before it is read", async (extension, line, format) => {
    const text = line.repeat(Math.ceil((maxTextLength + 1) / line.length));
    await expectRefusal(prepared(extension, text), new RegExp(`:1:1: this is more than 32 MiB of ${format}`), [
      "plan",
      "pack",
    ]);
  });
});

describe("as much YAML for the toolset commands", () => {
  it.each([
    ["Services", ["--services", "long"]],
    ["detectors", ["--services", "services", "--detectors", "long"]],
    ["a ConfigMap", ["--services", "services", "--configmap", "long"]],
    ["a kubeconfig", ["--kubeconfig", "long"]],
  ])("%s", async (_, argv) => {
    const terminal = new Terminal();
    terminal.write("services", '{ "kind": "List", "items": [] }');
    terminal.write("long", "# x\n".repeat(maxTextLength / 4 + 1));
    await expectRefusal(terminal, /long: this is more than 32 MiB of YAML/, ["toolset", "plan", ...argv]);
  });
});

describe("a template, a policy or a release made to exhaust the machine is refused", () => {
  const nested = `x: ${"[".repeat(deep)}${"]".repeat(deep)}\n`;
  it.each([
    ["a template, nested", "pack/config.yaml", nested, /nested more than 100 levels deep/],
    ["a template, an alias bomb", "pack/config.yaml", aliases(12), /alias bomb/],
    ["a policy, nested", "home/.config/stet/policy.yaml", nested, /nested more than 100 levels deep/],
    ["an earlier manifest, nested", "pack/old/stet.yaml", nested, /nested more than 100 levels deep/],
    ["an earlier template, an alias bomb", "pack/old/config.yaml", aliases(12), /alias bomb/],
  ])("%s", async (_, file, text, line) => {
    const terminal = prepared("yaml", "mine: 1\n");
    terminal.write("pack/stet.yaml", `${terminal.read("pack/stet.yaml")}earlier: { "0.9": old }\n`);
    terminal.write("pack/old/config.yaml", "a: 0\n");
    terminal.write(file, text);
    await expectRefusal(terminal, line, ["plan", "pack"], ["apply", "pack"]);
  });
});

describe("a repository's and a cluster's YAML, made to exhaust the machine", () => {
  it.each([
    [
      "nested lists",
      `host: box\nservices: ${"[".repeat(deep)}\n`,
      /host\.yaml:2:\d+: maps and lists are nested more than 100 levels deep/,
    ],
    [
      "dashes",
      `host: box\nservices:\n  ${"- ".repeat(deep)}a\n`,
      /host\.yaml:3:\d+: maps and lists are nested more than 100 levels deep/,
    ],
    ["an alias bomb", `${aliases(12)}host: box\nservices: *x12\n`, /host\.yaml:1:1: .*alias bomb/],
    [
      "names in the tens of thousands",
      `host: box\n${"services: []\n".repeat(20_000)}`,
      /host\.yaml:3:1: one map has the key "services" twice/,
    ],
  ])("host.yaml: %s", async (_, text, line) => {
    const terminal = new Terminal({ PATH: process.env.PATH! });
    terminal.write("repo/services/web/quadlet/web.container", "[Container]\nImage=x.org/web:1\n");
    terminal.write("repo/hosts/box/host.yaml", text);
    await expectRefusal(terminal, line, ["host", "apply", "--repo", "repo", "--host", "box", "--root", "root"]);
    expect(terminal.exists("root")).toBe(false);
  });

  const service =
    '{ "kind": "Service", "metadata": { "name": "x", "labels": { "app": "prometheus" } }, "spec": { "ports": [{ "port": 9090 }] } }';
  const configMap = (overrides: string) =>
    JSON.stringify({
      kind: "ConfigMap",
      metadata: { name: "kubernaut-toolset-config" },
      data: { "overrides.yaml": overrides },
    });

  it.each([
    ["Services, nested", `kind: Service\nmetadata: ${"{a: ".repeat(deep)}`, "", /services:\d+:\d+: .*maxDepth/],
    [
      "Services, JSON, nested",
      `{"kind":"Service","metadata":${'{"a":'.repeat(deep)}1${"}".repeat(deep)}}`,
      "",
      /services: Service/,
    ],
    ["Services, an alias bomb", `${aliases(12)}kind: Service\nmetadata: { name: *x12 }\n`, "", /services: Service/],
  ])("%s", async (_, services, map, line) => {
    const terminal = new Terminal();
    terminal.write("services", services);
    terminal.write("configmap", map);
    await expectRefusal(terminal, line, ["toolset", "plan", "--services", "services", "--configmap", "configmap"]);
  });

  it.each([
    ["nested", `tools:\n${"- ".repeat(deep)}a\n`, /nested too deeply/],
    [
      "an alias bomb",
      `${aliases(12).replaceAll("x0:", "toolsets:\n  x0:").replaceAll(/^x/gm, "  x")}tools: *x12\n`,
      /too many values|must be a map|must be a list/,
    ],
  ])("overrides, %s: said, and none of them in effect", async (_, overrides, line) => {
    const terminal = new Terminal();
    terminal.write("services", service);
    terminal.write("configmap", configMap(overrides));
    const { code, out } = await terminal.run("toolset", "plan", "--services", "services", "--configmap", "configmap");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(line) });
    expect(out).toMatch(/no\s+overrides\s+are\s+in\s+effect/);
  });

  it.each([
    ["nested", `users: ${"[".repeat(deep)}`, /kubeconfig:1:\d+: .*maxDepth/],
    ["an alias bomb", aliases(12), /kubeconfig: no current-context/],
  ])("a kubeconfig, %s", async (_, text, line) => {
    const terminal = new Terminal();
    terminal.write("kubeconfig", text);
    await expectRefusal(terminal, line, ["toolset", "plan", "--kubeconfig", terminal.at("kubeconfig")]);
  });

  it("names that every object has, in a ConfigMap, in labels and in overrides", async () => {
    const terminal = new Terminal();
    terminal.write("services", service.replace('"app"', '"__proto__": "x", "constructor": "y", "app"'));
    const overrides = "toolsets: { __proto__: { polluted: 1 }, constructor: { a: 1 }, toString: { b: 2 } }\n";
    terminal.write(
      "configmap",
      configMap(overrides).replace('"data":{', '"data":{"__proto__":"kept","constructor":"kept",'),
    );
    const { out } = await terminal.run(
      "toolset",
      "plan",
      "--services",
      "services",
      "--configmap",
      "configmap",
      "--json",
    );
    const { configMap: result } = JSON.parse(out);
    expect(
      Object.entries(result.data)
        .filter(([, value]) => value === "kept")
        .map(([name]) => name),
    ).toEqual(["__proto__", "constructor"]);
    expect(result.data["overrides.yaml"]).toBe(overrides);
    for (const name of ["__proto__", "constructor", "toString"])
      expect(result.data["custom_toolset.yaml"]).toMatch(new RegExp(`^  ${name}:$`, "m"));
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("services, files and units of such names", async () => {
    const terminal = new Terminal({ PATH: process.env.PATH! });
    for (const name of ["__proto__", "constructor", "toString"]) {
      terminal.write(
        `repo/services/${name}/quadlet/${name}.container`,
        `[Container]\nImage=x.org/web:1\n[X-constructor]\ntoString=1\n__proto__=1\n[Service]\nX-toString=1\nX-__proto__=1\n`,
      );
      terminal.write(`repo/services/${name}/config/etc/${name}/${name}`, "x\n");
    }
    terminal.write("repo/hosts/box/host.yaml", "host: box\nservices: [__proto__, constructor, toString]\n");
    const run = (command: string) =>
      terminal.run("host", command, "--repo", "repo", "--host", "box", "--root", "root", "--json");
    expect(JSON.parse((await run("apply")).out).changed).toBe(6);
    expect(terminal.read("root/etc/__proto__/__proto__")).toBe("x\n");
    expect(JSON.parse((await run("apply")).out).changed).toBe(0);
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
  const lines = Array.from(
    { length: levels },
    (_, i) => `x${i + 1}: &x${i + 1} [${Array(9).fill(`*x${i}`).join(", ")}]`,
  );
  return `${["x0: &x0 [a, a, a]", ...lines].join("\n")}\n`;
}
