import { expect, it } from "vitest";
import { Workplace } from "./workplace.ts";

const settings = ".claude/settings.json";
const ring = (more: object = {}) => ({
  hooks: { Stop: [{ hooks: [{ type: "command", command: "$CLAUDE_PROJECT_DIR/.claude/ring.sh", ...more }] }] },
});

it("an owner that was uninstalled in a project can be taken out wholly, and brought back", async () => {
  const work = new Workplace();
  await work.ok("ann", "apply", work.release("1.0.0", { theme: "dark", volume: 3 }));
  work.edit(`ann/${settings}`, "3", "9");
  expect(await work.ok("ann", "uninstall", "chime")).toContain("uninstall chime --all");
  expect(JSON.parse(work.read(`ann/${settings}`))).toEqual({ volume: 9 });
  await work.ok("ann", "uninstall", "chime", "--all");
  expect([work.exists(`ann/${settings}`), work.exists("ann/.stet")]).toEqual([false, false]);
  await work.ok("ann", "rollback", "chime");
  expect(JSON.parse(work.read(`ann/${settings}`))).toEqual({ volume: 9 });
});

it("a hook of a project goes with its script, however the command names the project", async () => {
  const work = new Workplace();
  await work.ok("ann", "apply", work.release("1.0.0", ring(), { ".claude/ring.sh": "#!/bin/sh\n" }));
  work.edit(`ann/${settings}`, "ring.sh", "ring.sh --softly");
  const { summary } = await work.json("ann", "uninstall", "chime");
  expect(summary).toEqual({ remove: 2 });
  expect(work.exists("ann/.claude")).toBe(false);
});
