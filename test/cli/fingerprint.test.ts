import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { Terminal, writePack } from "./terminal.ts";
import { askBoth, fastPath, unchangedWorld } from "./unchanged-world.ts";

const state = "home/.local/state/stet";
const fingerprint = `${state}/zylos/fingerprint.json`;

describe("where nothing has changed", () => {
  let terminal: Terminal;
  beforeEach(async () => {
    terminal = await unchangedWorld();
  });

  const asked = [
    ["plan", "pack"],
    ["plan", "pack/stet.yaml"],
    ["plan", "other"],
    ["plan", "pack", "--json"],
    ["plan", "pack", "--exit-code"],
    ["plan", "pack", "--diff", "-q"],
    ["plan", "pack", "--no-color"],
    ["apply", "pack"],
    ["apply", "pack", "--json", "--strict"],
    ["apply", "pack", "--dry-run", "--strict"],
  ];
  it("answers as the long way does, and leaves no trace", async () => {
    for (const argv of asked) expect(await askBoth(terminal, ...argv), argv.join(" ")).toBe("answered");
    const before = terminal.snapshot();
    fastPath(terminal, ["apply", "pack"]);
    expect(terminal.snapshot()).toEqual(before);
    await terminal.run("apply", "pack");
    await terminal.run("plan", "pack");
    expect(terminal.snapshot()).toEqual(before);
  });

  it("colours what goes to a terminal", async () => {
    expect(fastPath(terminal, ["plan", "pack"], { terminalColumns: () => 80 })?.out).toContain(
      "\u001b[32mNothing to change.",
    );
    terminal.env.FORCE_COLOR = "1";
    expect(await askBoth(terminal, "plan", "pack")).toBe("answered");
    terminal.env.NO_COLOR = "1";
    expect(await askBoth(terminal, "plan", "pack")).toBe("answered");
    expect(fastPath(terminal, ["plan", "pack"], { terminalColumns: () => 80 })?.out).not.toContain("\u001b");
    expect(fastPath(terminal, ["plan", "pack"], { terminalColumns: () => 10 })).toBeUndefined();
  });

  it("keeps no variable's value, masks what it prints, and is for its owner alone", () => {
    const out = fastPath(terminal, ["plan", "pack", "--json"])?.out;
    expect([out?.includes("API_TOKEN"), out?.includes("sk-very-secret-1")]).toEqual([true, false]);
    expect(JSON.parse(terminal.read(fingerprint).slice(0, -3)).observations.variables.TOOLS).toMatch(/^[0-9a-f]{64}$/);
    expect(fs.statSync(terminal.at(fingerprint)).mode & 0o777).toBe(0o600);
  });

  const longWay = [
    ["plan", "pack", "--no-prune"],
    ["plan", "pack", "--unhold"],
    ["plan", "pack", "-v"],
    ["plan", "pack", "--show-secrets"],
    ["plan", "pack", "--out", "saved"],
    ["plan", "pack", "--set", "TOOLS=/elsewhere"],
    ["plan", "pack", "--home", "other-home"],
    ["plan", "pack", "--state-dir", "other-state"],
    ["plan", "pack", "other"],
    ["plan", "pack", "-h"],
    ["plan", "pack", "--json", "--help"],
    ["plan", "pack", "--nonsense"],
    ["plan", "nowhere"],
    ["apply", "pack", "--exit-code"],
    ["status"],
  ];
  it("leaves what it does not know to the long way", () => {
    for (const argv of longWay) expect(fastPath(terminal, argv), argv.join(" ")).toBeUndefined();
  });

  it("looks the same whoever's run came last: owners see each other's records", async () => {
    terminal.write("other/config.yaml", "shared: 1\nmine: 3\n");
    await terminal.run("apply", "other");
    expect(await askBoth(terminal, "plan", "pack")).toBe("answered");
    expect(await askBoth(terminal, "plan", "other")).toBe("answered");
  });

  it("is known again after settling, going back and leaving", async () => {
    terminal.write("home/app/config.yaml", terminal.read("home/app/config.yaml").replace("port: 80", "port: 81"));
    terminal.write("pack/config.yaml", "shared: 1\nport: 82\n");
    expect(await askBoth(terminal, "plan", "pack")).toBe("left to the long way");
    await terminal.run("apply", "pack");
    expect(fastPath(terminal, ["apply", "pack", "--strict"])).toMatchObject({
      code: 3,
      out: expect.stringContaining("needs you"),
    });
    for (const settle of [
      ["resolve", "setting:port", "--mine"],
      ["disown", "setting:port"],
      ["adopt", "setting:port"],
      ["rollback", "other", "--to", "0"],
    ]) {
      expect((await terminal.run(...settle)).code, settle.join(" ")).toBe(0);
      expect(await askBoth(terminal, "plan", "pack"), settle.join(" ")).toBe("answered");
    }
    await terminal.run("uninstall", "zylos");
    expect(terminal.exists(fingerprint)).toBe(false);
    expect(await askBoth(terminal, "plan", "pack")).toBe("left to the long way");
  });
});

const damages: readonly ((file: string, at: number) => void)[] = [
  function flip(file, at) {
    const bytes = fs.readFileSync(file);
    const where = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
    if (where >= 0) bytes[where]! ^= 1;
    fs.writeFileSync(file, bytes);
  },
  function cut(file, at) {
    fs.truncateSync(file, Math.floor(fs.statSync(file).size * at));
  },
  function remove(file) {
    fs.rmSync(file);
  },
  function link(file) {
    fs.renameSync(file, `${file}.elsewhere`);
    fs.symlinkSync(`${file}.elsewhere`, file);
  },
  function rewrite(file) {
    fs.writeFileSync(file, fs.readFileSync(file));
  },
];

function filesBelow(folder: string): string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

/** Everything as it is now, to come back to. */
function keep(terminal: Terminal): { putBack(): void } {
  const { env, build } = terminal;
  terminal.env = { ...env };
  const files = new Map(
    filesBelow(terminal.folder).map((file) => [
      file,
      { bytes: fs.readFileSync(terminal.at(file)), mode: fs.statSync(terminal.at(file)).mode },
    ]),
  );
  return {
    putBack() {
      for (const name of fs.readdirSync(terminal.folder)) fs.rmSync(terminal.at(name), { recursive: true });
      for (const [file, { bytes, mode }] of files) {
        fs.mkdirSync(path.dirname(terminal.at(file)), { recursive: true, mode: 0o700 });
        fs.writeFileSync(terminal.at(file), bytes);
        fs.chmodSync(terminal.at(file), mode);
      }
      Object.assign(terminal, { env: { ...env }, build });
    },
  };
}

describe("every input counts", () => {
  const append = (file: string) => (terminal: Terminal) => fs.appendFileSync(terminal.at(file), " ");
  const changes: Record<string, (terminal: Terminal) => unknown> = {
    "a byte of the manifest": append("pack/stet.yaml"),
    "a byte of a template": append("pack/env"),
    "the execute bit of a text's template": (t) => fs.chmodSync(t.at("pack/notes.md"), 0o755),
    "a byte of an earlier release": append("pack/releases/1.0/env"),
    "an earlier release with a manifest": (t) =>
      t.write("pack/releases/1.0/stet.yaml", "name: zylos\nversion: 1.0.0\nfiles: []\n"),
    "a byte of a JSON target": append("home/.claude/settings.json"),
    "a byte of a text target": append("home/app/NOTES.md"),
    "a target that is gone": (t) => fs.rmSync(t.at("home/app/.env")),
    "a byte of the registry": append(`${state}/zylos/registry.json`),
    "a byte of another owner's registry": append(`${state}/other/registry.json`),
    "another owner": (t) => fs.mkdirSync(t.at(`${state}/third`)),
    "a pending journal": (t) => t.write(`${state}/journal.json`, "{}"),
    "who may write the state directory": (t) => fs.chmodSync(t.at(state), 0o777),
    "a byte of the user's policies": append("home/.config/stet/policy.yaml"),
    "a file that only-if asks for": (t) => t.write("home/.cursor/mcp.json", {}),
    "a folder that only-if asks for": (t) => fs.mkdirSync(t.at("home/.codex")),
    "a variable of the manifest": (t) => {
      t.env.TOOLS = "/usr/tools";
    },
    "a variable that is gone": (t) => {
      t.env.TOOLS = undefined;
    },
    "a variable in a command": (t) => {
      t.env.XDG_RUNTIME_DIR = "/run/user/7";
    },
    "a variable that a profile asks for": (t) => {
      t.env.CLAUDE_CONFIG_DIR = t.at("home/elsewhere");
    },
    "the home": (t) => {
      fs.cpSync(t.home, t.at("home2"), { recursive: true });
      t.env.HOME = t.at("home2");
    },
    "the configuration's home": (t) => {
      t.env.XDG_CONFIG_HOME = t.at("config");
    },
    "the state directory": (t) => {
      t.env.STET_STATE_DIR = t.at("state");
    },
    "another build": (t) => {
      t.build = "another build";
    },
    "a target that is a link by now": (t) => {
      fs.renameSync(t.at("home/app/.env"), t.at("home/moved.env"));
      fs.symlinkSync(t.at("home/moved.env"), t.at("home/app/.env"));
    },
    "a folder on the way that is a link by now": (t) => {
      fs.renameSync(t.at("home/app"), t.at("home/app2"));
      fs.symlinkSync("app2", t.at("home/app"));
    },
    "a pack that is a link by now": (t) => {
      fs.renameSync(t.at("pack"), t.at("pack2"));
      fs.symlinkSync("pack2", t.at("pack"));
    },
    "a script that is a link by now": (t) => {
      fs.renameSync(t.at("home/scripts/beat.js"), t.at("home/scripts/beat-2.js"));
      fs.symlinkSync("beat-2.js", t.at("home/scripts/beat.js"));
    },
    "a target that can't be read": (t) => {
      fs.rmSync(t.at("home/app/.env"));
      fs.mkdirSync(t.at("home/app/.env"));
    },
  };

  const indifferent: Record<string, (terminal: Terminal) => unknown> = {
    "a variable that nobody asks for": (t) => {
      t.env.LANG = "de_DE.UTF-8";
    },
    "a file beside": (t) => t.write("home/app/unrelated", "x"),
    "when files were touched": (t) => fs.utimesSync(t.at("pack/env"), 1, 1),
    "the same bytes again": (t) => t.write("pack/env", t.read("pack/env")),
  };
  it("is noticed, whichever it is, and nothing else is", async () => {
    const terminal = await unchangedWorld();
    const untouched = keep(terminal);
    for (const [what, change] of Object.entries(changes)) {
      change(terminal);
      expect(await askBoth(terminal, "plan", "pack"), what).toBe("left to the long way");
      untouched.putBack();
      expect(fastPath(terminal, ["plan", "pack"]), `without ${what}`).toBeDefined();
    }
    for (const [what, change] of Object.entries(indifferent)) {
      change(terminal);
      expect(await askBoth(terminal, "plan", "pack"), what).toBe("answered");
      untouched.putBack();
    }
  });

  it("never lets the fast path say what the long one would not, whatever happens to the files", async () => {
    const terminal = await unchangedWorld();
    const untouched = keep(terminal);
    const files = filesBelow(terminal.folder);
    const damage = fc.record({
      file: fc.constantFrom(...files),
      how: fc.constantFrom(...damages),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 2 }), async (done) => {
        for (const { file, how, at } of done)
          if (fs.lstatSync(terminal.at(file), { throwIfNoEntry: false })?.isFile()) how(terminal.at(file), at);
        if ((await askBoth(terminal, "plan", "pack", "--json")) === "answered") answered++;
        untouched.putBack();
      }),
      { numRuns: 60 },
    );
    // Some files are nobody's business: else this test would not have asked the long way once.
    expect(answered).toBeGreaterThan(0);
  });
});

describe("in a project", () => {
  let terminal: Terminal;
  beforeEach(async () => {
    terminal = new Terminal();
    terminal.build = "a build";
    terminal.write(
      "pack/stet.yaml",
      "name: crew\nversion: 1.0.0\nscope: project\nfiles:\n  - { target: .claude/agents/, template: agents/ }\n",
    );
    for (const name of ["a", "b", "c"]) terminal.write(`pack/agents/${name}.md`, `# ${name}\n`);
    for (const project of ["one", "two"]) {
      fs.mkdirSync(terminal.at(`${project}/.git`), { recursive: true });
      expect((await terminal.run("apply", "pack", "--project", project)).code).toBe(0);
    }
  });

  it("answers for each one of its own, from wherever it is asked", async () => {
    for (const argv of [
      ["plan", "pack", "--project", "one"],
      ["apply", "pack", "--project", "two", "--json"],
    ])
      expect(await askBoth(terminal, ...argv), argv.join(" ")).toBe("answered");
    const below = { cwd: terminal.at("one/.claude") };
    expect(fastPath(terminal, ["plan", "../../pack"], below)?.out).toContain("Nothing to change.");
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
    terminal.write("one/.claude/agents/a.md", "# mine\n");
    expect(await askBoth(terminal, "plan", "pack", "--project", "one")).toBe("left to the long way");
    expect(await askBoth(terminal, "plan", "pack", "--project", "two")).toBe("answered");
  });

  const changes: Record<string, (terminal: Terminal) => unknown> = {
    "a template more": (t) => t.write("pack/agents/d.md", "# d\n"),
    "records that Git brought": (t) => fs.appendFileSync(t.at("one/.stet/crew.json"), "\n"),
    "no records": (t) => fs.rmSync(t.at("one/.stet"), { recursive: true }),
    "a target that Git ignores by now": (t) => t.write("one/.gitignore", ".claude\n"),
    "an execute bit": (t) => fs.chmodSync(t.at("one/.claude/agents/b.md"), 0o755),
    "a folder that is a link by now": (t) => {
      fs.renameSync(t.at("one/.claude"), t.at("elsewhere"));
      fs.symlinkSync(t.at("elsewhere"), t.at("one/.claude"));
    },
    "another name of the project": (t) => {
      fs.renameSync(t.at("one"), t.at("two-and-more"));
      fs.symlinkSync(t.at("two-and-more"), t.at("one"));
    },
  };
  it.each(Object.entries(changes))("notices %s", async (_, change) => {
    change(terminal);
    expect(await askBoth(terminal, "plan", "pack", "--project", "one")).toBe("left to the long way");
  });

  it("is known again after settling, and gone after leaving", async () => {
    terminal.write("one/.claude/agents/a.md", "# mine\n");
    terminal.write("pack/agents/a.md", "# theirs\n");
    const asked = ["apply", "pack", "--project", "one"];
    await terminal.run(...asked);
    expect(await askBoth(terminal, ...asked)).toBe("answered");
    expect(fastPath(terminal, [...asked, "--strict"])).toMatchObject({ code: 3 });
    for (const settle of [
      ["resolve", "file:a.md", "--mine"],
      ["disown", "file:a.md"],
      ["adopt", "file:a.md"],
    ]) {
      expect((await terminal.run(...settle, "--project", "one")).code, settle.join(" ")).toBe(0);
      expect(await askBoth(terminal, ...asked), settle.join(" ")).toBe("answered");
    }
    await terminal.run("uninstall", "crew", "--project", "one");
    expect(await askBoth(terminal, ...asked)).toBe("left to the long way");
  });

  it("is asked by what the system says of ten times more files than can be compared", async () => {
    const many = Array.from({ length: 300 }, (_, i) => `pack/agents/${i % 3}/${i}.md`);
    for (const [i, name] of many.entries()) terminal.write(name, `# ${i}\n`.repeat(1000));
    const asked = ["apply", "pack", "--project", "one"];
    await terminal.run(...asked);
    expect(await askBoth(terminal, ...asked)).toBe("answered");
    terminal.write("one/.claude/agents/1/1.md", terminal.read("one/.claude/agents/1/1.md").replace("1", "2"));
    expect(await askBoth(terminal, ...asked)).toBe("left to the long way");
  });
});

describe("a fingerprint is believed only", () => {
  let terminal: Terminal;
  beforeEach(async () => {
    terminal = new Terminal();
    terminal.build = "a build";
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.run("apply", "pack");
    expect(fastPath(terminal, ["plan", "pack"])).toBeDefined();
  });

  it("when it is whole, at every length", () => {
    const whole = terminal.read(fingerprint);
    for (let length = 0; length < whole.length; length += 97) {
      fs.writeFileSync(terminal.at(fingerprint), whole.slice(0, length));
      expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
    }
  });

  it("when nobody else can have written it", () => {
    fs.chmodSync(terminal.at(fingerprint), 0o620);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it("by the user who wrote it", () => {
    expect(fastPath(terminal, ["plan", "pack"], { userId: process.geteuid!() + 1 })).toBeUndefined();
  });

  it("when it is no link", () => {
    fs.renameSync(terminal.at(fingerprint), terminal.at("elsewhere"));
    fs.symlinkSync(terminal.at("elsewhere"), terminal.at(fingerprint));
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it("under its own name", async () => {
    fs.mkdirSync(terminal.at("copy"));
    fs.cpSync(terminal.at(state), terminal.at("copy/stet"), { recursive: true });
    expect(fastPath(terminal, ["plan", "pack", "--state-dir", "copy/stet"])).toBeUndefined();
  });
});

describe("a run keeps no fingerprint", () => {
  it("of what is too much to plan twice", async () => {
    const terminal = new Terminal();
    terminal.build = "a build";
    terminal.write("home/app/config.json", { large: "x".repeat(1 << 20) });
    writePack(terminal, "1.0.0", { a: 1 });
    expect((await terminal.run("apply", "pack")).code).toBe(0);
    expect(terminal.exists(fingerprint)).toBe(false);
  });

  it("of a plan that would change something again", async () => {
    const terminal = new Terminal();
    terminal.build = "a build";
    writePack(terminal, "1.0.0", { a: 1, b: 1 });
    await terminal.run("apply", "pack");
    writePack(terminal, "1.1.0", { a: 1 });
    await terminal.run("apply", "pack", "--no-prune");
    expect(terminal.exists(fingerprint)).toBe(false);
  });

  it("where it can't be written, and ends well all the same", async () => {
    const terminal = new Terminal();
    terminal.build = "a build";
    writePack(terminal, "1.0.0", { a: 1 });
    fs.mkdirSync(path.dirname(terminal.at(fingerprint)), { recursive: true, mode: 0o700 });
    fs.mkdirSync(terminal.at(fingerprint));
    expect((await terminal.run("apply", "pack")).code).toBe(0);
    expect(fastPath(terminal, ["plan", "pack"])).toBeUndefined();
  });

  it("when it runs from its sources", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    await terminal.run("apply", "pack");
    expect(terminal.exists(fingerprint)).toBe(false);
  });
});
