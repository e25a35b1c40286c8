import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { yaml } from "../../../src/formats/yaml/yaml.ts";
import { applyStable } from "../stable.ts";
import { World } from "../world.ts";

const memory = { command: "node", args: ["/opt/memory.js"], env: { LEVEL: "info" } };
const docs = { url: "https://docs.example/mcp", headers: { "X-Team": "a" } };
const started = { command: "node", args: ["/opt/memory.js"], env: { LEVEL: "info" } };
const code = ".config/Code/User/globalStorage";

interface Sample {
  readonly fixture: string;
  readonly at: string;
  /** Where the servers are, and what each has to look like. */
  readonly under: string;
  readonly memory: object;
  readonly docs?: object;
}

/** A file as a user of each runtime has it, and the servers that are declared beside theirs. */
const samples: Record<string, Sample> = {
  "claude-desktop": {
    fixture: "claude-desktop.json",
    at: ".config/Claude/claude_desktop_config.json",
    under: "mcpServers",
    memory: started,
  },
  windsurf: {
    fixture: "windsurf-mcp.json",
    at: ".codeium/windsurf/mcp_config.json",
    under: "mcpServers",
    memory: started,
    docs: { serverUrl: docs.url, headers: docs.headers },
  },
  "copilot-cli": {
    fixture: "copilot-mcp.json",
    at: ".copilot/mcp-config.json",
    under: "mcpServers",
    memory: { type: "local", ...started, tools: ["*"] },
    docs: { type: "http", ...docs, tools: ["*"] },
  },
  vscode: {
    fixture: "vscode-mcp.json",
    at: ".config/Code/User/mcp.json",
    under: "servers",
    memory: { type: "stdio", ...started },
    docs: { type: "http", ...docs },
  },
  goose: {
    fixture: "goose-config.yaml",
    at: ".config/goose/config.yaml",
    under: "extensions",
    memory: {
      enabled: true,
      name: "memory",
      description: "",
      timeout: 300,
      type: "stdio",
      cmd: "node",
      args: ["/opt/memory.js"],
      envs: { LEVEL: "info" },
    },
    docs: {
      enabled: true,
      name: "docs",
      description: "",
      timeout: 300,
      type: "streamable_http",
      uri: docs.url,
      headers: docs.headers,
    },
  },
  zed: {
    fixture: "zed-settings.json",
    at: ".config/zed/settings.json",
    under: "context_servers",
    memory: { source: "custom", ...started },
    docs,
  },
  warp: { fixture: "warp-mcp.json", at: ".warp/.mcp.json", under: "mcpServers", memory: started, docs },
  cline: {
    fixture: "cline-mcp.json",
    at: `${code}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
    under: "mcpServers",
    memory: started,
    docs: { type: "streamableHttp", ...docs },
  },
  roo: {
    fixture: "roo-mcp.json",
    at: `${code}/rooveterinaryinc.roo-cline/settings/mcp_settings.json`,
    under: "mcpServers",
    memory: started,
    docs: { type: "streamable-http", ...docs },
  },
  amp: {
    fixture: "amp-settings.json",
    at: ".config/amp/settings.json",
    under: "amp.mcpServers",
    memory: started,
    docs,
  },
  antigravity: {
    fixture: "antigravity-mcp.json",
    at: ".gemini/config/mcp_config.json",
    under: "mcpServers",
    memory: started,
    docs: { serverUrl: docs.url, headers: docs.headers },
  },
  junie: { fixture: "junie-mcp.json", at: ".junie/mcp/mcp.json", under: "mcpServers", memory: started, docs },
};

const fixture = (name: string) => fs.readFileSync(path.join(import.meta.dirname, "fixtures", name), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: whatever a file holds
function parsed(text: string): any {
  const read = yaml.read(text.replaceAll(/^\s*\/\/.*$/gm, "").replaceAll("\t", " "));
  if (read.kind === "malformed") throw new Error(read.message);
  return read.document.root.value();
}

describe.each(Object.entries(samples))("%s", (runtime, { fixture: name, at, under, ...wanted }) => {
  it("has declared servers in its own shape beside its user's, and every byte back afterwards", async () => {
    const world = new World();
    world.write(at, fixture(name));
    const servers = wanted.docs === undefined ? { memory } : { memory, docs };
    await applyStable(world, { name: "zylos", version: "1", servers, runtimes: [runtime] });
    const [before, after] = [parsed(fixture(name)), parsed(world.read(at))];
    expect(after).toEqual({
      ...before,
      [under]: { ...before[under], memory: wanted.memory, ...(wanted.docs && { docs: wanted.docs }) },
    });
    for (const line of fixture(name).split("\n")) expect(world.read(at)).toContain(line.trim().replace(/,$/, ""));
    await world.uninstall();
    expect(world.read(at)).toBe(fixture(name));
  });
});

describe("what a runtime refuses is never written", () => {
  it("Goose: an extension that sets a variable it guards, and names with capitals", async () => {
    const world = new World();
    const servers = { Memory: memory, evil: { command: "x", env: { PATH: "/tmp" } } };
    const { diagnostics } = await world.apply({ name: "zylos", version: "1", servers, runtimes: ["goose"] });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "server evil is not written for goose: it lets no extension set PATH",
    ]);
    expect(Object.keys(parsed(world.read(".config/goose/config.yaml")).extensions)).toEqual(["memory"]);
  });

  it("Warp: a server without arguments", async () => {
    const world = new World();
    await world.apply({ name: "zylos", version: "1", servers: { a: { command: "x" } }, runtimes: ["warp"] });
    expect(world.json(".warp/.mcp.json").mcpServers.a).toEqual({ command: "x", args: [] });
  });

  it("any of them: an address that is none", async () => {
    const world = new World();
    const servers = { a: { url: "docs.example/mcp" } };
    await expect(world.apply({ name: "zylos", version: "1", servers, runtimes: ["zed"] })).rejects.toThrow(/http:\/\//);
  });
});

describe("folders that a runtime reads all of", () => {
  const hooks = [{ event: "Stop", command: "/opt/ring.sh", timeout: 5 }];

  it("have one file of the owner's for all its hooks, and one for each of its servers", async () => {
    const world = new World();
    world.write(".continue/mcpServers/sqlite.yaml", fixture("continue-server.yaml"));
    const runtimes = ["copilot-cli", "continue"];
    const pack = { name: "zylos", version: "1", hooks, servers: { memory, "my docs": docs }, runtimes };
    const { diagnostics } = await world.apply(pack);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "hook Stop is not written for continue: stet knows no file from which it reads hooks of a user",
    ]);
    expect(world.json(".copilot/hooks/zylos.json")).toEqual({
      version: 1,
      hooks: { Stop: [{ type: "command", bash: "/opt/ring.sh", powershell: "/opt/ring.sh", timeoutSec: 5 }] },
    });
    expect(parsed(world.read(".continue/mcpServers/zylos-my-docs.yaml"))).toEqual({
      name: "my docs",
      version: "0.0.1",
      schema: "v1",
      mcpServers: [
        { name: "my docs", type: "streamable-http", url: docs.url, requestOptions: { headers: docs.headers } },
      ],
    });
    await world.uninstall();
    expect([world.exists(".copilot"), fs.readdirSync(world.at(".continue/mcpServers"))]).toEqual([
      false,
      ["sqlite.yaml"],
    ]);
  });

  it("with all-installed are made only where the runtime is", async () => {
    const world = new World();
    world.write(".copilot/settings.json", {});
    await world.apply({ name: "zylos", version: "1", hooks, servers: { memory }, runtimes: "all-installed" });
    expect([world.exists(".copilot/hooks/zylos.json"), world.exists(".continue")]).toEqual([true, false]);
  });

  it("are known as their runtime's: a managed file of Claude Code's has hooks, not settings", async () => {
    const world = new World();
    const template = { hooks: { Stop: [{ hooks: [{ type: "command", command: "/opt/ring.sh" }] }] } };
    const target = "~/etc/claude-code/managed-settings.d/50-zylos.json";
    const { entries } = await world.apply({ name: "zylos", version: "1", files: [{ target, template }] });
    expect(entries.map(({ key }) => key)).toEqual(["hook:Stop:*:/opt/ring.sh"]);
  });

  it("have a file of Claude Code's managed settings for packs that name them, and no other", async () => {
    const world = new World();
    const pack = { name: "zylos", version: "1", hooks, servers: { memory }, runtimes: ["claude-code-managed"] };
    const { entries, files, diagnostics } = await world.plan(pack);
    expect(entries.map(({ key }) => key)).toEqual(["hook:Stop:*:/opt/ring.sh"]);
    expect(files.map(({ path, action }) => [path, action])).toEqual([
      ["/etc/claude-code/managed-settings.d/zylos.json", "create"],
    ]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["not-expressible"]);
    const { files: all } = await world.plan({ ...pack, runtimes: "all-installed" });
    expect(all).toEqual([]);
  });

  it("have the instructions as a file of the owner's, merged with what its user made of it", async () => {
    const world = new World();
    const pack = (version: string, instructions: string) => ({
      name: "zylos",
      version,
      instructions,
      runtimes: ["continue"],
    });
    await world.apply(pack("1", "Use zylos.\n\nAsk first.\n\nTest it.\n"));
    expect(world.read(".continue/rules/zylos.md")).toBe("Use zylos.\n\nAsk first.\n\nTest it.\n");
    world.edit(".continue/rules/zylos.md", "Test it.", "Test it well.");
    await world.apply(pack("2", "Use zylos 2.\n\nAsk first.\n\nTest it.\n"));
    expect(world.read(".continue/rules/zylos.md")).toBe("Use zylos 2.\n\nAsk first.\n\nTest it well.\n");
    world.edit(".continue/rules/zylos.md", "Test it well.", "Test it.");
    await world.uninstall();
    expect(world.exists(".continue")).toBe(false);
  });

  it("have the instructions where Goose and Roo Code read those of a user, and are told where stet knows no place", async () => {
    const world = new World();
    world.write(".config/goose/.goosehints", "Be brief.\n");
    const runtimes = ["goose", "roo", "zed"];
    const { diagnostics } = await world.apply({ name: "zylos", version: "1", instructions: "Use zylos.\n", runtimes });
    expect(world.read(".config/goose/.goosehints")).toMatch(/^Be brief\.\n\n.*BEGIN ZYLOS MANAGED.*\nUse zylos\.\n/);
    expect(world.read(".roo/rules/zylos.md")).toBe("Use zylos.\n");
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "instructions are not written for zed: stet knows no file from which it reads instructions of a user",
    ]);
    await world.uninstall();
    expect([world.read(".config/goose/.goosehints"), world.exists(".roo")]).toEqual(["Be brief.\n", false]);
  });
});
