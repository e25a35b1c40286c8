import { cpSync, readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { builtProgram } from "../program.ts";
import { Shell } from "./shell.ts";

const program = builtProgram();

async function connected(shell: Shell, ...args: string[]): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...args],
    env: { ...(shell.env as Record<string, string>), PATH: process.env.PATH! },
    cwd: shell.at("."),
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: documents of all commands
  readonly structuredContent?: any;
}

it("says who it is, in which version", async () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect((await connected(new Shell())).getServerVersion()).toEqual({ name: "stet", version });
});

const ask = async (client: Client, name: string, given: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: given })) as Answer;

async function conflicted(): Promise<Shell> {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1.0.0", { "~/app.json": { volume: 3, API_TOKEN: "hunter2" } }));
  shell.edit("app.json", '"volume": 3', '"volume": 11');
  await shell.ok("apply", shell.pack("2.0.0", { "~/app.json": { volume: 5, API_TOKEN: "hunter2" } }));
  return shell;
}

describe("stet mcp, asked by the protocol's own client", () => {
  it("reads without being allowed to write", async () => {
    const shell = await conflicted();
    const client = await connected(shell);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "blame",
      "check",
      "explain",
      "plan",
      "status",
      "waiting",
      "who_runs",
    ]);
    const plan = await ask(client, "plan", { pack: "zylos-2.0.0" });
    expect(plan.structuredContent).toEqual(await shell.json("plan", "zylos-2.0.0"));
    expect(plan.content[0]!.text).toBe("zylos 2.0.0: 1 needs you");
    expect((await ask(client, "explain", { key: "volume" })).structuredContent.entries[0]).toMatchObject({
      actual: 11,
      wanted: 5,
    });
    expect((await ask(client, "waiting")).structuredContent.waiting).toHaveLength(1);
    expect(JSON.stringify(await ask(client, "blame", { file: "~/app.json" }))).not.toContain("hunter2");
    const before = shell.read("app.json");
    const refused = await ask(client, "resolve", { key: "volume", side: "theirs" });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("--allow-writes") }] });
    expect(shell.read("app.json")).toBe(before);
  });

  it("writes when allowed, one call after the other", async () => {
    const shell = await conflicted();
    const client = await connected(shell, "--allow-writes");
    const [settled, undone] = await Promise.all([
      ask(client, "resolve", { key: "volume", side: "theirs" }),
      ask(client, "rollback", { name: "zylos" }),
    ]);
    expect(settled.structuredContent).toMatchObject({ name: "zylos", changed: 1 });
    expect(undone.structuredContent).toMatchObject({ name: "zylos", changed: 1 });
    expect(JSON.parse(shell.read("app.json")).volume).toBe(11);
    const disowned = await ask(client, "disown", { key: "volume" });
    expect(disowned.content[0]!.text).toMatch(/^zylos \S+: no file was changed$/);
    expect((await ask(client, "explain", { key: "volume" })).content[0]!.text).toBe("1 entry");
  });

  it("refuses what its schema does not allow, also where a client did not look: a misspelt side wrote the owner's value", async () => {
    const shell = await conflicted();
    const client = await connected(shell, "--allow-writes");
    for (const [given, told] of [
      [{ key: "setting:volume", side: "Mine" }, "resolve: side is mine or theirs"],
      [{ key: { any: "thing" }, side: "theirs" }, "resolve: key is a text"],
    ] as const) {
      const { isError, content } = await ask(client, "resolve", given);
      expect([isError, content[0]!.text]).toEqual([true, told]);
    }
    const { content } = await ask(client, "rollback", { name: "zylos", to: -1 });
    expect(content[0]!.text).toBe("rollback: to is a whole number, 0 or more");
    expect(JSON.parse(shell.read("app.json")).volume).toBe(11);
  });

  it("tells mistakes as the command line does, and goes on", async () => {
    const client = await connected(new Shell());
    expect(await ask(client, "plan", { pack: "nowhere" })).toMatchObject({
      isError: true,
      content: [{ text: /no manifest/ }, {}],
    });
    expect(await ask(client, "explain")).toMatchObject({ isError: true, content: [{ text: "explain needs key" }] });
    expect(await ask(client, "status", { secrets: true })).toMatchObject({
      isError: true,
      content: [{ text: "status takes no secrets" }],
    });
    expect((await ask(client, "status")).structuredContent).toEqual({ format_version: 1, owners: [] });
  });
});

it("registers itself in the files of real runtimes, and leaves them byte for byte", async () => {
  const shell = new Shell();
  cpSync(path.resolve(import.meta.dirname, "../../examples/mcp"), shell.at("mcp"), { recursive: true });
  const before = {
    ".claude.json": '{\n  "numStartups": 4 // mine\n}\n',
    ".codex/config.toml": 'model = "o5"  # mine\n',
  };
  for (const [file, text] of Object.entries(before)) shell.write(file, text);
  await shell.ok("apply", "mcp");
  expect(shell.exists(".cursor")).toBe(false);
  const { entries } = await shell.json("who-runs");
  expect(entries).toMatchObject([
    { runtime: "Claude Code", type: "server", when: "stet", what: "stet mcp", owner: "stet-mcp@1.0.0", line: 4 },
    { runtime: "Codex", type: "server", when: "stet", what: "stet mcp", owner: "stet-mcp@1.0.0" },
  ]);
  await shell.ok("uninstall", "stet-mcp");
  for (const [file, text] of Object.entries(before)) expect(shell.read(file)).toBe(text);
});
