import { execFileSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { maxFileBytes } from "../../src/store/gate/disk-reader.ts";
import { Terminal } from "../cli/terminal.ts";
import { expectRefusal } from "./refusal.ts";

const both = [
  ["plan", "pack"],
  ["apply", "pack"],
];
const isRoot = process.geteuid!() === 0;
const other = 12345;

/** A pack that writes a block into `~/app/notes`, or entries into `~/app/<name>`. */
function prepared(name = "notes"): Terminal {
  const terminal = new Terminal();
  const strategy = name === "notes" ? ", strategy: block" : "";
  terminal.write(
    "pack/stet.yaml",
    `name: zylos\nversion: "1"\nfiles: [{ target: ~/app/${name}, template: ${name}${strategy} }]\n`,
  );
  terminal.write(`pack/${name}`, name.endsWith(".json") ? '{ "a": 1 }\n' : "managed\n");
  fs.mkdirSync(terminal.at("home/app"));
  // As a run before has left it: what is refused leaves no trace.
  fs.mkdirSync(terminal.at("home/.local/state/stet"), { recursive: true, mode: 0o700 });
  fs.writeFileSync(terminal.at("home/.local/state/stet/lock"), "", { mode: 0o600 });
  return terminal;
}

describe("a target that is no file is refused without waiting for it or opening it", () => {
  it("a FIFO, a socket and a folder, also by way of a link", async () => {
    for (const linked of [false, true]) {
      const kinds: [RegExp, (place: string) => unknown][] = [
        [/it is a FIFO/, (place) => execFileSync("mkfifo", [place])],
        [/it is a folder/, (place) => fs.mkdirSync(place)],
        [/it is a socket/, (place) => listening(place)],
      ];
      for (const [line, make] of kinds) {
        const terminal = prepared();
        const place = terminal.at(linked ? "home/thing" : "home/app/notes");
        await make(place);
        if (linked) fs.symlinkSync("../thing", terminal.at("home/app/notes"));
        await expectRefusal(terminal, line, ...both);
      }
    }
  });

  async function listening(place: string): Promise<void> {
    const server = net.createServer();
    await new Promise<void>((done) => server.listen(place, done));
    onTestFinished(() => void server.close());
  }

  it.each(["/proc/self/pagemap", "/proc/self/environ", "/proc/self/mem", "/proc/version"])(
    "a link to %s",
    async (place) => {
      const terminal = prepared();
      fs.symlinkSync(place, terminal.at("home/app/notes"));
      await expectRefusal(terminal, /home\/app\/notes:/, ["apply", "pack"]);
    },
  );
});

describe("a target too large to be configuration", () => {
  it.each([maxFileBytes + 1, 10 * 1024 ** 3])(
    "a sparse file of %d bytes is refused before it is read",
    async (size) => {
      const terminal = prepared();
      fs.writeFileSync(terminal.at("home/app/notes"), "");
      fs.truncateSync(terminal.at("home/app/notes"), size);
      for (const argv of both) {
        const { code, out, err } = await terminal.run(...argv);
        expect({ code, out, err }).toEqual({
          code: 1,
          out: "",
          err: expect.stringMatching(/^stet: [^\n]*notes: it is larger than 128 MiB[^\n]*\n$/),
        });
      }
      expect(fs.statSync(terminal.at("home/app/notes")).size).toBe(size);
    },
  );
});

describe("what is the same file under another name", () => {
  it("a hard link is refused, and its names stay one file", async () => {
    const terminal = prepared();
    terminal.write("home/precious", "mine\n");
    fs.linkSync(terminal.at("home/precious"), terminal.at("home/app/notes"));
    await expectRefusal(terminal, /it has 2 names \(hard links\)/, ["apply", "pack"]);
    expect(fs.statSync(terminal.at("home/precious")).ino).toBe(fs.statSync(terminal.at("home/app/notes")).ino);
  });

  it("two targets that links lead to one file are refused", async () => {
    const terminal = prepared();
    terminal.write(
      "pack/stet.yaml",
      'name: zylos\nversion: "1"\nfiles:\n  - { target: ~/app/notes, template: notes, strategy: block }\n  - { target: ~/same, template: notes, strategy: block }\n',
    );
    fs.symlinkSync("app/notes", terminal.at("home/same"));
    await expectRefusal(terminal, /same/, ...both);
  });
});

describe("a folder that others wrote into", () => {
  it.runIf(isRoot)("a link that its owner planted for root leads root to nothing of root's", async () => {
    for (const plant of [
      (terminal: Terminal, victim: string) => fs.symlinkSync(victim, terminal.at("home/app/notes")),
      (terminal: Terminal, victim: string) => {
        fs.rmdirSync(terminal.at("home/app"));
        fs.symlinkSync(path.dirname(victim), terminal.at("home/app"));
      },
      (terminal: Terminal, victim: string) =>
        fs.symlinkSync(`${path.dirname(victim)}/new`, terminal.at("home/app/notes")),
    ]) {
      const terminal = prepared();
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-root-"));
      onTestFinished(() => fs.rmSync(folder, { recursive: true }));
      const victim = path.join(folder, "notes");
      fs.writeFileSync(victim, "root's\n");
      plant(terminal, victim);
      give(terminal, other);
      const { code, out, err } = await terminal.run("apply", "pack", "--state-dir", path.join(folder, "state"));
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(
        /^stet: [^\n]*notes: user 12345 made the link [^\n]*, which leads to [^\n]*, which is not theirs[^\n]*\n$/,
      );
      expect(fs.readFileSync(victim, "utf8")).toBe("root's\n");
      expect(fs.readdirSync(folder)).toEqual(["notes"]);
    }
  });

  it.runIf(isRoot)("nor does one where stet is told to put what it makes", async () => {
    const terminal = prepared();
    terminal.write("repo/services/web/quadlet/web.container", "[Container]\nImage=x.org/web:1\n");
    terminal.write("repo/hosts/box/host.yaml", "host: box\nservices: [web]\n");
    terminal.write("home/mine.json", { a: 1 });
    fs.mkdirSync(terminal.at("roots"));
    fs.mkdirSync(terminal.at("shared"));
    fs.symlinkSync("../roots", terminal.at("shared/made"));
    fs.symlinkSync("../roots/new", terminal.at("shared/rbac.yaml"));
    for (const link of ["made", "rbac.yaml"]) fs.lchownSync(terminal.at(`shared/${link}`), other, other);
    for (const argv of [
      ["host", "evaluate", "--repo", "repo", "--host", "box", "--output-dir", "shared/made"],
      ["toolset", "manifests", "--output-dir", "shared/made"],
      ["toolset", "manifests", "--output-dir", "shared"],
      ["init", "home/mine.json", "--dir", "shared/made"],
      ["plan", "pack", "--out", "shared/made/plan"],
    ])
      await expectRefusal(terminal, /user 12345 made the link [^\n]*, which leads to/, argv);
    expect([fs.readdirSync(terminal.at("roots")), fs.readdirSync(terminal.at("shared")).sort()]).toEqual([
      [],
      ["made", "rbac.yaml"],
    ]);
  });

  it.runIf(isRoot)(
    "a link of theirs to a file of theirs is not followed by root either: it could lead elsewhere in the next moment",
    async () => {
      const terminal = prepared();
      terminal.write("home/mine", "mine\n");
      fs.symlinkSync("../mine", terminal.at("home/app/notes"));
      give(terminal, other);
      const line = /notes: user 12345 made the link \S+ on the way to it, [^\n]*root follows no link of another user/;
      for (const command of ["plan", "apply"])
        await expectRefusal(terminal, line, [command, "pack", "--state-dir", terminal.at("state")]);
      expect(terminal.read("home/mine")).toBe("mine\n");
    },
  );

  it.runIf(isRoot)("a link of theirs to a file of root's is not even read", async () => {
    const terminal = prepared();
    terminal.write("secret", "root's own\n");
    fs.symlinkSync("../../secret", terminal.at("home/app/notes"));
    fs.lchownSync(terminal.at("home/app/notes"), other, other);
    await expectRefusal(terminal, /user 12345 made the link/, ["plan", "pack", "--diff"], ["apply", "pack"]);
  });

  it.runIf(isRoot)("a link of theirs on the way to the state directory", async () => {
    const terminal = prepared();
    for (const stands of [true, false]) {
      const name = stands ? "states" : "elsewhere";
      if (stands) fs.mkdirSync(terminal.at(name), { mode: 0o700 });
      fs.symlinkSync(name, terminal.at(`link-${name}`));
      fs.lchownSync(terminal.at(`link-${name}`), other, other);
      for (const command of ["plan", "apply"])
        await expectRefusal(terminal, /user 12345 made the link/, [
          command,
          "pack",
          "--state-dir",
          terminal.at(`link-${name}/stet`),
        ]);
      expect(fs.existsSync(terminal.at(`${name}/stet`))).toBe(false);
    }
  });

  it.runIf(isRoot)("a state directory of the user's is not root's to believe", async () => {
    const terminal = prepared();
    give(terminal, other);
    await expectRefusal(terminal, /state directory belongs to user 12345, but stet runs as user 0/, ["apply", "pack"]);
  });

  function give(terminal: Terminal, user: number): void {
    for (const file of ["", ...(fs.readdirSync(terminal.home, { recursive: true }) as string[])])
      fs.lchownSync(path.join(terminal.home, file), user, user);
  }

  it("one that may not be read or searched", async () => {
    const terminal = prepared();
    terminal.write("home/app/notes", "mine\n");
    for (const mode of [0o000, 0o400]) {
      fs.chmodSync(terminal.at("home/app"), mode);
      const { code, out, err } = await terminal.runAsOrdinaryUser("apply", "pack");
      fs.chmodSync(terminal.at("home/app"), 0o700);
      expect({ code, out, err }).toEqual({
        code: 1,
        out: "",
        err: expect.stringMatching(/^stet: [^\n]*permission denied[^\n]*\n$/),
      });
      expect(terminal.read("home/app/notes")).toBe("mine\n");
    }
  });
});

describe("names that every object has, as names of files and owners", () => {
  it.each(["x.constructor", "x.__proto__", "constructor", "__proto__"])("a target called %s", async (name) => {
    const terminal = prepared(name);
    expect(await terminal.run("apply", "pack")).toMatchObject({ code: 0, err: "" });
    expect(terminal.read(`home/app/${name}`)).toBe("managed\n");
    expect(await terminal.run("uninstall", "zylos")).toMatchObject({ code: 0, err: "" });
    expect(terminal.exists(`home/app/${name}`)).toBe(false);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])("an owner called %s", async (name) => {
    const terminal = prepared("a.json");
    terminal.write(
      "pack/stet.yaml",
      `name: ${name}\nversion: "1"\nfiles: [{ target: ~/app/a.json, template: a.json }]\n`,
    );
    expect(await terminal.run("apply", "pack")).toMatchObject({ code: 0, err: "" });
    expect(await terminal.json("status", name)).toMatchObject({ owners: [{ name }] });
    expect(await terminal.run("rollback", name)).toMatchObject({ code: 0, err: "" });
    expect(terminal.exists("home/app/a.json")).toBe(false);
  });
});
