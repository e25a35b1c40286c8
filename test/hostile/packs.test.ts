import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
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
    [
      "a template above the pack",
      `${head}files: [{ target: ~/a.json, template: ../secret.json }]\n`,
      /\.\.\/secret\.json lies outside/,
    ],
    [
      "an absolute template",
      `${head}files: [{ target: ~/a.json, template: /etc/passwd }]\n`,
      /\/etc\/passwd lies outside/,
    ],
    ["a template with a NUL", `${head}files: [{ target: ~/a.json, template: "a\\0b" }]\n`, /files\[0\]\.template.*NUL/],
    [
      "a target with a NUL",
      `${head}files: [{ target: "~/a\\0b.json", template: config.json }]\n`,
      /files\[0\]\.target.*NUL/,
    ],
    ["an earlier release above the pack", `${head}files: []\nearlier: { "0.9": ../old }\n`, /\.\.\/old lies outside/],
    ["an earlier release with a NUL", `${head}files: []\nearlier: { "0.9": "a\\0" }\n`, /earlier\.0\.9.*NUL/],
    ["a key that objects have anyway", `${head}files: []\ntoString: 1\n`, /stet\.yaml:4:1: the name toString can't/],
    [
      "a variable of such a name",
      `${head}files: []\nvars: { constructor: x }\n`,
      /stet\.yaml:4:9: the name constructor can't/,
    ],
    [
      "a release of such a name",
      `${head}files: []\nearlier: { prototype: old }\n`,
      /stet\.yaml:4:12: the name prototype can't/,
    ],
    ["a password where a map belongs", `${head}files: []\nvars: hunter2\n`, /vars must be a map, not a text/],
    [
      "a key named __proto__",
      `${head}__proto__: { files: [] }\n`,
      /stet\.yaml:3:1: the name __proto__ can't be used here/,
    ],
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
    [
      "nesting without end",
      `${head}files: ${"[".repeat(100_000)}\n`,
      /stet\.yaml:3:\d+: .*nested more than 100 levels deep/,
    ],
    ["an alias of itself", `${head}files: &a [*a]\n`, /stet\.yaml:3:\d+: the alias \*a is inside/],
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
    const terminal = withManifest(
      `${head}files: [{ target: ~/a.json, template: config.json }]\nearlier: { "0.9": old }\n`,
    );
    terminal.write(
      "outside/stet.yaml",
      `name: zylos\nversion: "0.9"\nfiles: [{ target: ~/a.json, template: config.json }]\n`,
    );
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

describe("a template or manifest that is no file is refused without waiting for it", () => {
  it.each(["config.json", "stet.yaml"])("%s", async (name) => {
    const terminal = withManifest(`${head}files: [{ target: ~/a.json, template: config.json }]\n`);
    const place = terminal.at(`pack/${name}`);
    fs.rmSync(place);
    execFileSync("mkfifo", [place]);
    await expectRefusal(terminal, /it is a FIFO/, ...both);
    fs.rmSync(place);
    fs.mkdirSync(place);
    await expectRefusal(terminal, /(?:it is a|this) folder/, ...both);
  });

  it("a manifest from a pipe", async () => {
    const terminal = withManifest(`${head}files: []\n`);
    execFileSync("mkfifo", [terminal.at("pipe")]);
    await expectRefusal(terminal, /pipe: it is a FIFO/, ["plan", "pipe"], ["apply", "pipe"]);
    await expectRefusal(terminal, /there is no manifest here/, ["plan", "-"], ["apply", "-"]);
  });
});

describe("names no file system takes, and names that would speak for stet", () => {
  it.each([
    ["a target", `files: [{ target: "~/${"a".repeat(300)}.json", template: config.json }]`],
    ["a template", `files: [{ target: ~/a.json, template: ${"a".repeat(300)} }]`],
    ["a path of 5000 signs", `files: [{ target: "~/${"a/".repeat(2500)}b.json", template: config.json }]`],
  ])("%s that is too long", async (_, files) => {
    await expectRefusal(withManifest(`${head}${files}\n`), /name is too long/, ...both);
  });

  it("a line end in a name begins no line of its own", async () => {
    const terminal = withManifest(`${head}files: [{ target: ~/a.json, template: "no\\nstet: all is well" }]\n`);
    await expectRefusal(terminal, /no\\x0astet: all is well/, ...both);
  });
});

describe("a home that is none", () => {
  it.each(["relative", "./.."])("HOME=%s", async (home) => {
    const terminal = withManifest(`${head}files: [{ target: ~/a.json, template: config.json }]\n`);
    terminal.env = { HOME: home };
    const { code, out, err } = await terminal.run("apply", "pack", "--state-dir", terminal.at("state"));
    // A relative one would mean another folder wherever stet is started.
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^stet: no home folder is known[^\n]*\n$/),
    });
    expect(fs.readdirSync(terminal.folder).sort()).toEqual(["home", "pack"]);
  });
});
