// needs: zsh fish powershell
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../../src/cli/main.ts";
import { PseudoTerminal } from "../../cli/pseudo-terminal.ts";
import { Shell } from "../../cli/shell.ts";

const toolset = (await commands.toolset!.load()).command.commands!;

it("zsh reads its script, and completes with it", async () => {
  const script = await new Shell().ok("completion", "zsh");
  expect(spawnSync("zsh", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  // The completion system needs a terminal, so what it calls is listened to instead.
  const listen = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _describe() { print -l -- $commands; }; _files() { :; }\n${script}\n`;
  const offers = (words: string, current: number) =>
    execFileSync("zsh", ["-c", `${listen}words=(${words}); CURRENT=${current}; PREFIX=$words[${current}]; _stet`], {
      encoding: "utf8",
    });
  expect(offers("stet ''", 2)).toContain("explain:tell the whole story of one entry");
  expect(offers("stet plan -", 3).split("\n")).toContain("--exit-code");
  const listed = `stet() { print -l -- 'hook:Stop:*:node ~/x.js' 'setting:volume' }; ${listen}`;
  const keys = ["-c", `${listed}words=(stet explain ''); CURRENT=3; PREFIX=; _stet`];
  expect(execFileSync("zsh", keys, { encoding: "utf8" })).toBe("hook:Stop:*:node ~/x.js\nsetting:volume\n");
  expect(offers("stet completion ''", 3)).toBe("bash\nzsh\nfish\npowershell\n");
  expect(offers("stet toolset ''", 3).split("\n")).toEqual([...Object.keys(toolset), ""]);
});

it("fish reads its script, and completes with it", async () => {
  const shell = new Shell();
  shell.write("stet.fish", await shell.ok("completion", "fish"));
  expect(spawnSync("fish", ["-n", shell.at("stet.fish")], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
  const offers = (line: string) =>
    execFileSync("fish", ["--no-config", "-c", `source ${shell.at("stet.fish")}; complete -C '${line}'`], {
      encoding: "utf8",
      env: { ...process.env, HOME: shell.home },
    });
  expect(offers("stet exp")).toMatch(/^explain\t/);
  expect(offers("stet plan --ex")).toMatch(/^--exit-code/);
  expect(offers("stet toolset man")).toMatch(/^manifests/);
  expect(offers("stet toolset ").split("\n").sort()).toEqual(["", ...Object.keys(toolset).sort()]);
  expect(offers("stet toolset plan man")).toBe("");
  expect(offers("stet completion f")).toBe("fish\n");
  const listed = `function stet; printf '%s\\n' 'hook:Stop:*:node ~/x.js' zylos; end; source ${shell.at("stet.fish")}`;
  const asked = (line: string) =>
    execFileSync("fish", ["--no-config", "-c", `${listed}; complete -C '${line}'`], { encoding: "utf8" });
  expect(asked("stet explain hook")).toBe("hook:Stop:*:node ~/x.js\n");
  expect(asked("stet explain --owner zy")).toBe("zylos\n");
});

const inTerminals = {
  bash: { shell: ["bash", "--norc", "-i"], setup: "source <(stet completion bash)" },
  zsh: { shell: ["zsh", "-f", "-i"], setup: "autoload -Uz compinit; compinit -D; source <(stet completion zsh)" },
  fish: { shell: ["fish", "--no-config", "-i"], setup: "stet completion fish | source" },
};

it.each(Object.entries(inTerminals))(
  "%s in a terminal completes what is on record with Tab",
  async (_, { shell, setup }) => {
    const user = new Shell();
    await user.ok("apply", user.pack("1.0.0", { "~/app.json": { volume: 3 } }, { name: "chime" }));
    user.write("bin/stet", `#!/bin/sh\nexec '${process.execPath}' '${path.resolve("bin/stet.cjs")}' "$@"\n`);
    fs.chmodSync(user.at("bin/stet"), 0o755);
    const env = { HOME: user.home, PATH: `${user.at("bin")}:${process.env.PATH}`, LC_ALL: "C.UTF-8" };
    const terminal = new PseudoTerminal(shell, env);
    terminal.type(`${setup}; echo all''set\n`);
    await terminal.until(/allset/);
    const cases: [typed: string, completed: RegExp][] = [
      ["stet rev", /iew/],
      ["stet explain setting:v", /olume/],
      ["stet uninstall ch", /ime/],
      ["stet completion pow", /ershell/],
      ["stet host ev", /aluate/],
      ["stet plan --exit", /-code/],
    ];
    for (const [typed, completed] of cases) {
      const from = terminal.drawn.length;
      terminal.type(`${typed}\t`);
      await terminal.until(completed, from);
      // Ctrl-U clears the line.
      terminal.type("\u0015");
    }
    terminal.type("exit\n");
    await terminal.ended();
  },
);

it("PowerShell's script is PowerShell, by a grammar of the language: there is no PowerShell here to run it", async () => {
  const cache = path.join(process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache/stet-test"), "powershell");
  const { Language, Parser } = await import(path.join(cache, "web-tree-sitter/web-tree-sitter.js"));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(path.join(cache, "tree-sitter-powershell/tree-sitter-powershell.wasm")));
  const read = (text: string): Node => parser.parse(text).rootNode;
  expect(read("if ($a) { @('b' }").hasError).toBe(true);
  for (const program of ["stet", "zylos config"]) {
    const shell = new Shell();
    shell.program = program;
    const script = await shell.ok("completion", "powershell");
    const root = read(script);
    expect({ script, fault: root.hasError }).toEqual({ script, fault: false });
    // Windows PowerShell 5.1 reads what a program prints in the console's code page.
    expect(script).toMatch(/^[\n -~]*$/);
    // Nothing but what Windows PowerShell 5.1 has, and no name that nothing was given to.
    const given = [...texts(root, "left_assignment_expression"), ...texts(root, "script_parameter"), "$_"];
    const known = (type: string, ...names: string[]) =>
      expect(names).toEqual(expect.arrayContaining(texts(root, type)));
    known("variable", ...given);
    known("command_name", "Register-ArgumentCompleter", "Where-Object", "ForEach-Object", "Select-Object");
    known("command_parameter", "-Native", "-CommandName", "-ScriptBlock", "-Skip");
    known("comparison_operator", "-lt", "-le", "-ne", "-eq", "-in", "-match");
    known("type_literal", "[ordered]", "[System.Management.Automation.CompletionResult]");
    const texted = ["ToString", "StartsWith", "Trim", "Replace"];
    const listed = ["Count", "Keys", "Contains", "First", "Flags", "Lists"];
    known("member_name", "CommandElements", "Extent", "EndOffset", ...texted, ...listed, "new");
    for (const name of Object.keys(commands)) expect(script).toContain(`    '${name}' = @{ First = @(`);
    expect(script).toContain("'explain' = @{ First = @(); Flags = @('--owner', ");
    expect(script).toContain("'completion' = @{ First = @('bash', 'zsh', 'fish', 'powershell'); ");
    expect(script).toMatch(/'explain' = @\{.*Lists = 'keys' \}/);
    expect(script).toMatch(/'uninstall' = @\{.*Lists = 'owners' \}/);
  }
});

/** A part of a program as tree-sitter gives it. */
interface Node {
  readonly text: string;
  readonly hasError: boolean;
  descendantsOfType(type: string): readonly Node[];
}

/** What stands in a program's parts of this type, each once; never nothing. */
function texts(root: Node, type: string): string[] {
  const found = [...new Set(root.descendantsOfType(type).map(({ text }) => text))];
  expect({ type, isThere: found.length > 0 }).toEqual({ type, isThere: true });
  return found;
}
