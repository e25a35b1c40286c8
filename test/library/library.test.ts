import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import * as stet from "../../src/index.ts";

function home(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-library-")));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const release = (version: string, theme: string) =>
  stet.loadManifest({ name: "zylos", version, files: [{ target: "~/app.json", template: { theme, keep: 1 } }] });

it("a pack's whole life as functions: install, edit, upgrade, see, settle, undo, leave", async () => {
  const machine = { home: home() };
  const file = path.join(machine.home, "app.json");
  expect(await stet.reconcile(await release("1.0.0", "dark"), machine)).toMatchObject({ changed: 2, from: null });
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace("dark", "sepia"));

  const plan = await stet.plan(await release("2.0.0", "light"), machine);
  expect(JSON.parse(JSON.stringify(plan))).toMatchObject({ version: "2.0.0", summary: { conflict: 1, unchanged: 1 } });
  await stet.apply(plan);
  const [owner] = await stet.status(machine);
  expect(owner).toMatchObject({ name: "zylos", version: "2.0.0" });
  expect((await stet.blame(file, machine)).lines.map((line) => line.owner)).toContain("you-over-zylos");
  expect(await stet.explain("theme", machine)).toMatchObject([
    { wanted: "light", actual: "sepia", verdict: "conflict" },
  ]);
  expect(await stet.doctor(machine)).toMatchObject([{ code: "conflict", key: "setting:theme" }]);

  await stet.resolve("setting:theme", "theirs", machine);
  expect(JSON.parse(fs.readFileSync(file, "utf8")).theme).toBe("light");
  await stet.disown(["setting:keep"], machine);
  await stet.adopt(["setting:keep"], machine);
  expect((await stet.history("zylos", machine)).map(({ note }) => note)).toEqual([
    "apply",
    "apply",
    "resolve",
    "disown",
    "adopt",
  ]);
  await stet.rollback("zylos", { ...machine, to: 1 });
  expect(await stet.uninstall("zylos", machine)).toMatchObject({ name: "zylos" });
  expect(stet.telemetryOf(plan)).not.toHaveProperty("entries");
});

it("a plan made for files that have changed is refused when it must be applied exactly", async () => {
  const machine = { home: home() };
  const plan = await stet.plan(await release("1.0.0", "dark"), machine);
  fs.writeFileSync(path.join(machine.home, "app.json"), "{}\n");
  await expect(stet.apply(plan, { exactly: true })).rejects.toThrow(/out of date.*plan again/);
  expect(await stet.apply(plan)).toMatchObject({ changed: 2 });
});

it("a plan as a text, and back: applied to just what it saw, with its seal or not at all", async () => {
  const machine = { home: home() };
  const file = path.join(machine.home, "app.json");
  const text = stet.savePlan(await stet.plan(await release("1.0.0", "dark"), machine));
  await expect(stet.loadPlan(text.replaceAll("dark", "evil"), machine)).rejects.toThrow(
    "this plan was changed, or not made by you",
  );
  const loaded = await stet.loadPlan(text, machine);
  expect(loaded).toMatchObject({ version: "1.0.0", changed: 2 });
  fs.writeFileSync(file, "{}\n");
  await expect(stet.apply(loaded)).rejects.toThrow("this plan is out of date");
  fs.rmSync(file);
  await stet.apply(loaded);
  expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({ theme: "dark", keep: 1 });
});

it("init and check: from a file to a pack that is in order", async () => {
  const at = home();
  fs.writeFileSync(path.join(at, "app.json"), '{ "theme": "dark" }\n');
  const folder = path.join(at, "pack");
  const made = await stet.init([path.join(at, "app.json")], { home: at, folder });
  expect(made).toMatchObject({ name: "pack", files: [{ target: "~/app.json", template: "templates/app.json" }] });
  expect(await stet.check(folder, { temporary: at })).toMatchObject({ name: "pack", passed: true });
  expect(fs.readdirSync(at).sort()).toEqual(["app.json", "pack"]);
});

it("watch: until the signal", async () => {
  const machine = { home: home() };
  const stop = new AbortController();
  const kinds: string[] = [];
  const tell = (event: stet.WatchEvent) => {
    kinds.push(event.kind);
    if (event.kind === "watching") stop.abort();
  };
  await stet.watch(await release("1.0.0", "dark"), { ...machine, signal: stop.signal, tell });
  expect(kinds).toEqual(["applied", "watching", "stopped"]);
});

it("nothing prints, and nothing reads the process: another home in the environment changes nothing", async () => {
  const [machine, other] = [{ home: home() }, home()];
  const saved = process.env.HOME;
  process.env.HOME = other;
  onTestFinished(() => {
    process.env.HOME = saved;
  });
  await stet.reconcile(await release("1.0.0", "dark"), machine);
  expect(fs.readdirSync(other)).toEqual([]);
  expect(fs.readdirSync(machine.home).sort()).toEqual([".local", "app.json"]);
});

it("merges three texts without records", async () => {
  const result = await stet.merge('{"a":1}\n', '{"a":1,"m":1}\n', '{"a":2}\n');
  expect(result).toEqual({ kind: "merged", text: '{"a":2,"m":1}\n' });
  expect(
    await stet.merge("a: 1\n", "a: 2\n", "a: 3\n", { path: "x.yaml", markers: { theirs: "upstream" } }),
  ).toMatchObject({
    kind: "conflict",
    text: "<<<<<<< mine\na: 2\n=======\na: 3\n>>>>>>> upstream\n",
    conflicts: [{ path: ["a"], base: 1, mine: 2, theirs: 3 }],
  });
});

it("check tries a project's pack in a project", async () => {
  const files = [{ target: ".chime.json", template: { volume: 3 } }];
  const manifest = await stet.loadManifest({ name: "chime", version: "1.0.0", scope: "project", files });
  const report = await stet.check(manifest, { temporary: home() });
  expect(report.trials.flatMap(({ findings }) => findings)).toEqual([]);
  expect(report.passed).toBe(true);
});
