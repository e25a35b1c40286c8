import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { canonicalCommand, comparableCommand, portableCommand } from "../../src/identity/commands/commands.ts";
import type { PathContext } from "../../src/identity/paths/path-context.ts";
import { darwin, linux, machine, windows } from "./machines.ts";

const linked = machine({ links: { "/home/alice/zylos": "/data/zylos", "/usr/bin/python": "/usr/bin/python3.11" } });
const moved = machine({ home: "/root", formerHomes: ["/home/alice", "C:\\Users\\alice"] });
const withVariables = machine({ env: { ZYLOS_HOME: "/srv/zylos", WHO: "alice" } });

const same: [string, PathContext, string[]][] = [
  [
    "spellings of the home",
    linux,
    [
      "node ~/x.js",
      "node $HOME/x.js",
      'node "$HOME/x.js"',
      "node ${HOME}/x.js",
      "node /home/alice/x.js",
      "node %USERPROFILE%\\x.js",
      " node   ~/x.js ",
    ],
  ],
  [
    "quotes that do not matter",
    linux,
    ["node ~/x.js --name a", `"node" ~/"x.js" '--name' a`, "node ~/x\\.js --na''me a"],
  ],
  [
    "quotes and backslashes that keep a tilde from being the home",
    linux,
    ['node "~/x.js"', "node '~/x.js'", "node \\~/x.js", "node '~'/x.js"],
  ],
  [
    "an interpreter, wherever it is",
    linux,
    ["node x.js", "/usr/bin/node x.js", "/usr/local/bin/node ./x.js", "~/.nvm/node x.js"],
  ],
  ["an interpreter behind wrappers", linux, ["nice -n 5 node x.js", "/usr/bin/nice -n 5 /usr/bin/node x.js"]],
  ["an interpreter that is a link", linked, ["python x.py", "/usr/bin/python x.py"]],
  ["a path with spaces", linux, ["node '/home/alice/my dir/x.js'", 'node "$HOME/my dir/x.js"', "node ~/my\\ dir/x.js"]],
  [
    "a variable nobody knows",
    linux,
    ["node $CLAUDE_PROJECT_DIR/x.js", 'node "$CLAUDE_PROJECT_DIR"/x.js', "node ${CLAUDE_PROJECT_DIR}/./x.js"],
  ],
  ["a variable that is known", withVariables, ["node $ZYLOS_HOME/x.js", "node /srv/zylos/x.js"]],
  ["a link", linked, ["~/zylos/run", "/data/zylos/run"]],
  [
    "a home that moved",
    moved,
    ["node ~/x.js", "node /home/alice/x.js", "node C:\\\\Users\\\\alice\\\\x.js", "node 'C:\\Users\\alice\\x.js'"],
  ],
  [
    "paths in options and assignments",
    linux,
    ["A=~/a node x.js --config=$HOME/c", "A=/home/alice/a node x.js --config=/home/alice/c"],
  ],
  ["paths in redirections", linux, ["x > ~/log 2>&1", "x >$HOME/log 2>&1", "x >/home/alice/log   2>&1"]],
  ["several commands", linux, ["cd ~/z && node x.js || true", "cd $HOME/z&&/usr/bin/node ./x.js||true"]],
  ["lines", linux, ["a; b", "a\nb", "a\r\n\n b", "a ;b"]],
  [
    "a command in a command",
    linux,
    ["bash -c 'node ~/x.js'", 'bash -c "node $HOME/x.js"', "/bin/bash -c 'node /home/alice/x.js'"],
  ],
  [
    "Windows",
    windows,
    [
      "node %USERPROFILE%\\x.js",
      "node $env:USERPROFILE\\x.js",
      'node "$Env:UserProfile\\x.js"',
      "node ${env:USERPROFILE}/x.js",
      "node.exe C:\\Users\\alice\\x.js",
      "node ~/x.js",
      'node "C:/Users/Alice/X.js"',
      '"C:\\Program Files\\nodejs\\node.exe" /c/Users/alice/x.js',
    ],
  ],
  ["darwin", darwin, ["node /tmp/x.js", "node /private/tmp/x.js"]],
];

test.each(same)("one command: %s", (_name, ctx, spellings) => {
  const canonical = new Set(spellings.map((text) => canonicalCommand(text, ctx)));
  expect([...canonical]).toHaveLength(1);
});

const different: [string, PathContext, string, string][] = [
  ["a name that begins like another", linux, "node ~/heartbeat.js", "node ~/heartbeat-v2.js"],
  ["a tilde in quotes is a letter", linux, "node ~/x.js", 'node "~/x.js"'],
  ["also in an option", linux, "x --o=~/x", "x --o='~/x'"],
  ["PowerShell's variables are two words elsewhere", linux, "node $env:USERPROFILE/x.js", "node ~/x.js"],
  ["another argument", linux, "node ~/x.js", "node ~/x.js --quiet"],
  ["the order of arguments", linux, "x a b", "x b a"],
  ["one argument or two", linux, "x 'a b'", "x a b"],
  ["an empty argument", linux, "x a ''", "x a"],
  ["another interpreter", linux, "node x", "bun x"],
  ["another version of an interpreter", linux, "python3 x", "python x"],
  ["a program in this folder and one to search for", linux, "./run", "run"],
  ["a pattern and its letters", linux, "ls *", "ls '*'"],
  ["a variable and its letters", linux, "echo $X", "echo '$X'"],
  ["a substitution in quotes", linux, "x $(a b)", 'x "$(a b)"'],
  ["an operator and its letters", linux, "a && b", "a '&&' b"],
  ["another operator", linux, "a && b", "a ; b"],
  ["another stream", linux, "x 2>f", "x >f"],
  ["a number and a stream", linux, "x 2 >f", "x 2>f"],
  ["a comment and an argument", linux, "x #a", "x '#a'"],
  ["slashes inside an expression", linux, "sed s/a//g f", "sed s/a/g f"],
  ["case on linux", linux, "node ~/X.js", "node ~/x.js"],
  ["case of an argument on Windows", windows, "node x.js A", "node x.js a"],
  ["an option and a file that looks like one", linux, "x ./-a", "x -a"],
];

test.each(different)("two commands: %s", (_name, ctx, a, b) => {
  expect(canonicalCommand(a, ctx)).not.toBe(canonicalCommand(b, ctx));
  expect(portableCommand(a, ctx)).not.toBe(portableCommand(b, ctx));
});

const portable: [string, PathContext, string, string][] = [
  ["a home", linux, '/usr/bin/node "$HOME/x.js" --quiet', "node ~/x.js --quiet"],
  ["a path with spaces", linux, 'node "$HOME/my dir/x.js"', "node ~/'my dir/x.js'"],
  ["links and variables as they were written", linked, "node ~/zylos/x.js $A ${B}c", "node ~/zylos/x.js $A ${B}c"],
  ["known variables as they were written", withVariables, "node ${ZYLOS_HOME}/x.js", "node $ZYLOS_HOME/x.js"],
  ["a former home", moved, "node /home/alice/x.js", "node ~/x.js"],
  ["Windows", windows, '"C:\\Program Files\\nodejs\\node.exe" "%USERPROFILE%\\my dir\\x.js"', "node ~/'my dir/x.js'"],
  ["a tilde in quotes", linux, 'node "~/x.js"', "node '~'/x.js"],
  ["a command in quotes, where it is the home again", linux, "bash -c '~/x.sh'", "bash -c ~/x.sh"],
  ["an argument that only looks like a command of its own", linux, "bash x.sh -c 'a  b'", "bash x.sh -c 'a  b'"],
  ["redirections", linux, "x >  /home/alice/log 2>&1", "x >~/log 2>&1"],
  ["substitutions", linux, 'node "$(dirname "$0")/x.js"', 'node "$(dirname "$0")"/x.js'],
  ["an open quote", linux, " it's ~/x ", "it's ~/x"],
  ["a here-document", linux, "cat <<EOF\n~/x\nEOF", "cat <<EOF\n~/x\nEOF"],
  ["a root as home", machine({ home: "/" }), "node /srv/x.js", "node /srv/x.js"],
];

test.each(portable)("portable: %s", (_name, ctx, text, expected) => {
  expect(portableCommand(text, ctx)).toBe(expected);
});

describe("comparing values", () => {
  it("takes the system's interpreter for the bare one", () => {
    expect(comparableCommand("/usr/bin/node $HOME/x.js", linux)).toBe("node ~/x.js");
    expect(comparableCommand('"C:\\Program Files\\nodejs\\node.exe" x.js', windows)).toBe("node x.js");
  });
  it("does not take a virtual environment's interpreter for the system's, or an upgrade to it would never be written", () => {
    expect(comparableCommand("$HOME/venv/bin/python x.py", linux)).toBe("~/venv/bin/python x.py");
  });
  it("gives one text for one command in two homes", () => {
    expect(comparableCommand("node /root/x.js", moved)).toBe(comparableCommand("node /home/alice/x.js", linux));
  });
});

const pieces = [
  "node",
  "bash",
  "-c",
  "nice",
  "~",
  "/",
  "./",
  "..",
  "$HOME",
  "${HOME}",
  "$X",
  "$ZYLOS_HOME",
  "$(a b)",
  "`a`",
  "'",
  '"',
  "\\",
  " ",
  " ",
  " ",
  "\n",
];
const more = [
  "&&",
  "|",
  ";",
  ">",
  "2>",
  "<",
  "&",
  "(",
  ")",
  "#",
  "*",
  "!",
  "=",
  "--o=",
  "A=",
  "-",
  "x.js",
  "a",
  "é",
  "%USERPROFILE%",
  "C:",
  "home/alice",
  "zylos",
  "{",
  "}",
  "$",
  "?",
];
const anyCommand = fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 14 }).map((all) => all.join(""));
const anyMachine = fc.constantFrom(linux, darwin, windows, linked, moved, withVariables);

describe("whatever is written", () => {
  it("portable twice is portable once, and the same command", () => {
    fc.assert(
      fc.property(anyCommand, anyMachine, (text, ctx) => {
        const once = portableCommand(text, ctx);
        expect(portableCommand(once, ctx)).toBe(once);
        expect(canonicalCommand(once, ctx)).toBe(canonicalCommand(text, ctx));
      }),
      { numRuns: 5000 },
    );
  });
  it("exact: two scripts never become one", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9. '$-]{0,8}$/);
    const quoted = (text: string) => `node "$HOME"/'${text.replaceAll("'", `'"'"'`)}'`;
    fc.assert(
      fc.property(name, name, (a, b) => {
        expect(canonicalCommand(quoted(a), linux) === canonicalCommand(quoted(b), linux)).toBe(a === b);
      }),
    );
  });
  it("comes to an end, whatever it is made of", () => {
    // A cost beyond the square of the length would keep this busy until the test's time is up.
    for (const piece of [
      "'",
      '"',
      "\\",
      "$(",
      "`",
      "a ",
      "${",
      "./",
      "~/",
      "bash -c '",
      "$X/../",
      "(",
      "%A",
      "--a=",
      "nice ",
    ]) {
      const text = piece.repeat(32_000);
      expect(portableCommand(text, linux).length).toBeGreaterThan(0);
      expect(canonicalCommand(text, windows).length).toBeGreaterThan(0);
    }
  });
});
