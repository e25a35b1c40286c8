import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { type Diagnostic, renderDiagnostic } from "../../src/core/diagnostic.ts";
import { Terminal, writePack } from "./terminal.ts";

/**
 * One clear line on standard error, exit 1, and nothing changed, in whatever way the run is asked for; a document for
 * who wants one.
 */
async function expectRefusal(terminal: Terminal, line: RegExp, ...options: string[]): Promise<void> {
  const before = terminal.snapshot();
  for (const argv of [
    ["apply", "pack"],
    ["plan", "pack"],
    ["apply", "pack", "--json"],
  ]) {
    const { code, out, err } = await terminal.run(...argv, ...options);
    expect(code).toBe(1);
    expect(err).toMatch(/^stet: [^\n]+\n$/);
    expect(err).toMatch(line);
    if (!argv.includes("--json")) expect(out).toBe("");
    else expect(told(out)).toBe(err.slice("stet: ".length, -1));
  }
  expect(terminal.snapshot()).toEqual(before);
}

/** The document's one diagnostic, as standard error says it; nothing else is in the document. */
function told(out: string): string {
  const { diagnostics, ...rest } = JSON.parse(out) as { diagnostics: Diagnostic[] };
  expect(rest).toEqual({ format_version: 1, changed: 0, summary: {}, entries: [], files: [] });
  expect(diagnostics.map(({ severity }) => severity)).toEqual(["error"]);
  return renderDiagnostic(diagnostics[0]!);
}

describe("malformed files are refused with file:line:column, and nothing is changed", () => {
  const malformed: [what: string, file: string, text: string, line: RegExp][] = [
    ["target", "home/app/config.json", '{\n  "a": 1,\n  "b": tru\n}\n', /home\/app\/config\.json:3:8: /],
    [
      "target whose root is a list",
      "home/app/config.json",
      "[1, 2]\n",
      /home\/app\/config\.json:1:1: .*holds a list, not a map/,
    ],
    ["target that is no UTF-8", "home/app/config.json", "", /home\/app\/config\.json:2:1: .*not UTF-8/],
    ["template", "pack/config.json", '{\n  "a": 1\n  "b": 2\n}\n', /pack\/config\.json:3:3: /],
    ["manifest", "pack/stet.yaml", "name: zylos\nversion: [\n", /pack\/stet\.yaml:\d+:\d+: /],
    [
      "manifest without a version",
      "pack/stet.yaml",
      "name: zylos\nfiles: []\n",
      /pack\/stet\.yaml:1:1: version is missing/,
    ],
    [
      "manifest with an unknown key",
      "pack/stet.yaml",
      "name: z\nversion: '1'\nfils: []\nfiles: []\n",
      /pack\/stet\.yaml:3:1: unknown key fils \(did you mean files\?\); remove it or correct its spelling/,
    ],
    [
      "manifest with a variable that is nothing",
      "pack/stet.yaml",
      "name: z\nversion: '1'\nvars:\n  A: ~\nfiles: []\n",
      /pack\/stet\.yaml:4:3: vars\.A must be/,
    ],
    [
      "manifest with a key twice",
      "pack/stet.yaml",
      "name: z\nversion: '1'\nname: y\nfiles: []\n",
      /pack\/stet\.yaml:3:1: /,
    ],
    [
      "manifest with a bad owner",
      "pack/stet.yaml",
      "name: ../x\nversion: '1'\nfiles: []\n",
      /pack\/stet\.yaml:1:1: name/,
    ],
    [
      "manifest with an unknown runtime",
      "pack/stet.yaml",
      "name: z\nversion: '1'\nservers: { a: { command: a } }\nruntimes: [gemini-cli]\n",
      /pack\/stet\.yaml:4:1: runtimes: there is no runtime gemini-cli; known are /,
    ],
    [
      "manifest with servers and no runtimes",
      "pack/stet.yaml",
      "name: z\nversion: '1'\nservers: { a: { command: a } }\n",
      /pack\/stet\.yaml:3:1: servers, hooks and instructions need runtimes to go to/,
    ],
    [
      "registry",
      "home/.local/state/stet/zylos/registry.json",
      '{ "format_version": 1,\n  oops\n',
      /registry\.json:2:3: /,
    ],
    ["registry of another owner", "home/.local/state/stet/other/registry.json", "[]", /other\/registry\.json/],
    [
      "registry of a newer stet",
      "home/.local/state/stet/zylos/registry.json",
      '{ "format_version": 99 }',
      /registry\.json.*newer/,
    ],
    [
      "user policy",
      "home/.config/stet/policy.yaml",
      "- { match: 'x', wen-deleted: respect }\n",
      /policy\.yaml:1:\d+: /,
    ],
  ];
  for (const [what, file, text, line] of malformed) {
    it(what, async () => {
      const terminal = new Terminal();
      writePack(terminal, "1.0.0", { a: 1 });
      terminal.write("home/app/config.json", { mine: 1 });
      terminal.write(file, text);
      if (what.includes("no UTF-8")) fs.writeFileSync(terminal.at(file), Buffer.from([0x7b, 0x0a, 0xff, 0x7d]));
      if (file.includes("state/stet"))
        for (const folder of ["home/.local/state/stet"]) fs.chmodSync(terminal.at(folder), 0o700);
      await expectRefusal(terminal, line);
    });
  }
});

describe("a pack that can't be right is refused", () => {
  const refused: [what: string, more: string, template: object, line: RegExp][] = [
    [
      "two wanted entries with one key",
      "",
      {
        hooks: [
          { event: "Stop", command: "node ~/a.js" },
          { event: "Stop", command: "node $HOME/a.js" },
        ],
      },
      /pack\/config\.json:\d+:\d+: two entries have one key: hook:Stop:node ~\/a\.js at hooks\.0 and .* at hooks\.1/,
    ],
    [
      "a template entry without its key",
      "",
      { hooks: [{ event: "Stop" }] },
      /pack\/config\.json:\d+:\d+: .*hooks\.0 has no command/,
    ],
    [
      "two files with one target",
      "  - { target: ~/app/../app/config.json, template: config.json }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:7: two files of the manifest have the target/,
    ],
    [
      "an undefined variable",
      "  - { target: '${NOWHERE}/a.json', template: config.json }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:7: .*\$\{NOWHERE\} is not defined/,
    ],
    [
      "a relative target",
      "  - { target: a.json, template: config.json }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:7: target a\.json is not absolute/,
    ],
    [
      "an unknown profile",
      "  - { target: ~/a.json, template: config.json, profile: emacs }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:48: .*there is no profile emacs/,
    ],
    [
      "a rule with a path that is none",
      "  - { target: ~/a.json, template: config.json, rules: [{ type: h, at: 'x[', key: [id] }] }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:48: rule .*at "x\["/,
    ],
    [
      "entries of a plain text",
      "  - { target: ~/a.txt, template: config.json, strategy: entries }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:7: \S+\/a\.txt is plain text/,
    ],
    [
      "a template that is not there",
      "  - { target: ~/a.json, template: gone.json }\n",
      { a: 1 },
      /pack\/gone\.json: .*not there/,
    ],
    [
      "a template outside the pack",
      "  - { target: ~/a.json, template: ../../etc/passwd }\n",
      { a: 1 },
      /pack\/stet\.yaml:\d+:25: .*outside the folder/,
    ],
    ["an earlier release that is not there", 'earlier: { "0.9": old }\n', { a: 1 }, /pack\/old: .*not there/],
  ];
  for (const [what, more, template, line] of refused) {
    it(what, async () => {
      const terminal = new Terminal();
      writePack(terminal, "1.0.0", template, more);
      await expectRefusal(terminal, line);
    });
  }
});

describe("a target that is no file to write is refused", () => {
  function prepared(): Terminal {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/app/other", "");
    return terminal;
  }

  it("a directory", async () => {
    const terminal = prepared();
    fs.mkdirSync(terminal.at("home/app/config.json"));
    await expectRefusal(terminal, /home\/app\/config\.json: .*folder/);
  });

  it("a FIFO, without waiting for a writer", async () => {
    const terminal = prepared();
    execFileSync("mkfifo", [terminal.at("home/app/config.json")]);
    await expectRefusal(terminal, /home\/app\/config\.json: /);
  });

  it("an unreadable file", async () => {
    const terminal = prepared();
    terminal.write("home/app/config.json", "{}");
    fs.chmodSync(terminal.at("home/app/config.json"), 0);
    const { code, out, err } = await terminal.runAsOrdinaryUser("apply", "pack");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stet: .*home\/app\/config\.json: [^\n]*\n$/);
  });

  it("a file in a read-only folder", async () => {
    const terminal = prepared();
    terminal.write("home/app/config.json", "{}");
    fs.chmodSync(terminal.at("home/app"), 0o500);
    const { code, out, err } = await terminal.runAsOrdinaryUser("apply", "pack");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stet: .*home\/app[^\n]*: [^\n]*\n$/);
    expect(terminal.read("home/app/config.json")).toBe("{}");
    expect(fs.readdirSync(terminal.at("home/app"))).toEqual(["config.json", "other"]);
  });

  it("a path through a file", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/app", "not a folder");
    await expectRefusal(terminal, /home\/app/);
  });
});

describe("where nothing can be remembered, nothing is done", () => {
  it("no home", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.env = { HOME: "not/absolute" };
    await expectRefusal(terminal, /no home folder is known; set HOME or pass --home DIR/);
  });

  it("a state directory that can't be made", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    terminal.write("home/file", "");
    const { code, out, err } = await terminal.run("apply", "pack", "--state-dir", terminal.at("home/file/state"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stet: [^\n]*home\/file[^\n]*\n$/);
    expect(terminal.exists("home/app")).toBe(false);
  });

  it("a state directory that everyone may write into", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    fs.mkdirSync(terminal.at("home/state"));
    fs.chmodSync(terminal.at("home/state"), 0o777);
    const { code, err } = await terminal.run("apply", "pack", "--state-dir", terminal.at("home/state"));
    expect(code).toBe(1);
    expect(err).toMatch(/home\/state: the state directory may be written by everyone/);
    expect(terminal.exists("home/app")).toBe(false);
  });
});

describe("a command line that is wrong is answered in one line", () => {
  const wrong: [argv: string[], line: RegExp][] = [
    [["frobnicate"], /there is no command frobnicate; see: stet help/],
    [["plan", "--frob"], /Unknown option '--frob'.*stet plan --help/],
    [["plan", "nowhere"], /nowhere.*there is no manifest here|nowhere.*not there|nowhere.*no such/],
    [["apply", "pack", "--set", "NOVALUE"], /--set NOVALUE: write --set NAME=VALUE/],
    [["apply", "pack", "--set", "UNKNOWN=1"], /--set UNKNOWN: the manifest declares no such variable/],
    [["uninstall"], /name an owner/],
    [["uninstall", "nobody"], /nothing is installed under the name nobody/],
    [["uninstall", "./pack"], /nothing is installed under the name \.\/pack/],
    [["rollback", "CON"], /under the name CON, which can't be an owner's name/],
    [["history", "../x"], /nothing is installed under the name \.\.\/x, /],
    [["resolve", "setting:a", "--mine"], /setting:a/],
    [["rollback"], /nothing is installed/],
    [["plan", "pack", "more"], /'more' is one argument too many; see: stet plan --help/],
    [["apply", "pack", "more"], /'more' is one argument too many/],
    [["uninstall", "a", "b"], /'b' is one argument too many/],
    [["rollback", "zylos", "3"], /'3' is one argument too many \(did you mean --to 3\?\); see: stet rollback --help/],
    [["resolve", "a", "b", "--mine"], /'b' is one argument too many/],
    [["rollback", "--to", "-1"], /^stet: Option '--to' argument is ambiguous; see: stet rollback --help\n$/],
    [["doctor", "zylos"], /'zylos' is one argument too many/],
    [["host", "plan", "here"], /'here' is one argument too many; see: stet host plan --help/],
  ];
  for (const [argv, line] of wrong) {
    it(argv.join(" "), async () => {
      const terminal = new Terminal();
      writePack(terminal, "1.0.0", { a: 1 });
      const { code, out, err } = await terminal.run(...argv);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^stet: [^\n]+\n$/);
      expect(err).toMatch(line);
      expect(fs.readdirSync(terminal.home)).toEqual([]);
    });
  }
});
