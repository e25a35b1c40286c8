import fc from "fast-check";
import { expect, it, test } from "vitest";
import { portableCommand } from "../../src/identity/commands/commands.ts";
import { scriptOf } from "../../src/identity/commands/scripts.ts";
import type { PathContext } from "../../src/identity/paths/path-context.ts";
import { linux, machine, windows } from "./machines.ts";

const scripts: [string, string][] = [
  ["node ~/x.js", "~/x.js"],
  ["nice node ~/x.js --quiet", "~/x.js"],
  ["/usr/bin/nice -n 5 /usr/bin/node /home/alice/x.js", "~/x.js"],
  ["A=1 env -u B C=2 nohup node ~/x.js &", "~/x.js"],
  ["timeout -k 1 5 sudo -u bob time -p node ~/x.js", "~/x.js"],
  ["node -r dotenv/config --import tsx --no-warnings ~/x.ts", "~/x.ts"],
  ["node ./x.js", "x.js"],
  ["node x.js", "x.js"],
  ["bash -c 'cd ~/z && exec node $HOME/x.js'", "~/x.js"],
  ["bash -lc \"bash -c 'node ~/x.js'\"", "~/x.js"],
  ["bash -euo pipefail -c 'node ~/x.js'", "~/x.js"],
  ["bash ~/run.sh -c 'node ~/y.js'", "~/run.sh"],
  ["bash ~/run.sh a b", "~/run.sh"],
  ["cd ~/z && node ./x.js || true", "x.js"],
  ["[ -x ~/bin/x ] && ~/bin/x --fast", "~/bin/x"],
  ["command -v node >/dev/null && node ~/x.js", "~/x.js"],
  ["if true; then node ~/x.js; fi", "~/x.js"],
  ["cat | node ~/x.js", "~/x.js"],
  ["~/bin/x a", "~/bin/x"],
  ["prettier --write", "prettier"],
  ["node", "node"],
  ["npx -y @scope/tool@1.2.3 --flag", "@scope/tool"],
  ["npx tool@latest", "tool"],
  ["uvx --from pkg ruff==0.4 check", "ruff"],
  ["bunx tool", "tool"],
  ["python -m http.server 80", "http.server"],
  ["python3.11 -W ignore ~/x.py", "~/x.py"],
  ["uv run ~/x.py", "~/x.py"],
  ["deno run --allow-net ~/x.ts", "~/x.ts"],
  ["/usr/bin/node -e 'f(1)'", "node -e 'f(1)'"],
  ['node "$CLAUDE_PROJECT_DIR"/x.js', "$CLAUDE_PROJECT_DIR/x.js"],
  ["node '~/my dir/x.js'", "~/my dir/x.js"],
  ["it's broken", "it's broken"],
  ["", ""],
];

test.each(scripts)("%s runs %s", (command, script) => {
  expect(scriptOf(command, linux, "portable")).toBe(script);
});

test.each([
  ["cmd /c node.exe %USERPROFILE%\\x.js", "~/x.js"],
  ["powershell -ExecutionPolicy Bypass -File C:\\Users\\alice\\x.ps1", "~/x.ps1"],
  ['"C:\\Program Files\\nodejs\\node.exe" "C:\\Users\\alice\\x.js"', "~/x.js"],
  ["npx.cmd -y tool@2", "tool"],
])("on Windows %s runs %s", (command, script) => {
  expect(scriptOf(command, windows, "portable")).toBe(script);
});

it("resolves links for comparing only", () => {
  const linked = machine({ links: { "/home/alice/zylos": "/data/zylos" } });
  expect(scriptOf("nice node ~/zylos/x.js", linked, "canonical")).toBe("/data/zylos/x.js");
  expect(scriptOf("nice node ~/zylos/x.js", linked, "portable")).toBe("~/zylos/x.js");
});

it("does not take one script for another that begins like it", () => {
  expect(scriptOf("node ~/heartbeat.js", linux, "canonical")).not.toBe(
    scriptOf("node ~/heartbeat-v2.js", linux, "canonical"),
  );
});

it("is the same for a command and for what a record keeps of it", () => {
  const pieces = [
    "node ",
    "bash -c ",
    "nice ",
    "npx ",
    "env A=b ",
    "-r ",
    "-m ",
    "~/x.js",
    "./y.sh",
    "$HOME/z",
    "'",
    '"',
    " ",
    "&& ",
    "; ",
    "| ",
    "tool@1",
    "cd ",
    "$X/",
    "run ",
    "/usr/bin/",
    "-e ",
  ];
  const command = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((all) => all.join(""));
  const moved = machine({ home: "/root", formerHomes: ["/home/alice"] });
  fc.assert(
    fc.property(command, fc.constantFrom<PathContext>(linux, windows, moved), (text, ctx) => {
      expect(scriptOf(portableCommand(text, ctx), ctx, "canonical")).toBe(scriptOf(text, ctx, "canonical"));
    }),
    { numRuns: 3000 },
  );
});
