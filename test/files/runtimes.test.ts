import { describe, expect, it } from "vitest";
import { inProject } from "../../src/engine/machine.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { planPack } from "../../src/files/plan.ts";
import { profileNamed } from "../../src/identity/profiles/index.ts";
import { runtimes } from "../../src/identity/profiles/runtimes.ts";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

const memory = { command: "node", args: ["${ZYLOS_HOME}/mcp.js"], env: { LEVEL: "info" } };
const docs = { url: "https://docs.example/mcp", headers: { "X-Team": "a" } };
const pack = (version: string, declared: object) => ({
  name: "zylos",
  version,
  vars: { ZYLOS_HOME: "~/zylos" },
  ...declared,
});

describe("servers declared once", () => {
  it("are written for each runtime where it looks, and in its own shape", async () => {
    const world = new World();
    const names = [
      "claude-code",
      "codex",
      "cursor",
      "opencode",
      "goose",
      "gemini",
      "zed",
      "windsurf",
      "copilot-cli",
      "continue",
      "amp",
      "warp",
    ];
    await applyStable(world, pack("1", { servers: { memory, docs }, runtimes: names }));
    const script = `${world.home}/zylos/mcp.js`;
    expect(world.json(".claude.json").mcpServers).toEqual({
      memory: { type: "stdio", command: "node", args: [script], env: { LEVEL: "info" } },
      docs: { type: "http", ...docs },
    });
    expect(world.read(".codex/config.toml")).toContain(`[mcp_servers.memory]\ncommand = "node"\nargs = ["${script}"]`);
    expect(world.json(".cursor/mcp.json").mcpServers.docs).toEqual(docs);
    expect(world.json(".config/opencode/opencode.json").mcp.memory).toEqual({
      type: "local",
      command: ["node", script],
      environment: { LEVEL: "info" },
    });
    expect(world.read(".config/goose/config.yaml")).toContain("    cmd: node\n");
    expect(world.json(".gemini/settings.json").mcpServers.docs).toEqual({ httpUrl: docs.url, headers: docs.headers });
    expect(world.json(".config/zed/settings.json").context_servers.memory).toMatchObject({
      source: "custom",
      command: "node",
    });
    expect(world.json(".codeium/windsurf/mcp_config.json").mcpServers.docs).toMatchObject({ serverUrl: docs.url });
    expect(world.json(".copilot/mcp-config.json").mcpServers.memory).toMatchObject({ type: "local", tools: ["*"] });
    expect(world.read(".continue/mcpServers/zylos-memory.yaml")).toContain(
      "schema: v1\nmcpServers:\n  - name: memory\n",
    );
    expect(world.json(".config/amp/settings.json")["amp.mcpServers"].memory.command).toBe("node");
    await world.uninstall();
    for (const file of [".claude.json", ".codex/config.toml", ".warp/.mcp.json", ".config/goose/config.yaml"])
      expect(world.exists(file)).toBe(false);
  });

  it("stand beside a user's own, are updated, and go again", async () => {
    const world = new World();
    world.write(".cursor/mcp.json", '{ "mcpServers": { "mine": { "command": "x" } } }\n');
    const before = world.read(".cursor/mcp.json");
    await applyStable(world, pack("1", { servers: { memory }, runtimes: ["cursor"] }));
    await applyStable(world, pack("2", { servers: { memory: { ...memory, args: [] } }, runtimes: ["cursor"] }));
    expect(world.json(".cursor/mcp.json").mcpServers).toMatchObject({ mine: { command: "x" }, memory: { args: [] } });
    await applyStable(world, pack("3", { files: [], servers: {} }));
    expect(world.read(".cursor/mcp.json")).toBe(before);
  });

  it("join a template of the same file", async () => {
    const world = new World();
    const files = [{ target: "~/.gemini/settings.json", template: { ui: { theme: "x" } } }];
    await applyStable(world, pack("1", { files, servers: { memory }, runtimes: ["gemini"] }));
    expect(world.json(".gemini/settings.json")).toMatchObject({
      ui: { theme: "x" },
      mcpServers: { memory: { command: "node" } },
    });
  });

  it("that a runtime can't have are said, and never approximated", async () => {
    const world = new World();
    const { diagnostics } = await world.apply(pack("1", { servers: { docs, memory }, runtimes: ["claude-desktop"] }));
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      "not-expressible: server docs is not written for claude-desktop: it only knows servers that it starts by a command",
    ]);
    expect(Object.keys(world.json(".config/Claude/claude_desktop_config.json").mcpServers)).toEqual(["memory"]);
  });

  it("may ask for secrets in VS Code, which stand in no file; nobody else is given the question", async () => {
    const world = new World();
    const file = ".config/Code/User/mcp.json";
    const own = { type: "promptString", id: "mine", description: "Mine" };
    world.write(file, `${JSON.stringify({ inputs: [own], servers: {} }, undefined, 2)}\n`);
    const before = world.read(file);
    const asking = { ...memory, env: { TOKEN: "${input:token}" }, inputs: { token: "Your token" } };
    const both = { first: asking, second: { ...docs, headers: { Authorization: "Bearer ${input:token}" } } };
    const declared = { servers: both, runtimes: ["vscode", "cursor", "copilot-cli"] };
    await applyStable(world, pack("1", declared));
    const { diagnostics } = await world.plan(pack("1", declared));
    expect(world.json(file).inputs).toEqual([
      own,
      { type: "promptString", id: "token", description: "Your token", password: true },
    ]);
    expect(world.json(file).servers).toMatchObject({
      first: { type: "stdio", env: { TOKEN: "${input:token}" } },
      second: { type: "http", headers: { Authorization: "Bearer ${input:token}" } },
    });
    expect(diagnostics.filter(({ code }) => code === "not-expressible").map(({ message }) => message)).toEqual(
      ["cursor", "copilot-cli"].flatMap((runtime) =>
        ["first", "second"].map(
          (name) => `server ${name} is not written for ${runtime}: it does not ask for \${input:token}`,
        ),
      ),
    );
    expect([world.exists(".cursor/mcp.json"), world.exists(".copilot/mcp-config.json")]).toEqual([false, false]);
    await applyStable(world, pack("2", { files: [], servers: {} }));
    expect(world.read(file)).toBe(before);
    const unused = { ...memory, inputs: { token: "Your token" } };
    await expect(world.plan(pack("3", { servers: { unused }, runtimes: ["vscode"] }))).rejects.toThrow(
      "nothing uses this input",
    );
  });

  it("with all-installed go where a runtime is installed, and nowhere else", async () => {
    const world = new World();
    world.write(".codex/config.toml", "");
    world.write(".claude.json", "{}\n");
    await applyStable(world, pack("1", { servers: { memory }, runtimes: "all-installed" }));
    expect([".codex/config.toml", ".claude.json"].map((file) => world.read(file).includes("memory"))).toEqual([
      true,
      true,
    ]);
    expect(world.exists(".cursor")).toBe(false);
  });

  it("need runtimes that there are", async () => {
    await expect(new World().plan(pack("1", { servers: { memory } }))).rejects.toThrow("name them: runtimes:");
    await expect(new World().plan(pack("1", { servers: { memory }, runtimes: ["curser"] }))).rejects.toThrow(
      "did you mean cursor?",
    );
    await expect(new World().plan(pack("1", { servers: { a: {} }, runtimes: ["cursor"] }))).rejects.toThrow(
      "either a command or a url",
    );
  });
});

it("hooks and instructions declared once are written for each runtime that has them", async () => {
  const world = new World();
  const hooks = [{ event: "PreToolUse", matcher: "Bash", command: "~/zylos/guard.sh", timeout: 5 }];
  const declared = { hooks, instructions: "Use zylos.\n", runtimes: ["claude-code", "codex", "gemini", "cursor"] };
  await applyStable(world, pack("1", declared));
  const group = (timeout: number) => [
    { matcher: "Bash", hooks: [{ type: "command", command: "~/zylos/guard.sh", timeout }] },
  ];
  expect(world.json(".claude/settings.json").hooks.PreToolUse).toEqual(group(5));
  expect(world.json(".codex/hooks.json").hooks.PreToolUse).toEqual(group(5));
  expect(world.json(".gemini/settings.json").hooks.BeforeTool).toEqual(group(5000));
  expect(world.json(".cursor/hooks.json").hooks.preToolUse).toEqual([
    { command: "~/zylos/guard.sh", matcher: "Bash", timeout: 5 },
  ]);
  for (const file of [".claude/CLAUDE.md", ".codex/AGENTS.md", ".gemini/GEMINI.md"])
    expect(world.read(file)).toContain("Use zylos.");
});

it("every runtime has a profile that knows the entries it is given", () => {
  for (const [name, { profile }] of Object.entries(runtimes)) expect(profileNamed(profile ?? name), name).toBeDefined();
});

describe("a server's variables and headers", () => {
  const bearer = { url: "https://docs.example/mcp", headers: { Authorization: "Bearer ${KEY}", "X-Team": "a" } };
  const keyed = { command: "node", env: { KEY: "${KEY}", LEVEL: "${LEVEL}", OTHER: "$${KEY} ${NOBODY}" } };
  const declared = (version: string, runtimeNames: readonly string[]) => ({
    name: "zylos",
    version,
    vars: { KEY: {}, LEVEL: "info" },
    servers: { keyed, bearer },
    runtimes: runtimeNames,
  });
  const names = ["claude-code", "codex", "goose", "opencode", "continue"];

  it("are there only where their variable has a value, and come and go with it", async () => {
    const env: Record<string, string> = {};
    const world = new World({ env });
    await applyStable(world, declared("1", names));
    const rest = { LEVEL: "info", OTHER: "${KEY} ${NOBODY}" };
    const { keyed: local, bearer: remote } = world.json(".claude.json").mcpServers;
    expect([local.env, remote.headers]).toEqual([rest, { "X-Team": "a" }]);
    for (const file of [
      ".codex/config.toml",
      ".config/goose/config.yaml",
      ".config/opencode/opencode.json",
      ".continue/mcpServers/zylos-bearer.yaml",
    ])
      expect(world.read(file), file).not.toMatch(/Bearer|^ *"?KEY/m);
    env.KEY = "k1";
    await applyStable(world, declared("1", names));
    expect(world.json(".claude.json").mcpServers.keyed.env).toEqual({ KEY: "k1", ...rest });
    expect(world.read(".continue/mcpServers/zylos-bearer.yaml")).toContain("Authorization: Bearer k1");
    expect(world.read(".codex/config.toml")).toContain("Bearer k1");
    delete env.KEY;
    await applyStable(world, declared("1", names));
    expect(world.json(".claude.json").mcpServers.bearer.headers).toEqual({ "X-Team": "a" });
    await world.uninstall();
    expect(world.exists(".claude.json")).toBe(false);
  });

  it("are the only place where a variable may lack a value", async () => {
    const world = new World();
    const started = { ...declared("1", ["claude-code"]), servers: { keyed: { command: "node", args: ["${KEY}"] } } };
    await expect(applyStable(world, started)).rejects.toThrow("${KEY}, which has no value on linux");
  });

  it("count as what differs between machines, whichever template of a shared file names them", async () => {
    const world = new World();
    const shared = {
      ...declared("1", ["gemini"]),
      scope: "project",
      files: [{ target: ".gemini/settings.json", template: { theme: "dark" } }],
    };
    const project = inProject(world.machine, world.at("project"));
    await expect(planPack(readPack(project.gate, shared), project)).rejects.toThrow("${KEY}, which has no value here");
  });
});
