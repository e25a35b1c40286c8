import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { Box } from "../box.ts";

it("this is Windows", () => {
  expect([process.platform, path.sep]).toEqual(["win32", "\\"]);
});

it("state lies under %LOCALAPPDATA%, policies under %APPDATA%, and nothing under .local or .config", async () => {
  const box = new Box();
  const pack = box.pack("1.0.0", { "~/app/config.json": { theme: "dark", size: 1 } });
  fs.mkdirSync(path.join(box.env.APPDATA!, "stet"));
  fs.writeFileSync(
    path.join(box.env.APPDATA!, "stet", "policy.yaml"),
    '- { match: "setting:*", when-deleted: respect }\n',
  );
  await box.ok("apply", pack);
  expect(fs.readdirSync(box.stateDir)).toContain("zylos");
  expect(fs.readdirSync(box.home).sort()).toEqual(["AppData", "app"]);
  box.write(box.mine("app/config.json"), { size: 1 });
  const plan = await box.json("plan", pack);
  expect(plan.summary).toEqual({ keep: 1, unchanged: 1 });
  expect(plan.entries.find((entry: { key: string }) => entry.key === "setting:theme").reason).toBe("user-deleted");
});

it("what an older stet kept under .local is taken over", async () => {
  const box = new Box();
  const pack = box.pack("1.0.0", { "~/app/config.json": { theme: "dark" } });
  const former = path.join(box.home, ".local", "state", "stet");
  await box.ok("apply", pack, "--state-dir", former);
  expect(await box.ok("status")).toContain("zylos");
  expect([fs.existsSync(former), fs.existsSync(path.join(box.stateDir, "zylos", "registry.json"))]).toEqual([
    false,
    true,
  ]);
  expect((await box.json("apply", pack)).changed).toBe(0);
  await box.ok("uninstall", "zylos");
  expect(box.exists(box.mine("app"))).toBe(false);
});

it("a file elsewhere than in the home has one path in every report, and is rolled back and taken out there", async () => {
  const box = new Box();
  const target = box.at("data/a.json").replaceAll("\\", "/");
  const pack = (version: string, theme: string) => box.pack(version, { [target]: { theme } });
  const pathsOf = (document: { entries: { file: string }[]; files: { path: string }[] }) => [
    ...document.entries.map(({ file }) => file),
    ...document.files.map(({ path }) => path),
  ];
  const both = [box.at("data/a.json"), box.at("data/a.json")];
  expect(pathsOf(await box.json("apply", pack("1.0.0", "dark")))).toEqual(both);
  expect(pathsOf((await box.json("status")).owners[0])).toEqual(both);
  await box.ok("apply", pack("2.0.0", "light"));
  expect(pathsOf(await box.json("rollback", "zylos"))).toEqual(both);
  expect(JSON.parse(box.read("data/a.json"))).toEqual({ theme: "dark" });
  expect(pathsOf(await box.json("uninstall", "zylos"))).toEqual(both);
  expect(box.exists("data")).toBe(false);
});

it("a drive or a share that is not there is said to be so", async () => {
  const box = new Box();
  for (const target of ["//no-server/share/a.json", "Q:/data/a.json"]) {
    const { code, err } = await box.run("apply", box.pack("1.0.0", { [target]: { theme: "dark" } }));
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("there is no such drive or share") });
  }
});

it("with --home, state lies in that home", async () => {
  const box = new Box();
  const other = box.at("elsewhere");
  fs.mkdirSync(other);
  await box.ok("apply", box.pack("1.0.0", { "~/config.json": { theme: "dark" } }), "--home", other);
  expect(fs.existsSync(path.join(other, "AppData", "Local", "stet", "zylos"))).toBe(true);
  expect(fs.existsSync(box.stateDir)).toBe(false);
});

it("reports say ~, with one separator", async () => {
  const box = new Box();
  const pack = box.pack("1.0.0", { "~/app/config.json": { theme: "dark", node: "~/x.js" } });
  for (const argv of [
    ["plan", pack],
    ["apply", pack],
    ["status"],
    ["history"],
    ["blame", "~/app/config.json"],
    ["doctor"],
  ]) {
    const { out, err } = await box.run(...argv);
    expect({ argv, mixed: /~\\|Jörg/.exec(out + err)?.input }).toEqual({ argv, mixed: undefined });
  }
  expect(await box.ok("status")).toContain("~/app/config.json");
});
