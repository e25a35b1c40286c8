import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hostHistory } from "../../src/host/history.ts";
import { readHostRecords } from "../../src/host/observe.ts";
import { planHostRollback, rollBack } from "../../src/host/reconcile.ts";
import { pauseHost, resumeHost } from "../../src/host/registry.ts";
import { takeOver } from "../../src/host/target.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { applied, Box } from "./box.ts";
import { stetHost } from "./cli.ts";
import { GitRepository, webFiles } from "./git-repository.ts";
import { container, webOnBox } from "./repository.ts";

const quadlet = "/etc/containers/systemd";
let box: Box;
beforeEach(() => {
  box = new Box();
});
afterEach(() => box.remove());
const at = (time: string) => {
  box.target = { ...box.target, now: () => new Date(`2026-11-15T${time}Z`) };
};

describe("a pause", () => {
  const two = { "services/web/quadlet/other.container": container };
  beforeEach(async () => {
    await box.apply(webOnBox(two));
    box.asked.length = 0;
  });

  test("of the whole host: nothing is changed, started or undone, and it is said; then everything is", async () => {
    await pauseHost(box.target, undefined, undefined);
    box.write(`${quadlet}/web.container`, "by hand");
    box.states.set("other.service", { active: "failed" });
    const before = box.fingerprint();
    const changed = webOnBox({ "services/web/quadlet/other.container": `${container}User=1\n` });
    const { plan, failed } = applied(await box.apply(changed, { version: "v2" }));
    expect(plan.document).toMatchObject({ changed: 0, actions: [], paused: [{ unit: null, until: null }] });
    expect(plan.document.waiting, "what was edited by hand is no deployment").toEqual([
      box.at(`${quadlet}/other.container`),
    ]);
    expect(plan.document.diagnostics).toMatchObject([{ code: "paused" }]);
    expect(failed).toEqual([]);
    expect(box.fingerprint()).toBe(before);
    expect((await box.status()).paused).toEqual([{ unit: null, until: null }]);
    await resumeHost(box.target, undefined);
    await box.apply(changed, { version: "v2" });
    expect(box.asked).toEqual([
      "reset-failed other.service",
      "daemon-reload",
      "restart other.service",
      "restart web.service",
    ]);
  });

  test("of one unit: its files and its state are the person's, the others are kept", async () => {
    expect(await pauseHost(box.target, "web", undefined)).toEqual([{ unit: "web.service", until: null }]);
    const later = webOnBox({ ...two, "services/web/quadlet/web.container": `${container}User=1\n` });
    expect(applied(await box.apply(later, { version: "v2" })).plan.document.waiting).toEqual([
      box.at(`${quadlet}/web.container`),
    ]);
    box.asked.length = 0;
    box.write(`${quadlet}/web.container`, "by hand");
    box.write(`${quadlet}/other.container`, "by hand");
    box.states.set("web.service", { active: "inactive", sub: "dead" });
    await box.apply(webOnBox(two));
    expect(box.read(`${quadlet}/web.container`)).toBe("by hand");
    expect(box.read(`${quadlet}/other.container`)).toBe(container);
    expect(box.asked).toEqual(["daemon-reload", "restart other.service"]);
    const before = box.fingerprint();
    await box.apply(webOnBox(two));
    expect(box.fingerprint()).toBe(before);
    await resumeHost(box.target, "web.container");
    box.asked.length = 0;
    await box.apply(webOnBox(two));
    expect(box.read(`${quadlet}/web.container`)).toBe(container);
    expect(box.asked).toEqual(["daemon-reload", "restart web.service"]);
  });

  test("ends by itself when its time is over", async () => {
    await pauseHost(box.target, "other.service", 3_600_000);
    box.states.set("other.service", { active: "failed" });
    expect(await box.actions(webOnBox(two))).toEqual([]);
    at("12:59:59");
    expect(await box.actions(webOnBox(two))).toEqual([]);
    at("13:00:00");
    expect(await box.actions(webOnBox(two))).toEqual(["start other.service"]);
    expect((await box.status()).paused).toEqual([]);
  });

  test("of a unit that is not here is an error that names those that are", async () => {
    await expect(pauseHost(box.target, "nope", undefined)).rejects.toThrow(
      /no unit nope; it has other.container, web.container/,
    );
  });
});

describe("history and going back", () => {
  test("every generation with its commit, what it did, and which one runs or is held", async () => {
    await box.apply(webOnBox(), { version: "v1" });
    await box.apply(webOnBox({ "services/web/config/etc/web/a": "1" }), { version: "v2" });
    await box.rollBack();
    const { generations } = hostHistory(box.target, readHostRecords(box.target));
    expect(generations.map(({ number, command, rev, held, running }) => [number, command, rev, held, running])).toEqual(
      [
        [1, "apply", "v1", false, true],
        [2, "apply", "v2", true, false],
        [3, "rollback", "v1", false, true],
      ],
    );
    expect(generations[2]?.files).toEqual([{ path: box.at("/etc/web/a"), action: "delete" }]);
  });

  test("--dry-run shows what going back would change, and writes nothing", async () => {
    await box.apply(webOnBox(), { version: "v1" });
    await box.apply(webOnBox({ "services/web/config/etc/web/a": "1" }), { version: "v2" });
    const before = box.fingerprint();
    const planned = await planHostRollback(box.target, box.effects(true), { to: undefined, allowEmpty: false });
    expect(planned).toMatchObject({
      kind: "planned",
      plan: { document: { version: "v1", summary: { remove: 1, unchanged: 1 } } },
    });
    expect(box.fingerprint()).toBe(before);
  });

  test("the first commit is not rolled back into an empty machine unless asked twice", async () => {
    await box.apply(webOnBox(), { version: "v1" });
    const going = { to: undefined, allowEmpty: false };
    await expect(rollBack(box.target, box.effects(true), going)).rejects.toThrow(/--yes/);
    expect(box.exists(`${quadlet}/web.container`)).toBe(true);
    await rollBack(box.target, box.effects(true), { ...going, allowEmpty: true });
    expect(box.tree()).toEqual({});
  });
});

test("--json is one document for every command, refusals included", async () => {
  const env = { HOME: box.folder, STET_STATE_DIR: join(box.folder, "state"), PATH: process.env.PATH };
  const root = ["--root", box.root, "--json"];
  mkdirSync(join(box.folder, "empty"));
  const repo = ["--repo", join(box.folder, "empty"), "--host", "box"];
  const calls = [
    ["plan", ...repo, ...root],
    ["apply", ...repo, ...root],
    ["watch", "--once", ...repo, ...root],
    ["check", ...repo, "--json"],
    ["evaluate", ...repo, "--json"],
    ["status", ...root],
    ["history", ...root],
  ];
  for (const args of calls) {
    const { out } = await stetHost(args, env);
    expect(() => JSON.parse(out), `${args[0]}: ${out}`).not.toThrow();
    if (args[0] === "plan" || args[0] === "apply")
      expect(JSON.parse(out)).toMatchObject({ format_version: 1, changed: 0, entries: [], diagnostics: [{}] });
  }
});

test("records that lay elsewhere are taken over, and only where there are none yet", async () => {
  await box.apply(webOnBox());
  const [former, place] = [join(box.folder, "former"), join(box.folder, "place")];
  mkdirSync(join(former, "system"), { recursive: true, mode: 0o700 });
  writeFileSync(join(former, "system/registry.json"), "{}");
  await takeOver(diskGate(process.platform), former, place);
  expect(existsSync(join(place, "system/registry.json"))).toBe(true);
  expect(existsSync(join(former, "system"))).toBe(false);
  mkdirSync(join(former, "system"), { mode: 0o700 });
  await takeOver(diskGate(process.platform), former, place);
  expect(existsSync(join(former, "system"))).toBe(true);
});

test("status --exit-code looks for a newer commit in the repository that was applied last; --offline does not", async () => {
  const repository = new GitRepository();
  try {
    repository.commit(webFiles);
    const env = { HOME: box.folder, STET_STATE_DIR: join(box.folder, "state"), PATH: process.env.PATH };
    const root = ["--root", box.root];
    const repo = ["--repo", repository.url, "--host", "box"];
    expect(await stetHost(["apply", ...repo, ...root], env)).toMatchObject({ code: 0 });
    expect(await stetHost(["status", "--exit-code", ...root], env)).toMatchObject({ code: 0 });
    const newer = repository.commit({ "services/web/config/etc/web/a": "2\n" });
    const found = await stetHost(["status", "--exit-code", ...root], env);
    expect(found, found.err).toMatchObject({ code: 2, out: expect.stringContaining(newer.slice(0, 12)) });
    expect(await stetHost(["status", "--exit-code", "--offline", ...root], env)).toMatchObject({ code: 0 });
    expect(await stetHost(["status", ...root], env), "nobody asked").toMatchObject({
      code: 0,
      out: expect.not.stringContaining("newer"),
    });
    repository.remove();
    const gone = await stetHost(["status", "--exit-code", ...root], env);
    expect(gone, "what was fetched last is still newer").toMatchObject({
      code: 2,
      err: expect.stringContaining("warning"),
    });
  } finally {
    repository.remove();
  }
});
