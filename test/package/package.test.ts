// needs: man
// What npm packs, installed into an empty folder, and used from there.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { shells } from "../../src/cli/shell/completion-scripts.ts";
import { type Installed, installPackage } from "./installed.ts";

let installed: Installed;
let folder: string;
beforeAll(() => {
  installed = installPackage();
  folder = path.join(installed.folder, "node_modules/stet");
});
afterAll(() => installed.remove());

const read = (file: string) => fs.readFileSync(path.join(folder, file), "utf8");

function stet(...args: string[]) {
  const env = { HOME: installed.folder, PATH: process.env.PATH };
  return spawnSync(process.execPath, [path.join(folder, "bin/stet.cjs"), ...args], { env, encoding: "utf8" });
}

it("holds what an installed stet needs, and no more than 300 files", () => {
  expect(installed.files.length).toBeLessThanOrEqual(300);
  const needed = ["bin/stet.cjs", "dist/index.js", "dist/index.cjs", "dist/index.d.ts", "dist/index.d.cts"];
  const papers = [
    "dist/stet.schema.json",
    "dist/THIRD-PARTY-NOTICES.txt",
    "docs/library.md",
    "CHANGELOG.md",
    "LICENSE",
  ];
  expect(installed.files).toEqual(expect.arrayContaining([...needed, ...papers, "dist/man/stet.1"]));
  expect(installed.files.filter((file) => /^(?:src|test|scripts|bench)\/|\.test\.ts$|\.map$/.test(file))).toEqual([]);
});

it("every page that a message or another page points to is in it", () => {
  const pages = installed.files.filter((file) => file.endsWith(".md"));
  expect(pages.length).toBeGreaterThan(20);
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)\s#]+)[^)]*\)|(?:src|srcset)="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture!)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !fs.existsSync(path.join(folder, path.dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  // What the README says for those who look into how stet is built.
  const forBuilders = ["examples/settings", "docs/performance.md", "docs/architecture.md", "docs/decisions"];
  expect(missing).toEqual([...forBuilders, "CONTRIBUTING.md"].map((target) => `README.md: ${target}`));
  const code = installed.files.filter((file) => /\.c?js$/.test(file)).map(read);
  const named = code.flatMap((text) => text.match(/(?<![\w./-])docs\/[a-z/-]+\.md\b/g) ?? []);
  expect([...new Set(named)].filter((page) => !installed.files.includes(page))).toEqual([]);
});

it("stet --version, and as JSON what it runs on", () => {
  const { version } = JSON.parse(read("package.json"));
  expect(stet("--version").stdout).toBe(`${version}\n`);
  for (const args of [
    ["--version", "--json"],
    ["--json", "--version"],
    ["-V", "--json"],
  ])
    expect(JSON.parse(stet(...args).stdout)).toMatchObject({
      format_version: 1,
      name: "stet",
      version,
      node: process.versions.node,
      platform: process.platform,
    });
  expect(stet("demo").status).toBe(0);
});

it.each(shells)("its completion for %s tells of every command", (shell) => {
  const { status, stdout, stderr } = stet("completion", shell);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const name of Object.keys(commands)) expect(stdout).toContain(name);
});

it("man stet, and a page for every command, each with every option of its help", async () => {
  const pages = installed.files.filter((file) => file.startsWith("dist/man/")).map((file) => path.basename(file, ".1"));
  const tops = await Promise.all(Object.values(commands).map(async ({ load }) => (await load()).command));
  const below = await Promise.all(
    tops.flatMap((command) => Object.values(command.commands ?? {}).map(async ({ load }) => (await load()).command)),
  );
  const names = [...tops, ...below].map(({ name }) => `stet-${name.replaceAll(" ", "-")}`);
  expect(pages.sort()).toEqual(["stet", ...new Set(names)].sort());
  for (const { name, options } of [...tops, ...below]) {
    const text = read(`dist/man/stet-${name.replaceAll(" ", "-")}.1`).replaceAll("\\-", "-");
    for (const [option, { help }] of Object.entries(options))
      if (help !== undefined)
        expect({ name, text }).toEqual({ name, text: expect.stringContaining(`--${option}\\fR`) });
  }
});

it("the formatter takes the pages without a warning, and shows them as they are meant", () => {
  const man = path.join(folder, "dist/man");
  const groff = (file: string) =>
    spawnSync("groff", ["-man", "-Tutf8", "-ww", path.join(man, file)], { encoding: "utf8" });
  for (const file of fs.readdirSync(man)) expect({ file, said: groff(file).stderr }).toEqual({ file, said: "" });
  const env = { ...process.env, MANPAGER: "cat", MANWIDTH: "80", LC_ALL: "C.UTF-8" };
  const shown = execFileSync("man", ["-l", path.join(man, "stet-plan.1")], { env, encoding: "utf8" });
  expect(shown).toMatch(/^NAME\n {7}stet-plan - show what a pack would change, and why\n/m);
  expect(shown).toMatch(/^ {7}--out FILE\n/m);
  const completion = execFileSync("man", ["-l", path.join(man, "stet-completion.1")], { env, encoding: "utf8" });
  expect(completion).toMatch(/^ {9}bash {9}in ~\/\.bashrc: source <\(stet completion bash\)\n {9}zsh {10}save as/m);
  const host = execFileSync("man", ["-l", path.join(man, "stet-host-apply.1")], { env, encoding: "utf8" });
  expect(host).toMatch(/2 see --exit-code;\s+3\s+see\s+--strict;\s+4\s+applied/);
  expect(execFileSync("man", ["-l", path.join(man, "stet.1")], { env, encoding: "utf8" })).toContain("EXIT STATUS");
});

it("package.json names every page, so that npm puts it where man finds it", () => {
  const { man } = JSON.parse(read("package.json"));
  const pages = installed.files.filter((file) => file.startsWith("dist/man/"));
  expect(man.sort()).toEqual(pages.map((page) => `./${page}`).sort());
});
