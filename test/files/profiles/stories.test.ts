import { describe, expect, it } from "vitest";
import { Story } from "./story.ts";

const handler = (command: string, more: object = {}) => ({ type: "command", command, ...more });

describe("Claude Code's settings.json", () => {
  const v1 = {
    permissions: { allow: ["Bash(zylos:*)", "Bash(git status)"] },
    env: { ZYLOS_HOME: "~/zylos" },
    hooks: {
      SessionStart: [{ hooks: [handler("node ~/zylos/start.js", { timeout: 10 })] }],
      PreToolUse: [{ matcher: "Bash", hooks: [handler("node ~/zylos/watch.js")] }],
    },
  };
  const v2 = {
    permissions: { allow: ["Bash(zylos:*)", "Bash(git status)"], deny: ["Read(./.env)"] },
    env: { ZYLOS_HOME: "~/zylos", ZYLOS_LOG: "info" },
    hooks: {
      SessionStart: [{ matcher: "", hooks: [handler("node ~/zylos/start.js", { timeout: 20 })] }],
      PreToolUse: [{ matcher: "Bash", hooks: [handler("node ~/zylos/watch.js --strict")] }],
      Stop: [{ hooks: [handler("node ~/zylos/stop.js")] }],
    },
  };

  it("keeps comments, tabs and the user's hooks through an upgrade, and has every byte back afterwards", async () => {
    const story = new Story("claude-settings.json", ".claude/settings.json");
    const installed = await story.release("1.0.0", v1);
    expect(installed).toMatchObject({
      "permission:allow:Bash(git status)": "keep user-owned",
      "permission:allow:Bash(zylos\\:*)": "create",
      "hook:PreToolUse:Bash:node ~/zylos/watch.js": "create",
    });
    expect(story.text).toContain(
      '["Bash(zylos:*)", "Bash(git status)", "Read(~/notes/**)",],   // trailing comma, yes',
    );
    expect(story.text).toContain("/* guard */");
    story.edit('"timeout": 10', '"timeout": 99');
    story.edit("node ~/zylos/watch.js", `node ${story.world.home}/zylos/watch.js`);
    const upgraded = await story.release("2.0.0", v2);
    expect(upgraded).toMatchObject({
      "hook:SessionStart:*:node ~/zylos/start.js": "conflict both-changed",
      "hook:PreToolUse:Bash:node ~/zylos/watch.js --strict": "move renamed",
      "hook:Stop:*:node ~/zylos/stop.js": "create",
      "permission:deny:Read(./.env)": "create",
    });
    expect(story.text.split("watch.js")).toHaveLength(2);
    await story.world.resolve("start.js", "theirs");
    expect(await story.uninstalled()).toBe(story.original);
  });

  it("does not grant again what the user took out of allow", async () => {
    const story = new Story("claude-settings.json", ".claude/settings.json");
    await story.release("1.0.0", v1);
    story.edit('"Bash(zylos:*)", ', "");
    const decided = await story.release("2.0.0", v2);
    expect(decided["permission:allow:Bash(zylos\\:*)"]).toBe("keep user-deleted");
    expect(story.text).not.toContain("Bash(zylos:*)");
  });

  it("is known where CLAUDE_CONFIG_DIR puts it", async () => {
    const story = new Story("claude-settings.json", "elsewhere/settings.json", { CLAUDE_CONFIG_DIR: "~/elsewhere" });
    expect(Object.keys(await story.release("1.0.0", v1))).toContain("hook:SessionStart:*:node ~/zylos/start.js");
  });
});

describe("Codex's config.toml", () => {
  const stop = (...commands: string[]) => ({ Stop: commands.map((command) => ({ hooks: [handler(command)] })) });
  const v1 = {
    model: "gpt-4",
    mcp_servers: { zylos: { command: "node", args: ["~/zylos/mcp.js"] } },
    hooks: stop("node ~/zylos/stop.js"),
  };
  const v2 = {
    model: "gpt-4",
    mcp_servers: { zylos: { command: "node", args: ["~/zylos/mcp.js", "--v2"] } },
    hooks: { ...stop("node ~/zylos/stop.js --fast"), SessionStart: [{ hooks: [handler("node ~/zylos/start.js")] }] },
    features: { hooks: true },
  };

  it("gets hooks behind the user's, whose trust is by position, and gives every byte back", async () => {
    const story = new Story("codex-config.toml", ".codex/config.toml");
    const installed = await story.release("1.0.0", v1);
    expect(installed).toMatchObject({ "setting:model": "keep user-owned", "server:zylos": "create" });
    expect(story.text.indexOf("bell.sh")).toBeLessThan(story.text.indexOf("stop.js"));
    story.edit('"~/zylos/mcp.js"', '"~/zylos/mcp.js", "--mine"');
    const upgraded = await story.release("2.0.0", v2);
    expect(upgraded).toMatchObject({ "server:zylos": "conflict both-changed", "setting:features.hooks": "create" });
    expect(story.text.split("stop.js")).toHaveLength(2);
    expect(story.text).toContain('model = "gpt-5"   # the good one');
    await story.world.resolve("server:zylos", "theirs");
    expect(await story.uninstalled()).toBe(story.original);
  });

  it("keeps a server that the user changed when its owner leaves", async () => {
    const story = new Story("codex-config.toml", ".codex/config.toml");
    await story.release("1.0.0", v1);
    story.edit('"~/zylos/mcp.js"', '"~/zylos/mcp.js", "--mine"');
    expect(await story.uninstalled()).toContain('args = ["~/zylos/mcp.js", "--mine"]');
    expect(story.text).not.toContain("stop.js");
  });
});

describe("Gemini CLI's settings.json", () => {
  const group = (name: string, command: string, timeout: number) => ({
    matcher: "write_file",
    hooks: [{ name, type: "command", command, timeout }],
  });

  it("knows a hook by its name, adds to the user's group, and leaves it as it was", async () => {
    const story = new Story("gemini-settings.json", ".gemini/settings.json");
    await story.release("1.0.0", {
      hooks: { BeforeTool: [group("zylos", "node ~/zylos/a.js", 1000)] },
      mcpServers: { zylos: { command: "node" } },
    });
    story.edit('"timeout": 1000', '"timeout": 3000');
    const upgraded = await story.release("2.0.0", {
      hooks: { BeforeTool: [group("zylos", "node ~/zylos/b.js", 1000)] },
    });
    expect(upgraded).toEqual({ "hook:BeforeTool:write_file:zylos": "merge", "server:zylos": "remove" });
    expect(story.text).toContain("node ~/zylos/b.js");
    expect(story.text).toContain('"timeout": 3000');
    expect(story.text).toContain('"sequential": true');
    await story.world.resolve("hook:BeforeTool:write_file:zylos", "theirs");
    expect(await story.uninstalled()).toBe(story.original);
  });
});

describe("OpenCode's opencode.jsonc", () => {
  it("knows a plugin by its package whatever the version, and writes CRLF", async () => {
    const story = new Story("opencode.jsonc", ".config/opencode/opencode.jsonc");
    const installed = await story.release("1.0.0", {
      plugin: ["opencode-wakatime@2.0.0", "zylos-plugin@1.0.0"],
      mcp: { zylos: { type: "local", command: ["node", "~/zylos/mcp.js"] } },
      permission: { webfetch: "allow" },
      instructions: ["~/zylos/AGENTS.md"],
    });
    expect(installed).toMatchObject({ "plugin:opencode-wakatime": "keep user-owned", "plugin:zylos-plugin": "create" });
    expect(story.text).toContain('"opencode-wakatime@1.0.0"');
    expect(story.text.replaceAll("\r\n", "")).not.toContain("\n");
    story.edit('    "zylos": {', '    "zylos": { /* mine now? */');
    const upgraded = await story.release("2.0.0", {
      plugin: ["opencode-wakatime@2.0.0", "zylos-plugin@2.0.0"],
      permission: { webfetch: "allow" },
    });
    expect(upgraded).toMatchObject({
      "plugin:zylos-plugin": "update",
      "server:zylos": "keep obsolete-modified",
      "instruction:~/zylos/AGENTS.md": "remove",
    });
    expect(story.text).toContain("zylos-plugin@2.0.0");
    story.edit(" /* mine now? */", "");
    expect(await story.uninstalled()).toBe(story.original);
  });

  it("does not allow again what the user took out", async () => {
    const story = new Story("opencode.jsonc", "opencode.jsonc");
    await story.release("1.0.0", { permission: { webfetch: "allow" } });
    story.edit(', "webfetch": "allow"', "");
    expect(await story.release("2.0.0", { permission: { webfetch: "allow" } })).toEqual({
      "setting:permission.webfetch": "keep user-deleted",
    });
  });
});

describe("Cursor's hooks.json", () => {
  it("stays on one line, through two releases and back", async () => {
    const story = new Story("cursor-hooks.json", ".cursor/hooks.json");
    const hooks = (...stop: object[]) => ({
      version: 1,
      hooks: { stop, afterFileEdit: [{ command: "node ~/zylos/edit.js" }] },
    });
    const installed = await story.release("1.0.0", hooks({ command: "node ~/zylos/stop.js" }));
    expect(installed).toMatchObject({
      "setting:version": "keep user-owned",
      "hook:stop:*:node ~/zylos/stop.js": "create",
    });
    expect(story.text.split("\n")).toHaveLength(2);
    story.edit("node ~/zylos/edit.js", "nice node ~/zylos/edit.js");
    const upgraded = await story.release(
      "2.0.0",
      hooks({ command: "node ~/zylos/stop.js", timeout: 5 }, { command: "node ~/zylos/more.js" }),
    );
    expect(upgraded).toMatchObject({
      "hook:afterFileEdit:*:node ~/zylos/edit.js": "keep user-modified",
      "hook:stop:*:node ~/zylos/stop.js": "update",
      "hook:stop:*:node ~/zylos/more.js": "create",
    });
    expect(await story.uninstalled()).toBe(
      '{"version":1,"hooks":{"afterFileEdit":[{"command":"./fmt.sh"},{"command":"nice node ~/zylos/edit.js"}],"stop":[]}}\n',
    );
  });
});

describe("VS Code's settings.json", () => {
  it("takes a dot for a part of the name, and a language's settings one by one", async () => {
    const story = new Story("vscode-settings.json", ".config/Code/User/settings.json");
    const installed = await story.release("1.0.0", {
      "editor.fontSize": 12,
      "zylos.enable": true,
      "[python]": { "editor.formatOnSave": true },
      "files.exclude": { "**/.zylos": true },
    });
    expect(installed).toEqual({
      'setting:"editor.fontSize"': "keep user-owned",
      'setting:"zylos.enable"': "create",
      'setting:[python]."editor.formatOnSave"': "create",
      'setting:"files.exclude"."**/.zylos"': "create",
    });
    expect(story.text).toContain("// black");
    story.edit('"zylos.enable": true', '"zylos.enable": false');
    const upgraded = await story.release("2.0.0", {
      "zylos.enable": true,
      "zylos.level": 2,
      "[python]": { "editor.formatOnSave": false },
    });
    expect(upgraded).toMatchObject({
      'setting:"zylos.enable"': "keep user-modified",
      'setting:"zylos.level"': "create",
      'setting:[python]."editor.formatOnSave"': "update",
      'setting:"files.exclude"."**/.zylos"': "remove",
    });
    await story.world.resolve('setting:"zylos.enable"', "theirs");
    expect(await story.uninstalled()).toBe(story.original);
  });
});
