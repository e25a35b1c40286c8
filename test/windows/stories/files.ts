import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Box } from "../box.ts";

/** A file as somebody on Windows has it: with CRLF, and what editors there leave. */
const files: Readonly<Record<string, { readonly before: string; readonly one: string; readonly two: string }>> = {
  "config.json": {
    before: '\uFEFF{\r\n\t"mine": "C:\\\\tools",\r\n\t"list": [1, 2]\r\n}\r\n',
    one: '{"theme":"dark","deep":{"a":1}}',
    two: '{"theme":"light","deep":{"a":1,"b":2}}',
  },
  "settings.jsonc": {
    before: '{\r\n  // kept\r\n  "mine": true,\r\n}\r\n',
    one: '{"theme":"dark"}',
    two: '{"theme":"light","more":[1]}',
  },
  "config.yaml": {
    before: "# kept\r\nmine:\r\n  - a\r\n  - b\r\n",
    one: "theme: dark\ndeep: { a: 1 }\n",
    two: "theme: light\ndeep: { a: 1, b: 2 }\n",
  },
  "config.toml": {
    before: "# kept\r\n[mine]\r\npath = 'C:\\tools'\r\n",
    one: 'theme = "dark"\n[deep]\na = 1\n',
    two: 'theme = "light"\n[deep]\na = 1\nb = 2\n',
  },
  ".env": { before: "# kept\r\nMINE=C:\\tools\r\n", one: "THEME=dark\n", two: "THEME=light\nMORE=1\n" },
  "config.ini": {
    before: "; kept\r\n[mine]\r\npath=C:\\tools\r\n",
    one: "[app]\ntheme=dark\n",
    two: "[app]\ntheme=light\n",
  },
  "notes.md": {
    before: "",
    one: "# Notes\n\nfirst\n\nlast\n",
    two: "# Notes\n\nfirst, again\n\nlast\n",
  },
};

/** `only` narrows a pack to some of the files. */
function packOf(box: Box, version: string, which: "one" | "two"): string {
  const folder = `zylos-${version}`;
  const targets = Object.entries(files).map(([name, file]) => {
    box.write(`${folder}/${name}`, file[which]);
    return `  - { target: "~/app/${name}", template: ${name} }`;
  });
  box.write(`${folder}/profile.ps1`, `# ${which}\nSet-Alias z zylos\n`);
  box.write(`${folder}/tool.cmd`, `@echo ${which}\r\n`);
  box.write(`${folder}/agents/a.md`, `agent ${which}\n`);
  box.write(`${folder}/agents/deep/b.md`, `another ${which}\n`);
  box.write(
    `${folder}/stet.yaml`,
    `name: zylos
version: "${version}"
files:
${targets.join("\n")}
  - { target: ~/Documents/PowerShell/profile.ps1, template: profile.ps1, strategy: block }
  - { target: ~/app/tool.cmd, template: tool.cmd, strategy: whole }
  - { target: ~/app/agents/, template: agents/ }
`,
  );
  return folder;
}

function everyFile(box: Box, folder: string): Record<string, string> {
  const names = fs.readdirSync(box.at(folder), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((each) => each.isFile())
      .map(({ parentPath, name }) => [`${parentPath}\\${name}`, fs.readFileSync(`${parentPath}\\${name}`, "latin1")]),
  );
}

function withFiles(): Box {
  const box = new Box();
  for (const [name, { before }] of Object.entries(files)) if (before !== "") box.write(box.mine(`app/${name}`), before);
  box.write(box.mine("Documents/PowerShell/profile.ps1"), "Set-Alias mine notepad\r\n");
  return box;
}

describe("every format and strategy", () => {
  it("installed, upgraded and uninstalled leaves every byte as it was", async () => {
    const box = withFiles();
    const before = everyFile(box, box.mine("."));
    const one = packOf(box, "1.0.0", "one");
    await box.ok("apply", one);
    expect((await box.json("apply", one)).changed).toBe(0);
    const crlf = ["config.json", "settings.jsonc", "config.yaml", "config.toml", ".env", "config.ini"];
    for (const name of crlf)
      expect({ name, bare: /[^\r]\n/.exec(box.read(box.mine(`app/${name}`))) }).toEqual({ name, bare: null });
    const two = packOf(box, "2.0.0", "two");
    const upgrade = await box.json("apply", two);
    expect(upgrade.summary.conflict).toBeUndefined();
    expect(JSON.parse(box.read(box.mine("app/config.json")).slice(1))).toEqual({
      mine: "C:\\tools",
      list: [1, 2],
      theme: "light",
      deep: { a: 1, b: 2 },
    });
    expect((await box.json("plan", two)).changed).toBe(0);
    await box.ok("uninstall", "zylos");
    fs.rmSync(box.stateDir, { recursive: true });
    expect(everyFile(box, box.mine("."))).toEqual(before);
  });

  it("an upgrade keeps what was edited, and a rollback gives the bytes back", async () => {
    const box = withFiles();
    await box.ok("apply", packOf(box, "1.0.0", "one"));
    box.edit(box.mine("app/config.json"), '"dark"', '"blue"');
    box.edit(box.mine("app/config.toml"), "a = 1", "a = 5");
    box.edit(box.mine("app/notes.md"), "last", "last, as I say");
    const edited = everyFile(box, box.mine("app"));
    const upgraded = await box.json("apply", packOf(box, "2.0.0", "two"));
    expect(upgraded.summary.conflict).toBe(1);
    expect(box.read(box.mine("app/config.json"))).toContain('"blue"');
    expect(box.read(box.mine("app/config.toml"))).toContain("a = 5");
    expect(box.read(box.mine("app/notes.md"))).toMatch(/first, again\s+last, as I say/);
    await box.ok("rollback", "zylos");
    expect(everyFile(box, box.mine("app"))).toEqual(edited);
    expect(await box.ok("status")).toContain("1.0.0");
  });
});

it("several owners share a file, and each takes out its own", async () => {
  const box = new Box();
  const before = '{\r\n  "mine": 1\r\n}\r\n';
  box.write(box.mine("app/config.json"), before);
  await box.ok("apply", box.pack("1.0.0", { "~/app/config.json": { shared: 1, a: 1 } }, { name: "alpha" }));
  // The same file, as somebody else writes it.
  const spelt = box.mine("APP\\Config.json");
  await box.ok("apply", box.pack("1.0.0", { "~/APP/Config.json": { shared: 1, b: 2 } }, { name: "beta" }));
  expect(JSON.parse(box.read(spelt))).toEqual({ mine: 1, shared: 1, a: 1, b: 2 });
  expect(await box.ok("blame", "~/app/config.json")).toMatch(/alpha@1\.0\.0[\s\S]*beta@1\.0\.0/);
  await box.ok("uninstall", "alpha");
  expect(JSON.parse(box.read(spelt))).toEqual({ mine: 1, shared: 1, b: 2 });
  await box.ok("uninstall", "beta");
  expect(box.read(spelt)).toBe(before);
});

it("a saved plan, explain, resolve, adopt, disown, history and check work", async () => {
  const box = new Box();
  const one = box.pack("1.0.0", { "~/app/config.json": { theme: "dark", size: 1 } });
  await box.ok("plan", one, "--out", "plan.json");
  await box.ok("apply", "plan.json");
  box.edit(box.mine("app/config.json"), '"dark"', '"blue"');
  const two = box.pack("2.0.0", { "~/app/config.json": { theme: "light", size: 1 } });
  await box.ok("apply", two);
  expect(await box.ok("explain", "setting:theme")).toContain("blue");
  await box.ok("resolve", "~/app/config.json", "--theirs");
  expect(JSON.parse(box.read(box.mine("app/config.json")))).toEqual({ theme: "light", size: 1 });
  await box.ok("disown", "setting:size");
  await box.ok("adopt", "setting:size");
  expect((await box.json("history", "zylos")).generations.length).toBeGreaterThan(2);
  expect((await box.run("check", two)).out).not.toMatch(/fail/i);
  expect((await box.run("check", two)).code).toBe(0);
});

it("a folder of a project keeps its records in it, with / in every path", async () => {
  const box = new Box();
  box.write("work/.git/HEAD", "ref: refs/heads/main\n");
  box.write(
    "team/stet.yaml",
    "name: team\nversion: 1.0.0\nscope: project\nfiles:\n  - { target: .vscode/settings.json, template: t.json }\n",
  );
  box.write("team/t.json", { "editor.tabSize": 2 });
  const { code, err } = await box.runIn(box.at("work"), "apply", box.at("team"));
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(box.read("work/.stet/team.json")).toContain('".vscode/settings.json"');
  expect(box.read("work/.stet/team.json")).not.toMatch(/\\\\|[A-Z]:/);
});
