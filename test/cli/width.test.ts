import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commands, runCommand } from "../../src/cli/main.ts";
import { displayWidth, fitted } from "../../src/report/fit.ts";
import { grafana, prometheus } from "../toolset/sample.ts";
import { heard } from "./heard.ts";
import { Shell } from "./shell.ts";

/** Only a single word, or a command to copy and nothing else, may be wider; a sign may stand before it. */
const mayBeWide = /^(?:\S |\$ )?(?:\S+|(?!.*(?: {2}| \(or ))(?:stet|git|npm|npx|chmod|systemctl|podman|kubectl) .*)$/;

function tooWide(text: string, columns: number): string[] {
  const plain = text.replaceAll(/\u001b\[\d+m/g, "");
  return plain.split("\n").filter((line) => displayWidth(line) > columns && !mayBeWide.test(line.trim()));
}

/** Every command with something to say, in an order in which each finds what it needs. */
function commandLines(shell: Shell): string[][] {
  const repo = ["--repo", join(import.meta.dirname, "../host/fixture"), "--host", "kadath"];
  const root = ["--root", shell.at("root")];
  const services = ["--services", shell.at("services.json")];
  return [
    [],
    ["plan", "zylos-2", "--diff"],
    ["apply", "zylos-2", "--diff"],
    ["status"],
    ["status", "-v"],
    ["blame", "~/.claude/settings.json"],
    ["explain", "setting:env.GREETING"],
    ["explain", "Stop"],
    ["review"],
    ["who-runs"],
    ["doctor"],
    ["diff", "old.json", ".claude/settings.json"],
    ["resolve", "setting:env.GREETING", "--theirs"],
    ["disown", "setting:env.LONG"],
    ["adopt", "setting:env.LONG"],
    ["history"],
    ["rollback", "zylos", "--dry-run", "--diff"],
    ["rollback", "zylos"],
    ["plan", "zylos-2"],
    ["uninstall", "zylos", "--diff"],
    ["init", "old.json"],
    ["check", "zylos-2"],
    ["demo"],
    ["host", "plan", ...repo, ...root, "--diff"],
    ["host", "apply", ...repo, ...root],
    ["host", "status", ...root],
    ["host", "history", "-v", ...root],
    ["host", "rollback", ...root, "--yes", "--dry-run"],
    ["host", "evaluate", ...repo],
    ["host", "check", ...repo.slice(0, 2)],
    ["host", "show", "traefik.container", ...repo],
    ["host", "pause", "--for", "2h", ...root],
    ["host", "plan", ...repo, ...root],
    ["host", "resume", ...root],
    ["toolset", "plan", ...services, "--diff"],
    ["toolset", "status", ...services],
  ];
}

const mistakes = [
  ["nonsense"],
  ["apply", "nowhere"],
  ["explain", "nothing-that-is-there"],
  ["rollback", "--too", "3", "one"],
];

/** What they print is no text for people: a script, a document of somebody's, a server. */
const printsNoReport = ["ui", "watch", "merge", "modify", "mcp", "completion"];

async function stage(columns: number): Promise<Shell> {
  const shell = new Shell();
  shell.terminal = { columns };
  shell.env.PATH = process.env.PATH!;
  const hook = (timeout: number) => ({
    hooks: [{ type: "command", command: `node ~/zylos/hooks/remember-the-session.js --timeout ${timeout} --quiet` }],
  });
  const settings = (version: number) => ({
    env: {
      GREETING: `Hello from release ${version} of a framework that greets you at length`,
      LONG: "one two three four five six seven eight nine ten eleven twelve thirteen",
    },
    hooks: { Stop: [hook(version * 10)], SessionStart: [{ matcher: "startup", ...hook(5) }] },
  });
  const target = "~/.claude/settings.json";
  await shell.ok("apply", shell.pack("1", { [target]: settings(1) }));
  shell.edit(".claude/settings.json", "Hello from release 1", "Good evening, and");
  shell.edit(".claude/settings.json", '"LONG"', '"MINE": "it is mine",\n    "LONG"');
  shell.edit(".claude/settings.json", "--timeout 5", "--timeout 500 --and-more");
  shell.pack("2", { [target]: settings(2) });
  shell.write("old.json", settings(1));
  shell.write("services.json", { apiVersion: "v1", kind: "ServiceList", items: [prometheus, grafana] });
  return shell;
}

describe.each([40, 80])("at %i columns", (columns) => {
  it("everything that a command says to people fits", async () => {
    const shell = await stage(columns);
    const lines = commandLines(shell);
    const spoken = new Set(lines.map(([name]) => name));
    expect(Object.keys(commands).filter((name) => !spoken.has(name) && !printsNoReport.includes(name))).toEqual([]);
    for (const line of lines) {
      const { out } = await shell.run(...line);
      expect([line, out]).not.toEqual([line, ""]);
      expect([line, tooWide(out, columns)]).toEqual([line, []]);
    }
  });

  it("so does what was wrong", async () => {
    for (const line of mistakes) {
      const terminal = { columns };
      const { err } = await heard((io) => runCommand(line, io), { env: {}, cwd: "/", terminal, errorTerminal: true });
      expect([line, err]).not.toEqual([line, ""]);
      expect([line, tooWide(err, columns)]).toEqual([line, []]);
    }
  });

  it("all help fits", async () => {
    const names = Object.keys(commands).map((name) => [name]);
    for (const [name, { load }] of Object.entries(commands))
      names.push(...Object.keys((await load()).command.commands ?? {}).map((below) => [name, below]));
    for (const line of [[], ...names]) {
      const { out } = await heard((io) => runCommand(["help", ...line], io), {
        env: {},
        cwd: "/",
        terminal: { columns },
      });
      expect([line, tooWide(out, columns)]).toEqual([line, []]);
    }
  });
});

it("goes on below where the text began, keeps commands whole, and counts neither colours nor half of a wide letter", () => {
  expect(fitted("  owner     zylos, which wrote it", 30)).toBe("  owner     zylos, which wrote\n            it");
  expect(fitted("! something is wrong here", 16)).toBe("! something is\n    wrong here");
  expect(fitted("run this: stet apply DIR --force; then go on", 20)).toBe(
    "run this:\nstet apply DIR --force;\nthen go on",
  );
  expect(fitted("\u001b[2ma b\u001b[22m", 3)).toBe("\u001b[2ma b\u001b[22m");
  expect(displayWidth("設定")).toBe(4);
});
