import { describe, expect, it } from "vitest";
import type { Machine } from "../../src/engine/machine.ts";
import { checkPack } from "../../src/files/check/check.ts";
import { findProblems } from "../../src/files/doctor/doctor.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { World } from "./world.ts";

async function findings(manifest: object): Promise<string[]> {
  const homes = {
    use: <T>(trial: (home: { machine: Machine; forget(): void }) => Promise<T>) => {
      const world = new World({ env: { PATH: "/bin:/usr/bin" }, stateDir: new World().at("state") });
      return trial({ machine: world.machine, forget: () => undefined });
    },
  };
  const pack = readPack(new World().machine.gate, { name: "zylos", version: "1", ...manifest });
  const { trials } = await checkPack(pack, [], homes);
  return trials
    .slice(0, 2)
    .flatMap((trial) => trial.findings.map(({ code, severity, message }) => `${severity} ${code} ${message}`));
}

const settings = (template: object, target = "~/.claude/settings.json") => ({
  vars: { ZYLOS_HOME: "~/zylos" },
  files: [{ target, template }],
});
const hooks = (command: string) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });

describe("check reports", () => {
  it("a variable that nobody declares, with what was probably meant", async () => {
    expect(await findings(settings({ a: "${ZYLOS_HOEM}/x" }))).toEqual([
      expect.stringMatching(/^warning undeclared-variable .*did you mean \$\{ZYLOS_HOME\}\?/),
    ]);
    expect(await findings(settings({ a: "${OTHER}" }))).toEqual([
      expect.stringMatching(/^warning undeclared-variable \$\{OTHER\} .* write \$\$\{OTHER\} if/),
    ]);
    expect(await findings(settings({ a: "$${OTHER} ${ZYLOS_HOME}" }))).toEqual([]);
  });

  it("none that a shell or the runtime expands, unless it looks like a slip", async () => {
    expect(await findings(settings(hooks('echo "${XDG_DATA_HOME}" "${CLAUDE_PROJECT_DIR}"')))).toEqual([]);
    expect(await findings(settings(hooks("echo ${ZYLOS_HOM}")))).toEqual([expect.stringContaining("did you mean")]);
    expect(
      await findings(settings({ mcpServers: { a: { command: "x", env: { T: "${TOKEN}" } } } }, "~/.mcp.json")),
    ).toEqual([]);
    expect(
      await findings(
        settings({ mcp_servers: { a: { command: "x", env: { T: "${TOKEN}" } } } }, "~/.codex/config.toml"),
      ),
    ).toEqual([expect.stringContaining("undeclared-variable")]);
    const text = { files: [{ target: "~/.bashrc", template: "export P=${PATH}\n", strategy: "block" }] };
    expect(await findings(text)).toEqual([]);
  });

  it("a tilde where nothing expands it", async () => {
    const server = (arg: string) => settings({ mcpServers: { m: { command: "sh", args: [arg] } } }, "~/.mcp.json");
    const [first, ...others] = await findings(server("~/zylos/m.js"));
    expect(first).toMatch(
      /^warning tilde-not-expanded server:m: it contains ~\/zylos\/m\.js, but Claude Code starts it without a shell/,
    );
    expect(others).toEqual([]);
    expect((await findings(server("${ZYLOS_HOME}/m.js"))).filter((line) => line.includes("tilde"))).toEqual([]);
  });

  it("a URL that a variable's path gets into", async () => {
    const server = (url: string) => settings({ mcpServers: { m: { type: "http", url } } }, "~/.mcp.json");
    expect(await findings(server("https://host/${ZYLOS_HOME}/mcp"))).toEqual([
      expect.stringMatching(/^warning path-in-url server:m: https:\/\/host\/~\/zylos\/mcp has a path of this machine/),
    ]);
    expect(await findings(server("https://host/mcp?folder=${ZYLOS_HOME}"))).toEqual([]);
    expect(await findings(settings({ a: "file://${ZYLOS_HOME}/x" }))).toEqual([]);
  });

  it("a script without its execute bit, and one that is not shipped", async () => {
    const shipped = (mode: string) => ({
      files: [
        { target: "~/.claude/settings.json", template: hooks("~/bin/ring --now") },
        { target: "~/bin/ring", template: "#!/bin/sh\n", strategy: "whole", mode },
      ],
    });
    expect(await findings(shipped("0644"))).toEqual([
      expect.stringMatching(/^warning script-not-executable .*mode: 0755/),
    ]);
    expect(await findings(shipped("0755"))).toEqual([]);
    expect(await findings(settings(hooks("sh ~/bin/other")))).toEqual([
      expect.stringMatching(/^info script-not-shipped /),
    ]);
  });
});

it("doctor reports what nothing expands in what is installed", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  world.write("m.js", "");
  const template = { mcp_servers: { m: { command: "sh", args: ["~/m.js"], env: { T: "${TOKEN}" } } } };
  await world.apply({ name: "zylos", version: "1", files: [{ target: "~/.codex/config.toml", template }] });
  expect((await findProblems(world.machine)).map(({ code, severity }) => `${severity} ${code}`)).toEqual([
    "warning tilde-not-expanded",
    "warning variable-not-expanded",
  ]);
});

it("doctor tells of a variable that nobody declared where no profile knows who expands it", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  const files = [
    { target: "~/app.json", template: { place: "${BELHOME}/x" } },
    { target: "~/.env", template: "PLACE=${BELHOME}/x\n" },
  ];
  await world.apply({ name: "zylos", version: "1", files });
  expect((await findProblems(world.machine)).map(({ code, severity, key }) => `${severity} ${code} ${key}`)).toEqual([
    "info variable-not-expanded setting:place",
  ]);
});

it("doctor says which variable was probably meant, and nothing of one that the template escapes", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  const template = { slip: "${BEL_HOEM}/x", meant: "$${BEL_HOME}/x", home: "$${HOME}/x" };
  const files = [{ target: "${BEL_HOME}/app.json", template }];
  await world.apply({ name: "zylos", version: "1", vars: { BEL_HOME: "~/bel" }, files });
  expect((await findProblems(world.machine)).map(({ key, message }) => [key, message])).toEqual([
    ["setting:slip", expect.stringContaining("it contains ${BEL_HOEM} literally")],
  ]);
  expect((await findProblems(world.machine))[0]!.message).toContain("did you mean ${BEL_HOME}?");
});
