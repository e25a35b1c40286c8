import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack } from "../../src/files/plan.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { Terminal } from "../cli/terminal.ts";
import { World } from "../files/world.ts";
import { expectRefusal } from "./refusal.ts";

const pack = { name: "zylos", version: "1", files: [{ target: "~/app/config.json", template: { a: 1 } }] };

/** Applies through a disk on which somebody acts at the worst moment. */
function applyThrough(world: World, gate: Gate) {
  return applyPack(readPack(gate, pack), { ...world.machine, gate }, {});
}

describe("links that are swapped while we work", () => {
  function laidOut(): World {
    const world = new World();
    world.write("mine.json", '{ "mine": 1 }\n');
    world.write("victim.json", '{ "victim": 1 }\n');
    fs.mkdirSync(world.at("app"));
    fs.symlinkSync("../mine.json", world.at("app/config.json"));
    return world;
  }

  it("after the last look but one: what the link leads to by then is planned anew, never written blindly", async () => {
    const world = laidOut();
    const { gate } = world.machine;
    let swapped = 0;
    await applyThrough(world, {
      ...gate,
      createFile: (file, bytes, attributes) => {
        if (path.dirname(file) === world.home && swapped++ === 0) {
          fs.rmSync(world.at("app/config.json"));
          fs.symlinkSync("../victim.json", world.at("app/config.json"));
        }
        gate.createFile(file, bytes, attributes);
      },
    });
    expect(swapped).toBeGreaterThan(0);
    expect(world.read("mine.json")).toBe('{ "mine": 1 }\n');
    expect(world.json("victim.json")).toEqual({ victim: 1, a: 1 });
    expect(fs.readdirSync(world.home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("a folder that becomes a link at the moment of the exchange: nothing is written behind it", async () => {
    const world = new World();
    world.write("app/config.json", '{ "mine": 1 }\n');
    world.write("elsewhere/config.json", '{ "victim": 1 }\n');
    const { gate } = world.machine;
    let swapped = false;
    const applied = applyThrough(world, {
      ...gate,
      exchange: (one, other) => {
        if (other === world.at("app/config.json") && !swapped) {
          swapped = true;
          fs.renameSync(world.at("app"), world.at("moved"));
          fs.symlinkSync("elsewhere", world.at("app"));
        }
        return gate.exchange(one, other);
      },
    });
    await expect(applied).rejects.toThrow(/app\/config\.json/);
    expect(swapped).toBe(true);
    expect(world.read("elsewhere/config.json")).toBe('{ "victim": 1 }\n');
    expect(world.read("moved/config.json")).toBe('{ "mine": 1 }\n');
  });
});

describe("a target that is not the user's to write", () => {
  function withBlock(): Terminal {
    const terminal = new Terminal();
    terminal.write(
      "pack/stet.yaml",
      'name: zylos\nversion: "1"\nfiles: [{ target: ~/app/notes, template: notes, strategy: block }]\n',
    );
    terminal.write("pack/notes", "managed\n");
    fs.mkdirSync(terminal.at("home/app"));
    return terminal;
  }

  it.each(["/dev/null", "/dev/zero", "/proc/self/mem"])(
    "a link to %s is refused without opening it",
    async (device) => {
      const terminal = withBlock();
      fs.symlinkSync(device, terminal.at("home/app/notes"));
      const line = device.startsWith("/dev") ? /home\/app\/notes: it is a device/ : /home\/app\/notes: /;
      await expectRefusal(terminal, line, ["plan", "pack"], ["apply", "pack"]);
    },
  );

  it("a link to a file of another user is refused, and that file stays", async () => {
    const terminal = withBlock();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-other-user-"));
    onTestFinished(() => fs.rmSync(folder, { recursive: true }));
    fs.chmodSync(folder, 0o755);
    const victim = process.geteuid!() === 0 ? path.join(folder, "victim") : "/etc/passwd";
    if (process.geteuid!() === 0) fs.writeFileSync(victim, "theirs\n", { mode: 0o644 });
    const before = fs.readFileSync(victim, "utf8");
    fs.symlinkSync(victim, terminal.at("home/app/notes"));
    const { code, out, err } = await terminal.runAsOrdinaryUser("apply", "pack");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^stet: [^\n]*home\/app\/notes: [^\n]*you may not write it[^\n]*\n$/);
    expect(fs.readFileSync(victim, "utf8")).toBe(before);
    expect(fs.readdirSync(terminal.at("home/app"))).toEqual(["notes"]);
  });
});

describe("a state directory that others could have prepared", () => {
  it("is refused where everyone may write into it", async () => {
    const terminal = withPlainPack();
    fs.mkdirSync(terminal.at("home/state"));
    fs.chmodSync(terminal.at("home/state"), 0o777);
    const { code, err } = await terminal.run("apply", "pack", "--state-dir", terminal.at("home/state"));
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^stet: [^\n]*may be written by everyone[^\n]*\n$/),
    });
    expect(fs.readdirSync(terminal.at("home/state"))).toEqual([]);
  });

  function withPlainPack(): Terminal {
    const terminal = new Terminal();
    terminal.write(
      "pack/stet.yaml",
      'name: zylos\nversion: "1"\nfiles: [{ target: ~/app/config.json, template: t.json }]\n',
    );
    terminal.write("pack/t.json", { token: "s3cret-value-of-a-token" });
    return terminal;
  }

  it("and what we keep there, and saved plans, are for our eyes only", async () => {
    const terminal = withPlainPack();
    terminal.write("home/app/config.json", { mine: 1 });
    fs.chmodSync(terminal.at("home/app/config.json"), 0o644);
    await terminal.run("plan", "pack", "--out", "saved.plan");
    await terminal.run("apply", "pack");
    const state = terminal.at("home/.local/state/stet");
    const modes = fs.readdirSync(state, { recursive: true, withFileTypes: true }).map((entry) => {
      const mode = fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o777;
      return [entry.isDirectory() ? "folder" : "file", mode.toString(8)].join(" ");
    });
    expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
    expect(fs.statSync(state).mode & 0o777).toBe(0o700);
    expect(fs.statSync(terminal.at("saved.plan")).mode & 0o777).toBe(0o600);
    const said = await Promise.all(
      [
        ["status", "-v"],
        ["explain", "setting:token"],
        ["blame", "home/app/config.json"],
        ["plan", "pack", "--diff", "-v", "--json"],
      ].map((argv) => terminal.run(...argv)),
    );
    for (const { out, err } of said) expect(out + err).not.toContain("s3cret-value");
  });
});
