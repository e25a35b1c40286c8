import { expect, it } from "vitest";
import { Shell } from "./shell.ts";

const settings = "~/.claude/settings.json";
const hooks = (timeout: number) => ({
  Stop: [{ hooks: [{ type: "command", command: "node ~/zylos/stop.js", timeout }] }],
});

/** Installed, edited, upgraded: one conflict, one kept edit. */
async function lived(): Promise<Shell> {
  const shell = new Shell();
  await shell.ok(
    "apply",
    shell.pack("1.0.0", { [settings]: { env: { API_TOKEN: "hunter2" }, hooks: hooks(5), theme: "dark" } }),
  );
  shell.edit(".claude/settings.json", '"timeout": 5', '"timeout": 9');
  shell.edit(".claude/settings.json", "dark", "sepia");
  await shell.ok(
    "apply",
    shell.pack("2.0.0", { [settings]: { env: { API_TOKEN: "hunter2" }, hooks: hooks(7), theme: "dark" } }),
  );
  return shell;
}

it("status: a glance, then every entry; JSON counts the same", async () => {
  const shell = await lived();
  const text = await shell.ok("status");
  expect(text).toContain("zylos 2.0.0  1 file, 3 entries, 1 edited, 1 needs you\n");
  expect(text).toMatch(/needs you +hook:Stop/);
  expect(text).toMatch(/edited +setting:theme\n +yours "sepia" {3}zylos's "dark"\n +1 more, current\n/);
  expect(text).toMatch(/\n\nto decide: stet review\n$/);
  const { owners } = await shell.json("status");
  expect(owners[0].glance).toEqual({ files: 1, entries: 3, edits: 1, conflicts: 1, drift: 0 });
});

it("status --exit-code: 2 once something drifts, 0 again when it is put right", async () => {
  const shell = await lived();
  expect((await shell.run("status", "--exit-code")).code).toBe(0);
  shell.edit(".claude/settings.json", '"API_TOKEN": "hunter2"', "");
  const drifted = await shell.run("status", "--exit-code");
  expect([drifted.code, drifted.out]).toEqual([2, expect.stringMatching(/missing +setting:env\.API_TOKEN/)]);
  await shell.ok("apply", "zylos-2.0.0");
  expect((await shell.run("status", "--exit-code")).code).toBe(0);
});

it("status: files that can't be read are told on standard error like every error, and never counted as current", async () => {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1.0.0", { "~/a.json": { k: 1 }, "~/b.json": { k: 1 } }));
  shell.write("a.json", '{ "k": 1,, }\n');
  const line = `stet: ${shell.at("a.json")}:1:10: `;
  for (const argv of [["status"], ["status", "--json"], ["status", "-q"], ["status", "--exit-code"]]) {
    const { code, err } = await shell.run(...argv);
    expect([argv, code, err.split("\n")]).toEqual([argv, 1, [expect.stringContaining(line), ""]]);
  }
  const { out } = await shell.run("status");
  expect(out).toBe(
    "zylos 1.0.0  1 file, 1 entry, 1 file can't be read\n  ~/b.json  1 entry\n  ~/a.json  can't be read\n",
  );
  const { owners } = JSON.parse((await shell.run("status", "--json")).out);
  expect(owners[0].diagnostics).toMatchObject([{ severity: "error", file: shell.at("a.json"), line: 1 }]);
});

it("status says what to do where nothing is installed", async () => {
  expect(await new Shell().ok("status")).toBe("nothing is installed; to see what a pack would change: stet plan DIR\n");
});

it("blame and explain mask secrets unless told otherwise", async () => {
  const shell = await lived();
  for (const command of [
    ["blame", settings],
    ["explain", "API_TOKEN"],
  ] as const) {
    for (const json of [[], ["--json"]]) {
      expect(await shell.ok(...command, ...json)).not.toContain("hunter2");
      expect(await shell.ok(...command, ...json, "--show-secrets")).toContain("hunter2");
    }
  }
});

it("blame: aligned columns, in colour on a terminal", async () => {
  const shell = await lived();
  const lines = (await shell.ok("blame", settings)).trimEnd().split("\n");
  expect(new Set(lines.map((line) => line.indexOf("│"))).size).toBe(1);
  expect(lines.filter((line) => line.startsWith("you-over-zylos"))).toHaveLength(2);
  shell.terminal = { columns: 80 };
  expect(await shell.ok("blame", settings)).toContain("\u001b[33myou-over-zylos");
  expect(await shell.ok("blame", settings, "--no-color")).not.toContain("\u001b");
});

it("explain: the values, the verdict with what to do, and the history", async () => {
  const shell = await lived();
  const text = await shell.ok("explain", "hook:Stop");
  expect(text).toMatch(/values +timeout: yours 9 +zylos's 7 +before 5\n/);
  expect(text).toMatch(/recorded +since 1\.0\.0/);
  expect(text).toMatch(/state +! needs you/);
  expect(text).toContain("stet resolve 'hook:Stop:*:node ~/zylos/stop.js' --mine");
  expect(text).toMatch(/2026-01-01 00:00:0\dZ {2}1\.0\.0 +apply +added/);
});

it("every mistake is one line on standard error and exit 1", async () => {
  const shell = await lived();
  for (const argv of [
    ["blame"],
    ["blame", "nowhere"],
    ["explain"],
    ["explain", "nothing-like-it"],
    ["status", "nobody"],
    ["blame", "--wrong"],
  ]) {
    const { code, out, err } = await shell.run(...argv);
    expect([argv, code, out]).toEqual([argv, 1, ""]);
    expect(err).toMatch(/^stet: [^\n]+\n$/);
  }
});

it("settling for several owners is still one JSON document", async () => {
  const shell = new Shell();
  shell.write("app.json", { a: 1, b: 1 });
  await shell.ok("apply", shell.pack("1", { "~/app.json": { a: 2 } }, { name: "alpha" }));
  await shell.ok("apply", shell.pack("1", { "~/app.json": { b: 2 } }, { name: "beta" }));
  const settled = await shell.json("adopt", "--all");
  expect(settled.map(({ name, summary }: { name: string; summary: object }) => [name, summary])).toEqual([
    ["alpha", { adopt: 1 }],
    ["beta", { adopt: 1 }],
  ]);
  expect(await shell.json("disown", "setting:a")).toMatchObject({ name: "alpha", summary: { keep: 1 } });
});

it("says what was recorded where no file changes: handing over, rolling that back, keeping what was there", async () => {
  const shell = new Shell();
  shell.write("app.json", { a: 1 });
  const pack = shell.pack("1", { "~/app.json": { a: 2 } });
  const records = "No file would change; apply would only update the records.";
  expect(await shell.ok("plan", pack)).toContain(records);
  expect((await shell.run("plan", pack, "--exit-code")).code).toBe(2);
  expect(await shell.ok("apply", pack)).toContain("Recorded; no file was changed.\n");
  expect(await shell.ok("plan", pack)).toContain("Nothing to change.\n");
  expect(await shell.ok("apply", pack)).toContain("Nothing to change.\n");
  const handed = await shell.ok("disown", "setting:a");
  expect(handed).toContain("= setting:a  yours for good\n      to let zylos manage it again: stet adopt setting:a\n");
  expect(handed).toContain("Recorded; no file was changed.");
  expect(await shell.ok("rollback", "--dry-run")).toContain(records);
  expect(await shell.ok("rollback")).toContain("Recorded; no file was changed.");
});

it("blame takes a file of many lines", async () => {
  const shell = new Shell();
  const projects = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`p${i}`, { n: i, list: ["a", "b"] }]));
  shell.write("big.json", { projects });
  await shell.ok("apply", shell.pack("1", { "~/big.json": { theme: "dark" } }));
  const lines = (await shell.ok("blame", "big.json")).trimEnd().split("\n");
  expect(lines.length).toBeGreaterThan(200_000);
  expect(lines.filter((line) => line.startsWith("zylos@1"))).toHaveLength(1);
});

it("an obsolete entry that was changed is heard of until it is disowned", async () => {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1", { "~/app.json": { a: 1, b: 1 } }));
  shell.edit("app.json", '"a": 1', '"a": 5');
  const v2 = shell.pack("2", { "~/app.json": { b: 1 } });
  expect(await shell.ok("apply", v2)).toContain("to keep it for good: stet disown setting:a");
  await shell.ok("disown", "setting:a");
  expect(await shell.ok("apply", v2)).not.toContain("setting:a");
  expect(JSON.parse(shell.read("app.json"))).toEqual({ a: 5, b: 1 });
});

it("resolve of an obsolete entry that was changed: --theirs takes it out, --mine makes it the user's for good", async () => {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1", { "~/app.json": { a: 1, b: 1, c: 1 } }));
  shell.edit("app.json", '"a": 1', '"a": 5');
  shell.edit("app.json", '"b": 1', '"b": 5');
  const v2 = shell.pack("2", { "~/app.json": { c: 1 } });
  await shell.ok("apply", v2);
  expect(await shell.ok("resolve", "setting:a", "--theirs")).toContain("- setting:a  removed");
  await shell.ok("resolve", "setting:b", "--mine");
  expect(JSON.parse(shell.read("app.json"))).toEqual({ b: 5, c: 1 });
  expect(await shell.ok("apply", v2)).not.toMatch(/setting:[ab]/);
  await shell.ok("rollback", "zylos", "--to", "2");
  expect(JSON.parse(shell.read("app.json"))).toEqual({ a: 5, b: 5, c: 1 });
});

it("resolve --theirs of an obsolete entry that was there before its owner puts back what was found", async () => {
  const shell = new Shell();
  shell.write("app.json", '{ "theme": "light" }\n');
  await shell.ok("apply", shell.pack("1", { "~/app.json": { theme: "dark" } }));
  await shell.ok("adopt", "setting:theme");
  await shell.ok("resolve", "setting:theme", "--theirs");
  shell.edit("app.json", "dark", "sepia");
  await shell.ok("apply", shell.pack("2", { "~/app.json": { other: 1 } }));
  await shell.ok("resolve", "setting:theme", "--theirs");
  expect(JSON.parse(shell.read("app.json"))).toEqual({ theme: "light", other: 1 });
});

it("status names what differs and counts the files that do not; stet alone says what can be done", async () => {
  const shell = new Shell();
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`~/many/${i}.json`, { a: 1 }]));
  await shell.ok("apply", shell.pack("1", files));
  shell.edit("many/3.json", "1", "2");
  const text = await shell.ok("status");
  expect(text).toMatch(
    /~\/many\/3\.json {2}1 entry\n +edited +setting:a\n +yours 2 {3}zylos's 1\n {2}8 more files, current/,
  );
  expect(text).not.toContain("4.json");
  expect(await shell.ok("status", "zylos", "-v")).toContain("~/many/4.json");
  expect(await shell.ok("plan")).toMatch(/to install or upgrade a pack: stet plan DIR\nall commands: stet help\n$/);
});

it("names the file where a key alone would be ambiguous: the command that a plan offers works", async () => {
  const shell = new Shell();
  const files = { "~/a.json": { x: 1 }, "~/b.json": { x: 1 } };
  await shell.ok("apply", shell.pack("1", files));
  shell.edit("a.json", "1", "2");
  const [, command] = /to take zylos's instead:\s+stet (.*)/.exec(await shell.ok("apply", "zylos-1"))!;
  expect(command).toContain("/a.json#setting:x");
  await shell.ok(...command!.split(" ").map((word) => word.replaceAll("'", "")));
  expect(JSON.parse(shell.read("a.json"))).toEqual({ x: 1 });
});

it("explain shows long values in the history around where they differ", async () => {
  const shell = new Shell();
  const long = (word: string) => `${"the same ".repeat(30)}${word} ${"and so on ".repeat(30)}`;
  for (const [version, word] of [
    ["1", "first"],
    ["2", "second"],
  ] as const)
    await shell.ok("apply", shell.pack(version, { "~/a.json": { text: long(word) } }));
  expect(await shell.ok("explain", "setting:text")).toMatch(/changed to[\s\S]*second/);
});

it("history without a name lists that of every owner", async () => {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1", { "~/a.json": { x: 1 } }));
  await shell.ok("apply", shell.pack("1", { "~/b.json": { x: 1 } }, { name: "chime" }));
  expect(await shell.ok("history")).toMatch(/^chime\n {2}1 .*apply[\s\S]*\n\nzylos\n {2}1 .*apply/);
});
