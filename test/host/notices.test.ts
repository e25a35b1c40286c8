import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { downUnits, isSettled } from "../../src/host/status.ts";
import { applied, Box, type BoxOptions } from "./box.ts";
import { container, type Given, webOnBox } from "./repository.ts";

let box: Box;
beforeEach(() => {
  box = new Box();
});
afterEach(() => box.remove());

const installed = `${container}[Install]\nWantedBy=multi-user.target\n`;
const native = "[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n";
const failed = { active: "failed", sub: "failed", result: "exit-code" };
const stopped = { active: "inactive", sub: "dead" };
const at = (time: string) => {
  box.target = { ...box.target, now: () => new Date(`2026-11-15T${time}Z`) };
};
const codes = async (files: Record<string, Given>, options: BoxOptions = {}) => {
  const planned = await box.plan(webOnBox(files), options);
  return planned.kind === "planned" ? planned.plan.document.diagnostics.map(({ code }) => code) : [];
};

describe("a unit that should run and does not", () => {
  beforeEach(async () => {
    await box.apply(webOnBox());
    box.asked.length = 0;
  });

  test("failed: status says so, and it is started again at once", async () => {
    box.states.set("web.service", failed);
    const status = await box.status();
    expect(downUnits(status).map(({ unit, standing }) => [unit, standing])).toEqual([["web.service", "failed"]]);
    expect(isSettled(status)).toBe(false);
    await box.apply(webOnBox());
    expect(box.asked).toEqual(["reset-failed web.service", "start web.service"]);
    expect(isSettled(await box.status())).toBe(true);
  });

  test("failing again: the loop waits ever longer, and counts it as down meanwhile; a person who calls apply does not wait", async () => {
    box.broken.add("web.service");
    const look = async (time: string) => {
      at(time);
      box.asked.length = 0;
      const result = applied(await box.apply(webOnBox(), { retryNow: false }));
      expect(result.failed.map(({ unit }) => unit)).toEqual(["web.service"]);
      return box.asked.includes("start web.service");
    };
    expect(await look("12:00:00")).toBe(true);
    expect(await look("12:00:30")).toBe(false);
    expect(await look("12:01:00")).toBe(true);
    expect(await look("12:02:59")).toBe(false);
    expect(await look("12:03:00")).toBe(true);
    const again = applied(await box.apply(webOnBox(), { retryNow: false }));
    expect(again.plan.retryAt).toEqual(new Date("2026-11-15T12:07:00Z"));
    expect(again.plan.document.diagnostics).toMatchObject([{ code: "unit-down" }]);
    expect(await box.actions(webOnBox())).toEqual(["start web.service"]);
    // What has been well for a long time begins anew.
    expect(await look("19:00:00")).toBe(true);
    expect(await look("19:01:00")).toBe(true);
  });

  test("stopped by hand: undone, unless --keep-drift", async () => {
    box.states.set("web.service", stopped);
    expect(isSettled(await box.status())).toBe(false);
    expect(await box.actions(webOnBox(), { keepDrift: true })).toEqual([]);
    expect(applied(await box.apply(webOnBox(), { keepDrift: true })).failed).toEqual([]);
    expect(await codes({}, { keepDrift: true })).toEqual(["unit-drift"]);
    await box.apply(webOnBox());
    expect(box.asked).toEqual(["start web.service"]);
    // A container that had to be killed when somebody stopped it reads as failed.
    box.states.set("web.service", failed);
    box.wasStopped = true;
    expect(await box.actions(webOnBox(), { keepDrift: true })).toEqual([]);
    expect(await codes({}, { keepDrift: true })).toEqual(["unit-drift"]);
    expect(await box.actions(webOnBox())).toEqual(["start web.service"]);
  });

  test("one that ends with success again, by itself, is finished: left alone, and said", async () => {
    box.states.set("web.service", stopped);
    await box.apply(webOnBox());
    box.states.set("web.service", stopped);
    box.wasStopped = false;
    expect(await box.actions(webOnBox())).toEqual([]);
    expect(await codes({})).toEqual(["unit-finished"]);
    expect(applied(await box.apply(webOnBox())).failed).toEqual([]);
    expect(isSettled(await box.status())).toBe(true);
    // If the journal knows that somebody stopped it, it is drift however often.
    box.wasStopped = true;
    expect(await box.actions(webOnBox())).toEqual(["start web.service"]);
    // And a changed unit begins anew.
    box.wasStopped = false;
    await box.apply(webOnBox({ "services/web/quadlet/web.container": `${container}User=1\n` }));
    box.states.set("web.service", stopped);
    expect(await box.actions(webOnBox({ "services/web/quadlet/web.container": `${container}User=1\n` }))).toEqual([
      "start web.service",
    ]);
  });

  test("masked: the operator's word, also where its file changes", async () => {
    box.states.set("web.service", { ...stopped, load: "masked", loaded: false });
    expect(isSettled(await box.status())).toBe(true);
    expect(await codes({})).toEqual(["unit-masked"]);
    expect(await box.actions(webOnBox({ "services/web/quadlet/web.container": `${container}User=1\n` }))).toEqual([
      "daemon-reload systemd",
    ]);
  });

  test("restarting for ever, or unhealthy: down, and left to systemd and podman", async () => {
    const loops = [
      { active: "activating", sub: "auto-restart" },
      { active: "activating", sub: "start", restarts: 1 },
      { active: "deactivating", sub: "stop-post", restarts: 2 },
      { active: "active", sub: "running", restarts: 5, upMs: 2000 },
    ];
    for (const state of loops) {
      box.states.set("web.service", state);
      expect(downUnits(await box.status()).map(({ standing }) => standing)).toEqual(["restarting"]);
      const result = applied(await box.apply(webOnBox()));
      expect(result.failed).toMatchObject([
        { unit: "web.service", state: expect.stringContaining("keeps restarting") },
      ]);
      expect(result.plan.document.diagnostics).toMatchObject([
        { code: "unit-down", message: expect.stringContaining("Restart=") },
      ]);
    }
    expect(box.asked).toEqual([]);
    box.states.set("web.service", { restarts: 5, upMs: 120_000 });
    expect(isSettled(await box.status()), "one that has stayed up since").toBe(true);
  });

  test("unknown is not up", async () => {
    box.states.set("web.service", { active: "unknown", unknown: "systemctl show took too long" });
    expect(isSettled(await box.status())).toBe(false);
    expect(applied(await box.apply(webOnBox())).failed).toMatchObject([
      { state: "unknown: systemctl show took too long" },
    ]);
  });

  test("a definition that is newer than what systemd has read: a reload, and no restart", async () => {
    box.states.set("web.service", { needsReload: true });
    expect(isSettled(await box.status())).toBe(false);
    expect(await box.actions(webOnBox())).toEqual(["daemon-reload systemd"]);
    box.states.set("web.service", { ...stopped, load: "not-found", loaded: false });
    expect(await box.actions(webOnBox())).toEqual(["daemon-reload systemd", "start web.service"]);
  });
});

test("unhealthy within the wait is down, also without Notify=healthy; starting is waited for", async () => {
  const files = { "services/web/quadlet/web.container": `${container}HealthCmd=/bin/check\n` };
  box.health.set("web.service", "unhealthy");
  const result = applied(await box.apply(webOnBox(files)));
  expect(result.failed).toMatchObject([{ unit: "web.service", state: expect.stringContaining("unhealthy") }]);
  expect(downUnits(await box.status()).map(({ standing }) => standing)).toEqual(["unhealthy"]);
  box.health.set("web.service", "healthy");
  expect(isSettled(await box.status())).toBe(true);
});

test("a native unit that was disabled by hand is enabled again", async () => {
  const files = { "services/web/quadlet/job.service": native };
  await box.apply(webOnBox(files));
  box.states.set("job.service", { enabled: "disabled" });
  expect(isSettled(await box.status())).toBe(false);
  expect(await box.actions(webOnBox(files))).toEqual(["enable job.service", "daemon-reload systemd"]);
  expect(await box.actions(webOnBox(files), { keepDrift: true })).toEqual([]);
});

test("what is left to a timer, a socket or its conditions, and one-shots that have run, need not be active", async () => {
  const files = {
    "services/web/quadlet/tick.timer": "[Timer]\nOnBootSec=1\n[Install]\nWantedBy=timers.target\n",
    "services/web/quadlet/tick.service": "[Service]\nExecStart=/bin/true\n",
    "services/web/quadlet/once.service":
      "[Service]\nType=oneshot\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n",
    "services/web/quadlet/where.service": `[Unit]\nConditionPathExists=/nowhere\n${native}`,
  };
  await box.apply(webOnBox(files));
  box.states.set("tick.service", stopped);
  box.states.set("once.service", { ...stopped, oneshot: true });
  box.states.set("where.service", { ...stopped, skipped: true });
  expect(await box.actions(webOnBox(files))).toEqual([]);
  expect(isSettled(await box.status())).toBe(true);
  box.states.set("once.service", { ...stopped, oneshot: true, remains: true });
  expect(await box.actions(webOnBox(files))).toEqual(["start once.service"]);
});

test("the default instance of a template is started, enabled and looked after", async () => {
  const template =
    "[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\nDefaultInstance=main\n";
  const files = { "services/web/quadlet/job@.service": template };
  expect(await box.actions(webOnBox(files))).toEqual([
    "enable job@.service",
    "daemon-reload systemd",
    "start job@main.service",
    "start web.service",
  ]);
  await box.apply(webOnBox(files));
  box.states.set("job@main.service", failed);
  expect(await box.actions(webOnBox(files))).toEqual(["start job@main.service"]);
  expect(downUnits(await box.status()).map(({ unit }) => unit)).toEqual(["job@main.service"]);
});

test("--no-activate, then apply: everything that was left out is done", async () => {
  await box.apply(webOnBox({ "services/web/quadlet/old.container": installed }));
  const changed = webOnBox({ "services/web/quadlet/web.container": `${container}User=1\n` });
  await box.apply(changed, { activate: false });
  const before = box.fingerprint();
  await box.apply(changed, { activate: false });
  expect(box.fingerprint(), "nothing more to write").toBe(before);
  expect(isSettled(await box.status())).toBe(false);
  box.asked.length = 0;
  await box.apply(changed);
  expect(box.asked).toEqual(["stop old.service", "daemon-reload", "restart web.service"]);
  expect(isSettled(await box.status())).toBe(true);
});

describe("networks and volumes", () => {
  const files = (network: string, volume = "[Volume]\n") => ({
    "services/web/quadlet/web.container": `${container}Network=net.network\n`,
    "services/web/quadlet/other.container": container,
    "services/web/quadlet/net.network": network,
    "services/web/quadlet/data.volume": volume,
  });
  const [old, next] = ["[Network]\nSubnet=10.9.1.0/24\n", "[Network]\nSubnet=10.9.2.0/24\n"];

  test("one that podman will not change in place says so, as long as that is so", async () => {
    await box.apply(webOnBox(files(old)));
    box.objects.set("systemd-net", { exists: true, empty: true });
    const { plan } = applied(await box.apply(webOnBox(files(next))));
    expect(plan.document.diagnostics).toMatchObject([
      { code: "not-changed-in-place", file: "services/web/quadlet/net.network" },
    ]);
    expect((await box.status()).outdated).toEqual(["net.network"]);
    expect(await codes(files(next))).toEqual(["not-changed-in-place"]);
    box.asked.length = 0;
    await box.apply(webOnBox(files(next)), { recreate: true });
    expect(box.asked).toEqual([
      "stop web.service",
      "podman network rm systemd-net",
      "restart net-network.service",
      "start web.service",
    ]);
    expect((await box.status()).outdated).toEqual([]);
    expect(await codes(files(next))).toEqual([]);
  });

  test("--recreate never touches a volume that holds data", async () => {
    await box.apply(webOnBox(files(old)));
    box.objects.set("systemd-data", { exists: true, empty: false });
    const changed = webOnBox(files(old, "[Volume]\nLabel=a=1\n"));
    box.asked.length = 0;
    const { plan } = applied(await box.apply(changed, { recreate: true }));
    expect(plan.document.diagnostics).toMatchObject([
      { code: "not-changed-in-place", message: expect.stringContaining("holds data") },
    ]);
    expect(box.asked).toEqual(["daemon-reload"]);
    box.objects.set("systemd-data", { exists: true, empty: true });
    await box.apply(changed, { recreate: true });
    expect(box.asked).toContain("podman volume rm systemd-data");
  });
});

describe("a changed file restarts exactly what uses it", () => {
  const files: Record<string, Given> = {
    "hosts/box/host.yaml": "host: box\nservices: [web, db, ca]\n",
    "services/web/quadlet/web.container": `${container}Volume=/etc/web/site:/site:ro\nVolume=/etc/ca/bundle.pem:/ca.pem\n`,
    "services/web/quadlet/side.container": `${container}EnvironmentFile=/etc/web/side.env\n`,
    "services/db/quadlet/db.container": `${container}Mount=type=bind,source=/etc/ca,destination=/ca\n`,
    "services/db/quadlet/tool.service": "[Service]\nExecStart=/bin/tool --config=/etc/db/tool.toml\n",
    "services/web/config/etc/web/site/index.html": "1",
    "services/web/config/etc/web/site/logo": "1",
    "services/web/config/etc/web/side.env": "A=1",
    "services/web/config/etc/web/unnamed": "1",
    "services/db/config/etc/db/tool.toml": "1",
    "services/ca/config/etc/ca/bundle.pem": "1",
  };
  test.each([
    ["services/web/config/etc/web/site/index.html", ["restart web.service"]],
    ["services/web/config/etc/web/side.env", ["restart side.service"]],
    ["services/web/config/etc/web/unnamed", ["restart side.service", "restart web.service"]],
    ["services/db/config/etc/db/tool.toml", ["restart tool.service"]],
    ["services/ca/config/etc/ca/bundle.pem", ["restart db.service", "restart web.service"]],
  ])("%s", async (path, expected) => {
    await box.apply(webOnBox(files));
    expect(await box.actions(webOnBox({ ...files, [path]: "2" }))).toEqual(expected);
  });

  test("a removed file as well, and one behind a link", async () => {
    const linked = { ...files, "services/web/config/etc/web/current": { kind: "symlink", target: "unnamed" } as const };
    const named: Record<string, Given> = {
      ...linked,
      "services/web/quadlet/side.container": `${container}Volume=/etc/web/current:/c\n`,
    };
    await box.apply(webOnBox(named));
    expect(await box.actions(webOnBox({ ...named, "services/web/config/etc/web/unnamed": "2" }))).toEqual([
      "restart side.service",
    ]);
    const { "services/web/config/etc/web/site/index.html": _, ...without } = named;
    expect(await box.actions(webOnBox(without))).toEqual(["restart web.service"]);
  });
});

test("a machine that was another host is refused until --host-changed", async () => {
  await box.apply(webOnBox());
  const both = { "hosts/two/host.yaml": "host: two\nservices: []\n" };
  expect(await box.plan(webOnBox(both), { host: "two" })).toMatchObject({
    kind: "refused",
    diagnostics: [{ code: "host-changed" }],
  });
  expect(applied(await box.apply(webOnBox(both), { host: "two", hostChanged: true })).plan.document.summary).toEqual({
    remove: 1,
  });
  expect((await box.status()).host).toBe("two");
});

test("a plan looks at every file once", async () => {
  const files = { "services/web/config/etc/web/a": "1", "services/web/config/etc/web/b": "1" };
  await box.apply(webOnBox(files));
  box.write("/etc/web/b", "edited");
  const looked = new Map<string, number>();
  const { gate } = box.target;
  const count = (path: string) => void (path.startsWith(box.root) && looked.set(path, (looked.get(path) ?? 0) + 1));
  const read: typeof gate.read = (path) => {
    count(path);
    return gate.read(path);
  };
  box.target = { ...box.target, gate: { ...gate, read } };
  await box.plan(webOnBox({ ...files, "services/web/config/etc/web/a": "2" }));
  expect([...looked.values()]).toEqual([1, 1, 1]);
  // While a commit is held, the records stand in for it.
  await box.apply(webOnBox({ ...files, "services/web/config/etc/web/a": "2" }), { version: "v2" });
  await box.rollBack();
  looked.clear();
  const held = await box.plan(webOnBox(files), { version: "v2" });
  expect(held).toMatchObject({ plan: { document: { held: "v2", version: "v1" } } });
  expect([...looked.values()]).toEqual([1, 1, 1]);
});

test("an image that can't be fetched for a unit that is only started again keeps nothing else from being changed", async () => {
  const gone = "[Container]\nImage=example.org/old:1\n";
  await box.apply(webOnBox({ "services/web/quadlet/old.container": gone }));
  box.states.set("old.service", failed);
  box.images.length = 0;
  await box.apply(
    webOnBox({
      "services/web/quadlet/old.container": gone,
      "services/web/quadlet/web.container": `${container}User=1\n`,
    }),
  );
  expect(box.images).toEqual(["example.org/web:1"]);
  expect(box.asked).toContain("start old.service");
});
