import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { laidOut, sentence } from "../../src/cli/host/output.ts";
import { runCommand } from "../../src/cli/main.ts";
import { heard } from "../cli/heard.ts";

test("parts that do not fit go below; a path stays whole, a sentence breaks at blanks", () => {
  expect(laidOut(40, ["  + /etc/web"], ["new"])).toBe("  + /etc/web  new");
  const path = `  + /etc/${"x".repeat(40)}`;
  expect(laidOut(40, [path], ["edited on this host, and stays so for now"])).toBe(
    `${path}\n      edited on this host, and stays so\n      for now`,
  );
  expect(laidOut(Number.POSITIVE_INFINITY, [path], ["new"])).toBe(`${path}  new`);
  expect(sentence("a b c d", 3)).toBe("a b\nc d");
});

test("every report of a host fits a terminal of 40 columns, but for single words", async () => {
  const home = mkdtempSync(join(tmpdir(), "stet-width-"));
  try {
    const repo = ["--repo", join(import.meta.dirname, "fixture"), "--host", "kadath"];
    const root = ["--root", join(home, "root")];
    const commands = [
      ["plan", ...repo, ...root],
      ["apply", ...repo, ...root],
      ["status", ...root],
      ["history", "-v", ...root],
      ["evaluate", ...repo],
      ["show", "traefik.container", ...repo],
      ["pause", "--for", "2h", ...root],
      ["plan", ...repo, ...root],
    ];
    for (const command of commands) {
      const { out } = await heard((io) => runCommand(["host", ...command], { ...io, terminal: { columns: 40 } }), {
        env: { PATH: process.env.PATH, HOME: home, STET_STATE_DIR: join(home, "state"), NO_COLOR: "1" },
        cwd: home,
        platform: process.platform,
        now: () => new Date("2026-11-15T12:00:00Z"),
      });
      expect(out).not.toBe("");
      const tooWide = out.split("\n").filter((line) => line.length > 40 && / {2}\S+ {2}|\S \S+ \S/.test(line.trim()));
      expect([command[0], tooWide]).toEqual([command[0], []]);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
