import { describe, expect, it } from "vitest";
import { Shell } from "../cli/shell.ts";

const more = "vars:\n  APP: ~/app\n";
const files = { "${APP}/config.json": { theme: "dark", volume: 3 }, "~/.claude/settings.json": { model: "opus" } };

/** A pack with a file, and a folder, whose place a variable names. */
function packOf(shell: Shell, version = "1.0.0"): string {
  const pack = shell.pack(version, files, { more });
  shell.write(`${pack}/agents/review.md`, "review\n");
  const manifest = shell.read(`${pack}/stet.yaml`);
  shell.write(
    `${pack}/stet.yaml`,
    manifest.replace("files:\n", 'files:\n  - { target: "${APP}/agents/", template: agents/ }\n'),
  );
  return pack;
}

const parsed = (shell: Shell, file: string) => JSON.parse(shell.read(file));

const reasons = (document: { entries: { file: string; verdict: string; reason?: string }[] }, home: string) =>
  document.entries
    .map(({ file, verdict, reason }) => `${file.slice(home.length + 1)} ${verdict} ${reason ?? ""}`.trimEnd())
    .sort();

describe("a target that moved because a variable's value changed", () => {
  it.each([
    ["--set", async (shell: Shell, ...argv: string[]) => shell.json(...argv, "--set", "APP=~/other")],
    [
      "the environment",
      async (shell: Shell, ...argv: string[]) => {
        shell.env.APP = shell.at("other");
        return shell.json(...argv);
      },
    ],
  ])("keeps what stands at its old place until --relocate: %s", async (_, run) => {
    const shell = new Shell();
    const pack = packOf(shell);
    await shell.ok("apply", pack);
    const moved = await run(shell, "apply", pack);
    expect(reasons(moved, shell.home)).toEqual([
      ".claude/settings.json unchanged",
      "app/agents/review.md keep elsewhere",
      "app/config.json keep elsewhere",
      "app/config.json keep elsewhere",
      "other/agents/review.md create",
      "other/config.json create",
      "other/config.json create",
    ]);
    expect(parsed(shell, "app/config.json")).toEqual(parsed(shell, "other/config.json"));
    const told = moved.diagnostics.filter(({ code }: { code: string }) => code === "elsewhere");
    expect(told.map(({ file }: { file: string }) => file)).toEqual([
      shell.at("app/agents/review.md"),
      shell.at("app/config.json"),
    ]);
    expect(told[0].message).toContain("stet apply --relocate");

    // The next run, and one from the records, say the same and change nothing.
    expect(await run(shell, "apply", pack)).toMatchObject({ changed: 0, summary: { keep: 3, unchanged: 4 } });
    const [status] = (await shell.json("status")).owners;
    expect(status.summary).toMatchObject({ keep: 3, unchanged: 4 });

    expect(await run(shell, "apply", pack, "--relocate")).toMatchObject({ summary: { remove: 3, unchanged: 4 } });
    expect(shell.exists("app")).toBe(false);
    expect(parsed(shell, "other/config.json")).toEqual({ theme: "dark", volume: 3 });
  });

  it("is told in one line for a folder of many files", async () => {
    const shell = new Shell();
    const pack = packOf(shell);
    for (const name of ["a.md", "b/c.md"]) shell.write(`${pack}/agents/${name}`, name);
    await shell.ok("apply", pack);
    const { diagnostics } = await shell.json("apply", pack, "--set", "APP=~/other");
    expect(diagnostics.map(({ file, message }: { file: string; message: string }) => [file, message])).toEqual([
      [
        shell.at("app/agents/"),
        expect.stringMatching(/ is where \$\{APP\}\/agents\/ was, and keeps 3 files of zylos there;/),
      ],
      [shell.at("app/config.json"), expect.stringContaining("${APP}/config.json")],
    ]);
  });

  it("is current again where the value goes back", async () => {
    const shell = new Shell();
    const pack = packOf(shell);
    await shell.ok("apply", pack);
    await shell.ok("apply", pack, "--set", "APP=~/other");
    expect(reasons(await shell.json("apply", pack), shell.home)).toEqual([
      ".claude/settings.json unchanged",
      "app/agents/review.md unchanged",
      "app/config.json unchanged",
      "app/config.json unchanged",
      "other/agents/review.md keep elsewhere",
      "other/config.json keep elsewhere",
      "other/config.json keep elsewhere",
    ]);
  });

  it("keeps its old place also where the new release no longer ships the file", async () => {
    const shell = new Shell();
    await shell.ok("apply", packOf(shell));
    const next = shell.pack("2.0.0", { "~/.claude/settings.json": { model: "opus" } }, { more });
    const there = await shell.json("plan", next, "--set", "APP=~/other");
    expect(there.summary).toEqual({ keep: 3, unchanged: 1 });
    // Where the value is as it was, a file that is no longer shipped goes as ever.
    expect((await shell.json("plan", next)).summary).toEqual({ remove: 3, unchanged: 1 });
  });

  it("leaves both places when its owner is uninstalled", async () => {
    const shell = new Shell();
    const pack = packOf(shell);
    await shell.ok("apply", pack);
    await shell.ok("apply", pack, "--set", "APP=~/other");
    shell.write("app/config.json", { theme: "light", volume: 3 });
    await shell.ok("uninstall", "zylos");
    expect([shell.exists("other"), shell.exists("app/agents")]).toEqual([false, false]);
    expect(parsed(shell, "app/config.json")).toEqual({ theme: "light" });
  });

  it("is relocated by a saved plan, too", async () => {
    const shell = new Shell();
    const pack = packOf(shell);
    await shell.ok("apply", pack);
    await shell.ok("plan", pack, "--set", "APP=~/other", "--relocate", "--out", "p.json");
    await shell.ok("apply", "p.json");
    expect(shell.exists("app")).toBe(false);
    expect(shell.exists("other/config.json")).toBe(true);
  });
});
