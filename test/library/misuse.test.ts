import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import * as stet from "../../src/index.ts";

function home(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-misuse-")));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const source = { name: "chime", version: "1.0.0", files: [{ target: "~/app.json", template: { volume: 3 } }] };

/** Calls that the compiler refuses, as a program without types makes them. */
// biome-ignore lint/suspicious/noExplicitAny: that is what such a program has.
const untyped = stet as any;

const noManifest = { name: "InputError", code: "invalid-manifest", message: expect.stringContaining("loadManifest") };
const noPlan = { name: "InputError", code: "invalid-plan", message: expect.stringContaining("savePlan()") };

it("a manifest that was not loaded is refused with what to do, wherever one is taken", async () => {
  const machine = { home: home() };
  const loaded = await stet.loadManifest(source);
  for (const wrong of [source, { ...loaded }, undefined, null, "./pack", JSON.parse(JSON.stringify(loaded))]) {
    await expect(untyped.plan(wrong)).rejects.toMatchObject(noManifest);
    await expect(untyped.plan(wrong, machine)).rejects.toMatchObject(noManifest);
    await expect(untyped.reconcile(wrong, machine)).rejects.toMatchObject(noManifest);
    await expect(untyped.modify(wrong, "~/app.json", undefined, machine)).rejects.toMatchObject(noManifest);
  }
  await expect(untyped.plan(stet.loadManifest(source), machine)).rejects.toThrow("await loadManifest(…)");
  await expect(untyped.check(source, { temporary: machine.home })).rejects.toMatchObject(noManifest);
  await expect(untyped.watch(source, { ...machine, signal: AbortSignal.abort() })).rejects.toMatchObject(noManifest);
  expect(fs.readdirSync(machine.home)).toEqual([]);
});

it("a copy of a plan, a parsed plan and a promise of one are refused with what to do; nothing is written", async () => {
  const machine = { home: home() };
  const plan = await stet.plan(await stet.loadManifest(source), machine);
  const parsed = JSON.parse(JSON.stringify(plan));
  for (const wrong of [{ ...plan }, parsed, source, undefined, JSON.stringify(plan)]) {
    await expect(untyped.apply(wrong)).rejects.toMatchObject(noPlan);
    expect(() => untyped.savePlan(wrong)).toThrow("pass the plan itself");
  }
  await expect(untyped.apply(stet.plan(await stet.loadManifest(source), machine))).rejects.toThrow("await plan(…)");
  expect(fs.readdirSync(machine.home)).toEqual([]);
  expect(await stet.apply(await stet.loadPlan(stet.savePlan(plan), machine))).toMatchObject({ changed: 1 });
});

it("without a home, or with one that is not absolute, it says what to pass", async () => {
  const manifest = await stet.loadManifest(source);
  const noHome = { code: "no-home", message: expect.stringContaining("thisMachine()") };
  for (const options of [undefined, {}, { home: "" }, { home: "here" }, { home: 5 }])
    await expect(untyped.plan(manifest, options)).rejects.toMatchObject(noHome);
});

it("a choice, a source, a folder or a text that is missing or misspelt is refused with what to pass", async () => {
  const machine = { home: home() };
  const manifest = await stet.loadManifest(source);
  await stet.reconcile(manifest, machine);
  const file = path.join(machine.home, "app.json");
  fs.writeFileSync(file, '{ "volume": 7 }');
  const usage = (text: string) => ({ name: "InputError", code: "usage", message: expect.stringContaining(text) });
  for (const wrong of ["their", "", undefined])
    await expect(untyped.resolve("setting:volume", wrong, machine)).rejects.toMatchObject(usage('"theirs"'));
  expect(await stet.resolve("setting:volume", "theirs", machine)).toMatchObject([{ changed: 1 }]);
  for (const wrong of [undefined, null, 5, () => source])
    await expect(untyped.loadManifest(wrong)).rejects.toMatchObject({ name: "InputError", code: "invalid-manifest" });
  for (const wrong of [undefined, {}])
    await expect(untyped.check(manifest, wrong)).rejects.toMatchObject(usage("temporary"));
  for (const wrong of [undefined, { kind: "List", items: [] }])
    for (const take of [untyped.discover, untyped.mergeToolset])
      await expect(take(wrong)).rejects.toMatchObject(usage("its items"));
  await expect(untyped.merge("{}", undefined, "{}")).rejects.toMatchObject(usage("three texts"));
  const noRepository = { name: "InputError", code: "no-repository", message: expect.stringContaining("repo") };
  await expect(untyped.evaluateHost("kadath", machine)).rejects.toMatchObject(noRepository);
  await expect(untyped.checkRepository(machine)).rejects.toMatchObject(noRepository);
});

it("an error has the code of its first diagnostic, and lists all of them", async () => {
  const wrong = { name: 5, version: 5 };
  const error = await untyped.loadManifest(wrong).catch((thrown: stet.InputError) => thrown);
  expect(error).toBeInstanceOf(stet.InputError);
  expect(error.code).toBe("invalid-manifest");
  expect(error.diagnostics).toHaveLength(2);
});

it("the platform is the machine's unless it is given", async () => {
  const files = [{ target: "~/app.json", template: { on: "${WHERE}" } }];
  const vars = { WHERE: { linux: "linux", darwin: "darwin", win32: "win32" } };
  const manifest = await stet.loadManifest({ name: "chime", version: "1.0.0", vars, files });
  const wanted = async (options: Partial<stet.MachineOptions>) =>
    (await stet.plan(manifest, { home: home(), ...options })).entries[0]!.desired;
  expect(await wanted({})).toBe(process.platform);
  expect(await wanted({ platform: "darwin" })).toBe("darwin");
});

it("a manifest comes from a path, a URL or what is like one, and an object", async () => {
  const folder = home();
  fs.writeFileSync(path.join(folder, "stet.yaml"), "name: chime\nversion: 1.0.0\n");
  const url = pathToFileURL(path.join(folder, "stet.yaml"));
  for (const each of [folder, path.join(folder, "stet.yaml"), url, { href: url.href, protocol: url.protocol }])
    expect(await stet.loadManifest(each)).toEqual({ name: "chime", version: "1.0.0", scope: "user" });
  expect(await stet.loadManifest({ name: "chime" }, { version: "2.0.0" })).toMatchObject({ version: "2.0.0" });
});

it("whatever else a program without types passes is an InputError, and nothing is written", async () => {
  const machine = { home: home() };
  const manifest = await stet.loadManifest(source);
  await stet.reconcile(manifest, machine);
  const before = fs.readdirSync(machine.home, { recursive: true });
  const folder = path.join(machine.home, "pack");
  const calls: Readonly<Record<string, (wrong: unknown) => unknown>> = {
    "loadManifest()": (wrong) => untyped.loadManifest(wrong),
    "plan(manifest, )": (wrong) => untyped.plan(manifest, wrong),
    "reconcile(manifest, )": (wrong) => untyped.reconcile(manifest, wrong),
    "loadPlan()": (wrong) => untyped.loadPlan(wrong, machine),
    "telemetryOf()": async (wrong) => untyped.telemetryOf(wrong),
    "watch(manifest, )": (wrong) => untyped.watch(manifest, wrong),
    "watch(manifest, { signal })": (signal) => untyped.watch(manifest, { ...machine, signal }),
    "status()": (wrong) => untyped.status(wrong),
    "blame()": (wrong) => untyped.blame(wrong, machine),
    "explain()": (wrong) => untyped.explain(wrong, machine),
    "explain(key, )": (wrong) => untyped.explain("setting:volume", wrong),
    "doctor()": (wrong) => untyped.doctor(wrong),
    "whoRuns()": (wrong) => untyped.whoRuns(wrong, machine),
    "history()": (wrong) => untyped.history(wrong, machine),
    "resolve()": (wrong) => untyped.resolve(wrong, "mine", machine),
    "resolve(key, choice, )": (wrong) => untyped.resolve("setting:volume", "mine", wrong),
    "adopt()": (wrong) => untyped.adopt(wrong, machine),
    "adopt([])": (wrong) => untyped.adopt([wrong], machine),
    "disown()": (wrong) => untyped.disown(wrong, machine),
    "disown([])": (wrong) => untyped.disown([wrong], machine),
    "disown(keys, )": (wrong) => untyped.disown(["setting:volume"], wrong),
    "rollback()": (wrong) => untyped.rollback(wrong, machine),
    "uninstall()": (wrong) => untyped.uninstall(wrong, machine),
    "init()": (wrong) => untyped.init(wrong, { ...machine, folder }),
    "init([])": (wrong) => untyped.init([wrong], { ...machine, folder }),
    "init(files, { folder })": (wrong) =>
      untyped.init([path.join(machine.home, "app.json")], { ...machine, folder: wrong }),
    "merge()": (wrong) => untyped.merge(wrong, wrong, wrong),
    "diff()": (wrong) => untyped.diff(wrong, "{}", machine),
    "diff(a, b, )": (wrong) => untyped.diff("a: 1", "a: 2", wrong),
    "modify(manifest, )": (wrong) => untyped.modify(manifest, wrong, undefined, machine),
    "modify(manifest, target, )": (wrong) => untyped.modify(manifest, "~/app.json", wrong ?? null, machine),
    "evaluateHost()": (wrong) => untyped.evaluateHost(wrong, { ...machine, repo: "test/host/fixture" }),
    "checkRepository()": (wrong) => untyped.checkRepository(wrong),
    "mergeToolset([], { configMap })": (wrong) => untyped.mergeToolset([], { configMap: wrong ?? null }),
    "main([], )": (wrong) => untyped.main(["--version"], wrong),
  };
  for (const [call, run] of Object.entries(calls))
    for (const wrong of [undefined, null, 5, {}, () => source]) {
      const ended = await Promise.resolve(run(wrong)).then(
        () => "nothing",
        (error) => (error instanceof stet.InputError ? "InputError" : error),
      );
      expect({ call, wrong, ended }).toEqual({ call, wrong, ended: "InputError" });
    }
  expect(fs.readdirSync(machine.home, { recursive: true })).toEqual(before);
});

it("a key in place of a list, a parsed text and a URL of the web are refused with what to pass", async () => {
  const machine = { home: home() };
  await expect(untyped.adopt("setting:volume", machine)).rejects.toThrow(
    '(or "all") are a list of texts, not a string',
  );
  await expect(untyped.loadPlan({}, machine)).rejects.toThrow("pass the text that savePlan() gave");
  await expect(stet.loadManifest(new URL("https://example.org/stet.yaml"))).rejects.toMatchObject({
    code: "invalid-manifest",
    message: expect.stringContaining("not the URL of a file"),
  });
  await expect(stet.history("../x", machine)).rejects.toMatchObject({ name: "InputError" });
});
