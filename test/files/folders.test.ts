import fs from "node:fs";
import { expect, test } from "vitest";
import { inProject } from "../../src/engine/machine.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack } from "../../src/files/plan.ts";
import { DiskPack, there } from "./pack-on-disk.ts";
import { verdicts, World } from "./world.ts";

const agents = { target: "~/.claude/agents/", template: "agents/" };
const review = "# Review\n\nLook at it.\n\n\nSay what you think.\n";

function shipped(
  version: string,
  files: Record<string, string | Uint8Array | { text: string; mode: number }>,
  more: object = {},
) {
  const inFolder = Object.fromEntries(Object.entries(files).map(([name, text]) => [`agents/${name}`, text]));
  return [{ version, files: [{ ...agents, ...more }] }, inFolder] as const;
}

test("every file of a folder is an entry: created, updated, merged by line, kept, removed with its empty folders", async () => {
  const world = new World();
  world.write(".claude/agents/own.md", "mine\n");
  const pack = new DiskPack(world).ship(
    ...shipped("1", { "review.md": review, "a/b/deep.md": "deep\n", "run.sh": { text: "x\n", mode: 0o755 } }),
  );
  expect(verdicts(await pack.apply())).toEqual({
    "file:review.md": "create",
    "file:a/b/deep.md": "create",
    "file:run.sh": "create",
  });
  expect(there(world, ".claude/agents/a/b/deep.md")).toBe("644 deep\n");
  expect(there(world, ".claude/agents/run.sh")).toBe("755 x\n");
  world.edit(".claude/agents/review.md", "Say what you think.", "Say it kindly.");
  pack.ship(
    ...shipped("2", {
      "review.md": review.replace("Look at it.", "Read it twice."),
      "run.sh": { text: "y\n", mode: 0o755 },
    }),
  );
  expect(verdicts(await pack.apply())).toEqual({
    "file:review.md": "merge",
    "file:a/b/deep.md": "remove",
    "file:run.sh": "update",
  });
  expect(world.read(".claude/agents/review.md")).toBe("# Review\n\nRead it twice.\n\n\nSay it kindly.\n");
  expect(there(world, ".claude/agents/a")).toBe("nothing");
  expect((await pack.plan()).changed).toBe(0);
  pack.ship(...shipped("3", { "run.sh": { text: "y\n", mode: 0o755 } }));
  expect(verdicts(await pack.apply())).toMatchObject({ "file:review.md": "keep obsolete-modified" });
  await world.uninstall();
  expect(fs.readdirSync(world.at(".claude/agents")).sort()).toEqual(["own.md", "review.md"]);
});

test("a folder that we made goes with its last file, whichever release brought that", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "one.md": "1\n" }));
  await pack.apply();
  await pack.ship(...shipped("2", { "two.md": "2\n" })).apply();
  expect(there(world, ".claude/agents/one.md")).toBe("nothing");
  await world.uninstall();
  expect(there(world, ".claude")).toBe("nothing");
});

test.each([
  ["first", "second"],
  ["second", "first"],
])(
  "a folder that one owner made and another uses goes with the last file of both: %s leaves first",
  async (...order) => {
    const world = new World();
    for (const name of ["first", "second"])
      await world.apply({ name, version: "1", files: [{ target: `~/new/deep/${name}.json`, template: { a: 1 } }] });
    await world.uninstall(order[0]);
    expect(fs.readdirSync(world.at("new/deep"))).toEqual([`${order[1]}.json`]);
    await world.uninstall(order[1]);
    expect(there(world, "new")).toBe("nothing");
  },
);

test("a template that is a folder makes the target one, also without a slash", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(
    { version: "1", files: [{ target: "~/agents", template: "agents" }] },
    { "agents/a.md": "a\n" },
  );
  expect(verdicts(await pack.apply())).toEqual({ "file:a.md": "create" });
  expect(world.read("agents/a.md")).toBe("a\n");
});

test("include and exclude choose files by globs", async () => {
  const world = new World();
  const files = { "a.md": "a", "b.txt": "b", "drafts/c.md": "c", ".hidden.md": "h" };
  const pack = new DiskPack(world).ship(...shipped("1", files, { include: ["**/*.md"], exclude: ["drafts/**"] }));
  expect(verdicts(await pack.apply())).toEqual({ "file:a.md": "create", "file:.hidden.md": "create" });
  // What is no longer included is no longer wanted.
  pack.ship(...shipped("2", files, { include: ["*.md"], exclude: [".*"] }));
  expect(verdicts(await pack.apply())).toEqual({ "file:a.md": "unchanged", "file:.hidden.md": "remove" });
});

test("a file that was renamed with its content is moved, and the user's edits go along", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "review.md": review, "other.md": "other\n" }));
  await pack.apply();
  world.edit(".claude/agents/review.md", "Say what you think.", "Say it kindly.");
  pack.ship(...shipped("2", { "team/reviewer.md": review, "other.md": "other\n" }));
  expect((await pack.plan()).files.map(({ path, action }) => [path.slice(world.home.length), action])).toEqual([
    ["/.claude/agents/other.md", "none"],
    ["/.claude/agents/team/reviewer.md", "create"],
    ["/.claude/agents/review.md", "delete"],
  ]);
  expect(verdicts(await pack.apply())).toEqual({
    "file:team/reviewer.md": "move renamed",
    "file:other.md": "unchanged",
  });
  expect(there(world, ".claude/agents/review.md")).toBe("nothing");
  expect(world.read(".claude/agents/team/reviewer.md")).toContain("Say it kindly.");
  expect(verdicts(await pack.apply())).toMatchObject({ "file:team/reviewer.md": "keep user-modified" });
  // Both the name and the content: its record went along, so this is an update of the user's text.
  pack.ship(...shipped("3", { "team/reviewer.md": review.replace("Look at it.", "Read it."), "other.md": "other\n" }));
  expect(verdicts(await pack.apply())).toMatchObject({ "file:team/reviewer.md": "merge" });
  await world.rollback("zylos", 1);
  expect(world.read(".claude/agents/review.md")).toBe(review.replace("Say what you think.", "Say it kindly."));
  expect(there(world, ".claude/agents/team")).toBe("nothing");
});

test("a declared move finds a file that changed as well", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "review.md": review }));
  await pack.apply();
  world.edit(".claude/agents/review.md", "Say what you think.", "Say it kindly.");
  const [manifest, files] = shipped("2", { "check.md": review.replace("Look at it.", "Read it.") });
  pack.ship({ ...manifest, moved: [{ from: "file:review.md", to: "file:check.md" }] }, files);
  expect(verdicts(await pack.apply())).toEqual({ "file:check.md": "move renamed" });
  expect(world.read(".claude/agents/check.md")).toBe("# Review\n\nRead it.\n\n\nSay it kindly.\n");
  expect(there(world, ".claude/agents/review.md")).toBe("nothing");
});

test("two files with the same content are not mistaken for each other, and nothing of the user's is in the way of a rename", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "a.md": "same\n", "b.md": "same\n" }));
  await pack.apply();
  pack.ship(...shipped("2", { "c.md": "same\n", "d.md": "same\n" }));
  expect(verdicts(await pack.apply())).toEqual({
    "file:a.md": "remove",
    "file:b.md": "remove",
    "file:c.md": "create",
    "file:d.md": "create",
  });
  await pack.ship(...shipped("3", { "c.md": "same\n", "d.md": "different\n" })).apply();
  world.write(".claude/agents/e.md", "mine\n");
  pack.ship(...shipped("4", { "c.md": "same\n", "e.md": "different\n" }));
  expect(verdicts(await pack.apply())).toMatchObject({ "file:d.md": "remove", "file:e.md": "keep user-owned" });
  expect(world.read(".claude/agents/e.md")).toBe("mine\n");
});

test("a deleted file is restored, or respected where a policy says so", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "a.md": "a\n", "b.md": "b\n" }));
  const [manifest, files] = shipped("1", { "a.md": "a\n", "b.md": "b\n" });
  const policy = [{ match: "file:a.md", file: "~/.claude/agents/", "when-deleted": "respect" }];
  pack.ship({ ...manifest, policy }, files);
  await pack.apply();
  fs.rmSync(world.at(".claude/agents"), { recursive: true });
  expect(verdicts(await pack.apply())).toEqual({ "file:a.md": "keep user-deleted", "file:b.md": "restore" });
  expect(there(world, ".claude/agents/a.md")).toBe("nothing");
});

test("variables are substituted in texts, not in anything else", async () => {
  const world = new World();
  const [manifest, files] = shipped("1", {
    "a.md": "in ${PLACE}\n",
    "b.bin": Buffer.from([0xff, ...Buffer.from("${PLACE}")]),
  });
  const pack = new DiskPack(world).ship({ ...manifest, vars: { PLACE: "the kitchen" } }, files);
  await pack.apply();
  expect(world.read(".claude/agents/a.md")).toBe("in the kitchen\n");
  expect(fs.readFileSync(world.at(".claude/agents/b.bin")).subarray(1).toString()).toBe("${PLACE}");
});

test("a script keeps its ${HOME}, and gets the variables of the pack", async () => {
  const world = new World();
  const script = '#!/bin/sh\ncd "${HOME}/.config" && ls ${NAME} ${OTHER}\n';
  const [manifest, files] = shipped("1", { "look.sh": script, "look.md": "${HOME} ${NAME}\n" });
  await new DiskPack(world).ship({ ...manifest, vars: { NAME: "zylos" } }, files).apply();
  expect(world.read(".claude/agents/look.sh")).toBe('#!/bin/sh\ncd "${HOME}/.config" && ls zylos ${OTHER}\n');
  expect(world.read(".claude/agents/look.md")).toBe(`${world.home} zylos\n`);
});

test("a conflict of lines is shown, stays pending, and is settled for good", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "review.md": review }));
  await pack.apply();
  world.edit(".claude/agents/review.md", "Look at it.", "Look at it well.");
  pack.ship(...shipped("2", { "review.md": review.replace("Look at it.", "Read it.") }));
  expect(verdicts(await pack.apply())).toEqual({ "file:review.md": "conflict both-changed" });
  expect(world.read(".claude/agents/review.md")).toContain("Look at it well.");
  await world.resolve("file:review.md", "theirs");
  expect(world.read(".claude/agents/review.md")).toBe(review.replace("Look at it.", "Read it."));
  expect((await pack.plan()).changed).toBe(0);
});

test("a template outside the pack, and a folder that is a file, are refused", async () => {
  const world = new World();
  world.write("secret", "s");
  const pack = new DiskPack(world).ship(...shipped("1", { "a.md": "a\n" }));
  fs.symlinkSync(world.at("secret"), `${pack.folder}/agents/leak.md`);
  await expect(pack.apply()).rejects.toThrow(/lies outside the folder of the manifest/);
  pack.ship({ version: "1", files: [{ ...agents, template: "agents" }] }, { agents: "a file" });
  await expect(pack.apply()).rejects.toThrow(/its template is a file/);
});

test("a pack that is an object names the files of a folder by their paths", async () => {
  const world = new World();
  const manifest = {
    name: "zylos",
    version: "1",
    files: [{ target: "~/agents/", template: { "a.md": "a\n", "b/c.md": "c\n" } }],
  };
  expect(verdicts(await world.apply(manifest))).toEqual({ "file:a.md": "create", "file:b/c.md": "create" });
  expect(world.read("agents/b/c.md")).toBe("c\n");
});

test("an install from before there were records is taken over file by file, and what a release dropped goes", async () => {
  const world = new World();
  const old = { "review.md": review, "gone.md": "gone\n", "mine.md": "theirs\n" };
  for (const [name, text] of Object.entries(old)) world.write(`.claude/agents/${name}`, text);
  world.write(".claude/agents/mine.md", "mine\n");
  fs.chmodSync(world.at(".claude/agents/review.md"), 0o664);
  const [manifest, files] = shipped("2", { "review.md": review.replace("Look at it.", "Read it.") });
  const earlier = Object.fromEntries(Object.entries(old).map(([name, text]) => [`1.0/agents/${name}`, text]));
  const pack = new DiskPack(world).ship({ ...manifest, earlier: { "1.0.0": "1.0" } }, { ...files, ...earlier });
  expect(verdicts(await pack.apply())).toEqual({
    "file:review.md": "merge earlier-release",
    "file:gone.md": "remove earlier-release",
  });
  // The mode that it had is kept, and a file with other bytes is nobody's but the user's.
  expect(there(world, ".claude/agents/review.md")).toBe(`664 ${review.replace("Look at it.", "Read it.")}`);
  expect(fs.readdirSync(world.at(".claude/agents")).sort()).toEqual(["mine.md", "review.md"]);
  expect((await pack.plan()).changed).toBe(0);
});

test("in a project a mode is what Git keeps of it: a colleague's umask is nobody's edit, an execute bit is", async () => {
  const world = new World();
  fs.mkdirSync(world.at("project/.git"), { recursive: true });
  const machine = inProject(world.machine, world.at("project"));
  const pack = (version: string, text: string) => ({
    name: "zylos",
    version,
    scope: "project",
    files: [{ target: ".claude/agents/", template: { "a.md": text, "b.md": "b\n" } }],
  });
  const apply = async (manifest: object) => (await applyPack(readPack(machine.gate, manifest), machine)).document;
  await apply(pack("1", "a\n"));
  for (const name of ["a.md", "b.md"]) fs.chmodSync(world.at(`project/.claude/agents/${name}`), 0o664);
  expect((await apply(pack("1", "a\n"))).summary).toEqual({ unchanged: 2 });
  expect((await apply(pack("2", "A\n"))).summary).toEqual({ update: 1, unchanged: 1 });
  expect(there(world, "project/.claude/agents/a.md")).toBe("664 A\n");
  fs.chmodSync(world.at("project/.claude/agents/b.md"), 0o755);
  expect(verdicts(await apply(pack("2", "A\n")))).toMatchObject({ "file:b.md": "keep user-modified" });
});

test("what a pack's folder lists and nobody can read is refused by name, unless it is left out", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "one.md": "1\n" }));
  fs.symlinkSync("nowhere", `${pack.folder}/agents/link.md`);
  await expect(pack.apply()).rejects.toThrow("link.md: this link leads to nothing");
  pack.ship(...shipped("1", { "one.md": "1\n" }));
  fs.writeFileSync(Buffer.from(`${pack.folder}/agents/\xff.md`, "latin1"), "x");
  await expect(pack.apply()).rejects.toThrow("this name is not UTF-8");
  expect(there(world, ".claude")).toBe("nothing");
  pack.ship(...shipped("1", { "one.md": "1\n" }, { exclude: ["link.md"] }));
  fs.symlinkSync("nowhere", `${pack.folder}/agents/link.md`);
  expect(verdicts(await pack.apply())).toEqual({ "file:one.md": "create" });
});

test("a pattern is never negated: what is left out stands under exclude", async () => {
  const pack = new DiskPack(new World());
  for (const key of ["include", "exclude"])
    await expect(pack.ship(...shipped("1", { "a.md": "a\n" }, { [key]: ["*.md", "!b.md"] })).plan()).rejects.toThrow(
      "!b.md begins with !",
    );
  const some = pack.ship(...shipped("1", { "a.md": "a\n", "b.md": "b\n" }, { include: ["!(b).md"] }));
  expect(verdicts(await some.plan())).toEqual({ "file:a.md": "create" });
});

test("a file that becomes a folder, or a folder that becomes a file, is refused with the way to do it", async () => {
  const world = new World();
  const pack = new DiskPack(world).ship(...shipped("1", { "a.md": "a\n", "b/in.md": "in\n" }));
  await pack.apply();
  const inTheWay = /a folder on record where it now wants a file, or a file .* stet uninstall zylos .* apply it again/;
  for (const next of [{ "a.md/in.md": "in\n" }, { "a.md": "a\n", b: "b\n" }]) {
    pack.ship(...shipped("2", next));
    await expect(pack.apply()).rejects.toThrow(inTheWay);
  }
  expect(there(world, ".claude/agents/b/in.md")).toBe("644 in\n");
  await world.uninstall("zylos");
  await pack.apply();
  expect(there(world, ".claude/agents/b")).toBe("644 b\n");
});
