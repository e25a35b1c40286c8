import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { native } from "../../src/store/gate/native.ts";
import { Terminal } from "../cli/terminal.ts";

/** Whether this machine lets us mount one layer over another, as container tools do. */
function canOverlay(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const script =
    "mount -t tmpfs tmpfs /mnt && mkdir /mnt/l /mnt/u /mnt/w /mnt/m && mount -t overlay overlay -o lowerdir=/mnt/l,upperdir=/mnt/u,workdir=/mnt/w /mnt/m";
  return spawnSync("unshare", ["-m", "sh", "-c", script]).status === 0;
}

/** A home whose files lie in a lower layer, as a container image ships them. */
function imageHome(terminal: Terminal): void {
  const disk = terminal.at("disk");
  fs.mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", disk]);
  onTestFinished(() => void execFileSync("umount", ["-R", disk]));
  for (const name of ["lower/app", "upper", "work"]) fs.mkdirSync(path.join(disk, name), { recursive: true });
  for (const name of ["config.json", "noted.json"]) {
    const file = path.join(disk, "lower/app", name);
    fs.writeFileSync(file, '{ "mine": 1 }\n', { mode: 0o640 });
    if (name === "noted.json")
      withFile(file, "r+", (fd) => native().setAttrSync(fd, "user.note", Buffer.from("keep me")));
  }
  const layers = `lowerdir=${disk}/lower,upperdir=${disk}/upper,workdir=${disk}/work`;
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", layers, terminal.home]);
  onTestFinished(() => void execFileSync("umount", [terminal.home]));
}

function withFile<T>(file: string, flags: string, use: (fd: number) => T): T {
  const fd = fs.openSync(file, flags);
  try {
    return use(fd);
  } finally {
    fs.closeSync(fd);
  }
}

it.runIf(canOverlay())("files that a container image ships are edited, with their modes and attributes", async () => {
  const terminal = new Terminal();
  imageHome(terminal);
  const files = ["config.json", "noted.json"].map((name) => `{ target: ~/app/${name}, template: t.json }`);
  for (const version of [1, 2]) {
    terminal.write("pack/stet.yaml", `name: zylos\nversion: "${version}"\nfiles: [${files.join(", ")}]\n`);
    terminal.write("pack/t.json", { ours: version });
    expect(await terminal.run("apply", "pack")).toMatchObject({ code: 0, err: "" });
  }
  for (const name of ["config.json", "noted.json"]) {
    const file = terminal.at(`home/app/${name}`);
    expect([JSON.parse(fs.readFileSync(file, "utf8")), fs.statSync(file).mode & 0o777]).toEqual([
      { mine: 1, ours: 2 },
      0o640,
    ]);
  }
  const note = withFile(terminal.at("home/app/noted.json"), "r", (fd) => native().getAttrSync(fd, "user.note"));
  expect(note?.toString()).toBe("keep me");
  await terminal.ok("uninstall", "zylos");
  expect(terminal.read("home/app/noted.json")).toBe('{ "mine": 1 }\n');
});
