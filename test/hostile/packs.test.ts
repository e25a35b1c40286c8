import fs from "node:fs";
import { describe, it } from "vitest";
import { Terminal, writePack } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const both = [
  ["plan", "pack"],
  ["apply", "pack"],
];

function withManifest(text: string): Terminal {
  const terminal = new Terminal();
  writePack(terminal, "1.0.0", { a: 1 });
  terminal.write("pack/stet.yaml", text);
  return terminal;
}

const head = 'name: zylos\nversion: "1"\n';
const bomb = (levels: number) =>
  [
    "x0: &x0 [a, a, a, a, a, a, a, a, a]",
    ...Array.from({ length: levels }, (_, i) => `x${i + 1}: &x${i + 1} [${`*x${i}, `.repeat(9)}]`),
  ].join("\n");

describe("a pack by somebody who means harm is refused", () => {
  const manifests: [what: string, text: string, line: RegExp][] = [
    ["a name that climbs", `name: ..\nversion: "1"\nfiles: []\n`, /stet\.yaml:1:1: name/],
    ["a name with a folder in it", `name: a/b\nversion: "1"\nfiles: []\n`, /stet\.yaml:1:1: name/],
    ["a name that a terminal would obey", `name: "a\\e[2J"\nversion: "1"\nfiles: []\n`, /stet\.yaml:1:1: name/],
    ["the name of the lock", `name: LOCK\nversion: "1"\nfiles: []\n`, /stet\.yaml:1:1: name: stet itself/],
    ["a template above the pack", `${head}files: [{ target: ~/a.json, template: ../secret.json }]\n`, /\.\.\/secret\.json lies outside/],
    ["an absolute template", `${head}files: [{ target: ~/a.json, template: /etc/passwd }]\n`, /\/etc\/passwd lies outside/],
    ["a template with a NUL", `${head}files: [{ target: ~/a.json, template: "a\\0b" }]\n`, /files\[0\]\.template.*NUL/],
    ["a target with a NUL", `${head}files: [{ target: "~/a\\0b.json", template: config.json }]\n`, /files\[0\]\.target.*NUL/],
    ["an earlier release above the pack", `${head}files: []\nearlier: { "0.9": ../old }\n`, /\.\.\/old lies outside/],
    ["an earlier release with a NUL", `${head}files: []\nearlier: { "0.9": "a\\0" }\n`, /earlier\.0\.9.*NUL/],
    ["a key named __proto__", `${head}__proto__: { files: [] }\n`, /unknown key __proto__|files is missing/],
    [
      "a format that objects have anyway",
      `${head}files: [{ target: ~/a, template: config.json, format: constructor }]\n`,
      /format must be one of/,
    ],
    [
      "a profile that objects have anyway",
      `${head}files: [{ target: ~/a.json, template: config.json, profile: __proto__ }]\n`,
      /no profile __proto__/,
    ],
    ["an alias bomb", `${head}files: []\n${bomb(12)}\n`, /alias bomb/],
    ["nesting without end", `${head}files: ${"[".repeat(100_000)}\n`, /stet\.yaml:3:\d+: .*nested more than 100 deep/],
    ["an alias of itself", `${head}files: &a [*a]\n`, /stet\.yaml:3:\d+: the alias \*a stands inside/],
  ];
  it.each(manifests)("%s", async (_, text, line) => {
    const terminal = withManifest(text);
    terminal.write("secret.json", { secret: 1 });
    terminal.write("old/stet.yaml", `${head}files: []\n`);
    await expectRefusal(terminal, line, ...both);
  });

  it.each([
    ["a template", "pack/config.json"],
    ["a folder of templates", "pack/templates"],
  ])("%s that is a link out of the pack", async (_, link) => {
    const terminal = withManifest(
      `${head}files: [{ target: ~/a.json, template: ${link.slice(5)}${link.endsWith("s") ? "/secret.json" : ""} }]\n`,
    );
    terminal.write("outside/secret.json", { secret: 1 });
    fs.rmSync(terminal.at(link), { force: true });
    fs.symlinkSync(link.endsWith("s") ? "../outside" : "../outside/secret.json", terminal.at(link));
    await expectRefusal(terminal, /lies outside the folder of the manifest/, ...both);
  });

  it("an earlier release that is a link out of the pack", async () => {
    const terminal = withManifest(`${head}files: [{ target: ~/a.json, template: config.json }]\nearlier: { "0.9": old }\n`);
    terminal.write("outside/stet.yaml", `name: zylos\nversion: "0.9"\nfiles: [{ target: ~/a.json, template: config.json }]\n`);
    terminal.write("outside/config.json", { secret: 1 });
    fs.symlinkSync("../outside", terminal.at("pack/old"));
    await expectRefusal(terminal, /old.* lies outside the folder of the manifest/, ...both);
  });

  it("a user's policy with an alias bomb", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/.config/stet/policy.yaml", `policy: []\n${bomb(12)}\n`);
    await expectRefusal(terminal, /policy\.yaml:1:1: .*alias bomb/, ...both);
  });
});
