import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";
import { builtProgram } from "../program.ts";

/**
 * Short texts that hold more than fits into memory. The program runs with little of it, so what is built before it is
 * refused ends the program.
 */
const program = builtProgram();

const many = 6_000_000;
const head = 'name: zylos\nversion: "1"\n';

function planned(target: string, files: Record<string, string>): { status: number | null; stderr: string } {
  const terminal = new Terminal();
  terminal.write("pack/stet.yaml", `${head}files: [{ target: ~/app/${target}, template: template }]\n`);
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(terminal.at(name.replace(/[^/]*$/, "")), { recursive: true });
    fs.writeFileSync(terminal.at(name), text);
  }
  const state = terminal.at("home/.local/state/stet");
  if (fs.existsSync(state)) fs.chmodSync(state, 0o700);
  const env = { HOME: terminal.home, PATH: "/usr/bin:/bin" };
  return spawnSync(process.execPath, ["--max-old-space-size=250", program, "plan", "pack"], {
    cwd: terminal.folder,
    env,
    encoding: "utf8",
  });
}

it.each([
  ["JSON", "a.json", `{"a":[${"{},".repeat(many)}{}]}`],
  ["JSON, side by side", "b.json", `{"a":[${"0,".repeat(many)}0]}`],
  ["YAML, in brackets", "a.yaml", `a: [${"{},".repeat(many)}{}]\n`],
  ["YAML, a line each", "b.yaml", `a:\n${"- 1\n".repeat(many)}`],
  ["YAML, dashes in a line", "c.yaml", `a:\n${`${"- ".repeat(50)}1\n`.repeat(many / 50)}`],
  ["TOML, in brackets", "a.toml", `a = [${"{},".repeat(many)}]\n`],
  ["TOML, in names", "b.toml", `${"a.".repeat(100)}a = 1\n`.repeat(many / 100)],
  ["variables", "a.env", "A=\n".repeat(many)],
])("a template of %s", (_, target, template) => {
  expect(planned(target, { "pack/template": template })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^stet: \S*template:1:1: this holds more than 500,000 values[^\n]*\n$/),
  });
});

it("a manifest", () => {
  const text = `${head}files: [${"{},".repeat(many)}]\n`;
  expect(planned("a.json", { "pack/stet.yaml": text, "pack/template": "{}" })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^stet: \S*stet\.yaml:1:1: this holds more than 500,000 values[^\n]*\n$/),
  });
});

it("records", () => {
  const text = `{"format_version":1,"name":"zylos","version":"1","homes":[${"{},".repeat(many)}{}],"files":{}}`;
  const files = { "pack/template": "{}", "home/.local/state/stet/zylos/registry.json": text };
  expect(planned("a.json", files)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /^stet: \S*registry\.json:1:1: the registry holds more than 5,000,000 values[^\n]*\n$/,
    ),
  });
});
