import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

const release = (version: string, template: string, vars: Record<string, string> = {}) => ({
  name: "zylos",
  version,
  vars,
  files: [{ target: "~/.env", template }],
});

const template = `export PATH="$HOME/bin:\${Z_HOME}/bin:$PATH"
BARE=a$Y
SINGLE='not $this'
WORDS=hello world
QUOTES="it's \\"so\\""
`;
const filled = template.replace("${Z_HOME}", "/opt/z");

describe("a dotenv entry is written as its template writes it: shells read more in quotes than a value", () => {
  it("in a new file, and beside what is there", async () => {
    const world = new World();
    await applyStable(world, release("1.0.0", template, { Z_HOME: "/opt/z" }));
    expect(world.read(".env")).toBe(filled);
    const other = new World();
    other.write(".env", "MINE=1\r\n");
    await applyStable(other, release("1.0.0", template, { Z_HOME: "/opt/z" }));
    expect(other.read(".env")).toBe(`MINE=1\r\n${filled.replaceAll("\n", "\r\n")}`);
    await other.uninstall();
    expect(other.read(".env")).toBe("MINE=1\r\n");
  });

  it("when the template changes, unless the user chose quotes that hold the new value", async () => {
    const world = new World();
    await applyStable(world, release("1.0.0", 'A="$X/1"\nB="$X/1"\nC=a$X\n'));
    world.edit(".env", 'B="$X/1"', "B='$X/1' # as it is");
    await applyStable(world, release("2.0.0", 'A="$X/2"\nB="$X/2"\nC=b$X\n'));
    expect(world.read(".env")).toBe("A=\"$X/2\"\nB='$X/2' # as it is\nC=b$X\n");
  });

  it("also going back, where only the record says what stood there", async () => {
    const world = new World();
    await applyStable(world, release("1.0.0", 'A="$X/1"\nC=a$X\n'));
    await applyStable(world, release("2.0.0", 'A="$X/2"\nC=b$X\n'));
    world.edit(".env", "C=b$X\n", "C=b$X\nMINE=1\n");
    await world.rollback();
    expect(world.read(".env")).toBe('A="$X/1"\nC=a$X\nMINE=1\n');
  });

  it("also where the line itself was gone", async () => {
    const world = new World();
    await applyStable(world, release("1.0.0", "export A=\"$X/1\"\nB='2'\nC=3\n"));
    await applyStable(world, release("2.0.0", "C=3\n"));
    world.edit(".env", "C=3\n", "C=3\nMINE=1\n");
    await world.rollback();
    expect(world.read(".env")).toBe("export A=\"$X/1\"\nB='2'\nC=3\nMINE=1\n");
    world.edit(".env", 'export A="$X/1"\n', "");
    await world.resolve("setting:A", "theirs");
    expect(world.read(".env")).toBe("export A=\"$X/1\"\nB='2'\nC=3\nMINE=1\n");
  });

  it("but never what a variable brings along, or what was no command before", async () => {
    const world = new World();
    await applyStable(world, release("1.0.0", 'A="${V}/$HOME"\nB="$HOME"\n', { V: "$(touch hacked)" }));
    expect(world.read(".env")).toBe("A='$(touch hacked)/$HOME'\nB=\"$HOME\"\n");
    const data = {
      name: "zylos",
      version: "2.0.0",
      files: [{ target: "~/.env", template: { A: "1", B: "$(touch hacked) `touch hacked`" } }],
    };
    await applyStable(world, data);
    execFileSync("bash", ["-c", "set -a; . ./.env"], { cwd: world.home });
    expect(world.exists("hacked")).toBe(false);
    expect(world.read(".env")).toContain("B='$(touch hacked) `touch hacked`'");
  });
});
