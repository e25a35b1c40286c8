import fs from "node:fs";
import { expect, it } from "vitest";
import { type Finding, findProblems } from "../../src/files/doctor/doctor.ts";
import { flatHooks, hook, pack, World } from "./world.ts";

const file = "app/config.json";
const script = (world: World, name: string, mode = 0o755) => {
  world.write(name, "#!/bin/sh\n");
  fs.chmodSync(world.at(name), mode);
};
const codes = (findings: readonly Finding[]) =>
  findings.map(({ code, key }) => (key === undefined ? code : `${code} ${key}`));

it("finds nothing where all is well", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  script(world, "zylos/stop.js");
  await world.apply(
    pack("1.0.0", {
      theme: "dark",
      hooks: [hook("Stop", "sh ~/zylos/stop.js"), hook("Stop", "~/zylos/stop.js --now")],
    }),
  );
  expect(await findProblems(world.machine)).toEqual([]);
});

it("finds scripts that are missing or can't be run, and programs that are not there", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  script(world, "zylos/plain.sh", 0o644);
  const hooks = [
    "node ~/zylos/gone.js",
    "~/zylos/plain.sh",
    "sh ~/zylos/plain.sh",
    "no-such-program x",
    "cd /x && true",
  ];
  await world.apply(pack("1.0.0", { hooks: hooks.map((command) => hook("Stop", command)) }));
  const findings = await findProblems(world.machine);
  expect(codes(findings).filter((code) => !code.includes("node"))).toEqual([
    "script-not-executable hook:Stop:~/zylos/plain.sh",
    "program-not-found hook:Stop:no-such-program x",
  ]);
  expect(findings.find(({ code }) => code === "script-missing")).toMatchObject({
    severity: "error",
    message: `it runs ${world.at("zylos/gone.js")}, which is not there`,
  });
  expect(findings.find(({ code }) => code === "script-not-executable")!.fix).toBe(
    `chmod +x ${world.at("zylos/plain.sh")}`,
  );
});

it("looks at servers by command and arguments", async () => {
  const world = new World({ env: { PATH: "/bin:/usr/bin" } });
  const template = { mcpServers: { memory: { command: "sh", args: ["~/zylos/memory.sh", "--quiet"] } } };
  await world.apply({ name: "zylos", version: "1", files: [{ target: "~/.claude/settings.json", template }] });
  expect(codes(await findProblems(world.machine))).toEqual([
    "script-missing server:memory",
    "tilde-not-expanded server:memory",
  ]);
});

it("finds what is missing, doubled, and in conflict", async () => {
  const world = new World();
  const v1 = pack("1.0.0", { a: 1, theme: "dark", hooks: [hook("Stop", "true", { t: 1 })] });
  await world.apply(v1);
  world.write(file, { theme: "sepia", hooks: [hook("Stop", "true", { t: 1 }), hook("Stop", "true", { t: 2 })] });
  await world.apply(pack("2.0.0", { a: 1, theme: "light", hooks: [hook("Stop", "true", { t: 1 })] }));
  world.edit(file, '"a": 1', '"b": 1');
  expect(codes(await findProblems(world.machine)).sort()).toEqual([
    "conflict setting:theme",
    "duplicate hook:Stop:true",
    "missing-entry setting:a",
  ]);
});

it("tells a file that is gone from one that can't be read", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a: 1 }));
  world.write(file, "{ not json");
  expect(await findProblems(world.machine)).toMatchObject([
    { code: "unreadable-file", severity: "error", file: world.at(file) },
  ]);
  fs.rmSync(world.at(file));
  expect(codes(await findProblems(world.machine))).toEqual(["missing-file"]);
});

it("knows where runtimes look", async () => {
  const world = new World({ env: { CLAUDE_CONFIG_DIR: "/elsewhere" } });
  const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
  const files = [
    { target: "~/.claude/settings.json", template: { hooks } },
    { target: "~/.config/opencode/opencode.json", template: { theme: "dark" } },
  ];
  world.write(".config/opencode/opencode.jsonc", "{}");
  await world.apply({ name: "zylos", version: "1", files });
  expect(codes(await findProblems(world.machine)).sort()).toEqual(["other-config-folder", "shadowed-file"]);
  Object.assign(world.machine.env, { CLAUDE_CONFIG_DIR: world.at(".claude") });
  world.edit(".claude/settings.json", "{", '{ "disableAllHooks": true,');
  fs.rmSync(world.at(".config/opencode/opencode.jsonc"));
  expect(codes(await findProblems(world.machine))).toEqual(["hooks-disabled"]);
});

it("knows chezmoi's names and the headers of other tools", async () => {
  const world = new World();
  world.write(".local/share/chezmoi/private_dot_config/app/readonly_config.json.tmpl", "{}");
  world.write("notes.yaml", "# Ansible managed\n");
  const files = [
    { target: "~/.config/app/config.json", template: { a: 1 } },
    { target: "~/.config/app/other.json", template: { a: 1 } },
    { target: "~/notes.yaml", template: { a: 1 } },
  ];
  await world.apply({ name: "zylos", version: "1", files });
  const found = (await findProblems(world.machine)).map(({ code, file: at, message }) => [
    code,
    at,
    /chezmoi|Ansible/.exec(message)?.[0],
  ]);
  expect(found).toEqual([
    ["managed-elsewhere", world.at(".config/app/config.json"), "chezmoi"],
    ["managed-elsewhere", world.at("notes.yaml"), "Ansible"],
  ]);
});

it("checks registry and history: edited, readable by others, damaged, left behind, held", async () => {
  const world = new World();
  const registry = ".local/state/stet/zylos/registry.json";
  await world.apply(pack("1.0.0", { a: 1 }));
  await world.apply(pack("2.0.0", { a: 2 }));
  await world.rollback();
  expect(codes(await findProblems(world.machine))).toEqual(["held"]);
  world.edit(registry, '"value": 1', '"value": 7');
  fs.chmodSync(world.at(registry), 0o644);
  for (const object of Object.keys(world.snapshot(".local/state/stet/zylos/objects"))) world.write(object, "x");
  expect(codes(await findProblems(world.machine)).sort()).toEqual([
    "damaged-history",
    "hash-mismatch setting:a",
    "held",
    "open-permissions",
  ]);
  world.write(registry, "{");
  expect(await findProblems(world.machine)).toMatchObject([
    { code: "unreadable-registry", severity: "error", file: world.at(registry) },
  ]);
});

it("mentions the history of an owner that is gone", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a: 1 }));
  await world.apply({
    name: "other",
    version: "1",
    files: [{ target: `~/${file}`, template: { b: 1 }, rules: flatHooks }],
  });
  await world.uninstall("other");
  expect(codes(await findProblems(world.machine))).toEqual(["stale-history"]);
});

it("changes nothing", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a: 1, hooks: [hook("Stop", "~/gone.sh")] }));
  const before = world.snapshot();
  await findProblems(world.machine);
  expect(world.snapshot()).toEqual(before);
});

it("tells of a run that was interrupted, and what becomes of it", async () => {
  const world = new World();
  await world.apply(pack("1.0.0", { a: 1 }));
  const { gate } = world.machine;
  // The journal is decided; then, where the file itself is to be replaced, the disk is gone.
  const unlessGone = <T>(replace: (from: string, to: string) => T) => {
    return (from: string, to: string) => {
      if (from === world.at(file) || to === world.at(file)) throw new Error("the disk is gone");
      return replace(from, to);
    };
  };
  const dying = {
    ...world.machine,
    gate: { ...gate, rename: unlessGone(gate.rename), exchange: unlessGone(gate.exchange) },
  };
  const { applyPack } = await import("../../src/files/plan.ts");
  const { readPack } = await import("../../src/files/manifest/load-manifest.ts");
  await expect(applyPack(readPack(gate, pack("2.0.0", { a: 2 })), dying)).rejects.toThrow();
  expect(await findProblems(world.machine)).toMatchObject([
    { code: "unfinished-run", message: expect.stringContaining(world.at(file)) },
  ]);
  await world.apply(pack("2.0.0", { a: 2 }));
  expect(await findProblems(world.machine)).toEqual([]);
});
