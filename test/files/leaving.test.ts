import { describe, expect, it } from "vitest";
import { Shell } from "../cli/shell.ts";

const claude = ".claude/settings.json";
const hookOf = (command: string, more: object = {}) => ({ hooks: [{ type: "command", command, ...more }] });

/** Settings, a hook, and the script it runs. */
function packOf(shell: Shell, more = ""): string {
  const ring = hookOf("${APP}/ring.sh");
  const settings = { model: "opus", cleanupPeriodDays: 30, hooks: { Stop: [ring] } };
  const pack = shell.pack("1.0.0", { [`~/${claude}`]: settings }, { more: `vars: { APP: ~/app }\n${more}` });
  shell.write(`${pack}/ring.sh`, "#!/bin/sh\n");
  shell.edit(
    `${pack}/stet.yaml`,
    "files:\n",
    'files:\n  - { target: "${APP}/ring.sh", template: ring.sh, mode: "0755" }\n',
  );
  return pack;
}

const parsed = (shell: Shell, file = claude) => JSON.parse(shell.read(file));

describe("uninstalling", () => {
  it("lists what stays, with the command that takes it out too, and that works afterwards", async () => {
    const shell = new Shell();
    shell.write(claude, { mine: 1 });
    await shell.ok("apply", packOf(shell));
    shell.write(claude, { ...parsed(shell), model: "haiku", cleanupPeriodDays: 7 });
    const text = await shell.ok("uninstall", "zylos");
    expect(text).toContain("setting:model  kept: you edited it");
    expect(text.replaceAll(/\s+/g, " ")).toContain(
      "2 entries stay, because you changed them; to remove them too: stet uninstall zylos --all",
    );
    expect(parsed(shell)).toEqual({ mine: 1, model: "haiku", cleanupPeriodDays: 7 });
    const { diagnostics, summary } = await shell.json("uninstall", "zylos", "--all");
    expect([summary, diagnostics]).toEqual([{ forget: 2, remove: 2 }, []]);
    expect(parsed(shell)).toEqual({ mine: 1 });
    // Kept in a generation.
    await shell.ok("rollback", "zylos");
    expect(parsed(shell)).toMatchObject({ model: "haiku" });
    expect((await shell.run("uninstall", "nobody", "--all")).err).toContain(
      "nothing is installed under the name nobody",
    );
  });

  it("takes out what was edited where the policy says so, and nothing of anybody else's", async () => {
    for (const ours of [true, false]) {
      const shell = new Shell();
      shell.write(claude, { mine: 1 });
      const policy = '- { match: "setting:model", on-uninstall: remove }\n';
      await shell.ok("apply", packOf(shell, ours ? `policy:\n  ${policy}` : ""));
      if (!ours) shell.write(".config/stet/policy.yaml", policy);
      shell.write(claude, { ...parsed(shell), model: "haiku", cleanupPeriodDays: 7 });
      expect((await shell.json("apply", "zylos-1.0.0")).summary).toMatchObject({ keep: 2 });
      await shell.ok("uninstall", "zylos");
      expect(parsed(shell)).toEqual({ mine: 1, cleanupPeriodDays: 7 });
    }
  });

  it("leaves no hook behind that runs a script which goes, however it was edited", async () => {
    const shell = new Shell();
    await shell.ok("apply", packOf(shell));
    const settings = parsed(shell);
    const edited = hookOf(`${shell.at("app/ring.sh")} --softly`, { timeout: 9 });
    const own = hookOf(`${shell.at("app/ring.sh")} --mine`);
    shell.write(claude, { ...settings, hooks: { Stop: [edited], SessionStart: [own] } });
    const { entries, diagnostics } = await shell.json("uninstall", "zylos");
    expect(shell.exists("app")).toBe(false);
    expect(entries).toContainEqual(
      expect.objectContaining({ type: "hook", verdict: "remove", reason: "script-removed" }),
    );
    // What the user wrote is theirs: it stays, and is named.
    expect(parsed(shell)).toEqual({ hooks: { SessionStart: [own] } });
    const told = diagnostics.filter(({ code }: { code: string }) => code === "script-removed");
    expect(told.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining("the history keeps it"),
      expect.stringMatching(/hook:SessionStart.*is yours and stays/),
    ]);
  });

  it("keeps an edited hook whose script stays, as that was edited too", async () => {
    const shell = new Shell();
    await shell.ok("apply", packOf(shell));
    shell.write("app/ring.sh", "#!/bin/sh\necho mine\n");
    const edited = hookOf(`${shell.at("app/ring.sh")} --softly`);
    shell.write(claude, { ...parsed(shell), hooks: { Stop: [edited] } });
    await shell.ok("uninstall", "zylos");
    expect([shell.exists("app/ring.sh"), parsed(shell)]).toEqual([true, { hooks: { Stop: [edited] } }]);
  });
});
