import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { applyHost, type Effects } from "../../src/host/apply.ts";
import { findDown, type WaitingUnit } from "../../src/host/effects/health.ts";
import { systemctl, type UnitManager } from "../../src/host/effects/systemd.ts";
import { verifyUnits } from "../../src/host/units/verify-units.ts";
import { applied, Box } from "./box.ts";
import { container, type Given, webOnBox } from "./repository.ts";

let box: Box;
beforeEach(() => {
  box = new Box();
});
afterEach(() => box.remove());

const installed = `${container}[Install]\nWantedBy=multi-user.target\n`;
const two = (web: string, other: string): Record<string, Given> => ({
  "services/web/quadlet/web.container": web,
  "services/web/quadlet/other.container": other,
});

/** Applies with a systemd that dies at this action, as a killed run leaves it. */
async function dieAt(files: Record<string, Given>, at: string): Promise<void> {
  const { manager, ...rest } = box.effects(true);
  const die = (what: string) => (what === at ? Promise.reject(new Error("killed")) : undefined);
  const dying: Effects = {
    ...rest,
    manager: {
      ...manager!,
      reload: async () => (await die("daemon-reload")) ?? manager!.reload(),
      act: async (verb, unit) => (await die(`${verb} ${unit}`)) ?? manager!.act(verb, unit),
    },
  };
  await expect(applyHost(box.target, () => box.plan(webOnBox(files)), dying)).rejects.toThrow("killed");
  box.asked.length = 0;
}

describe("what an interrupted run owes", () => {
  test("takes its place in the plan's order: one reload, before every start and restart", async () => {
    await box.apply(webOnBox(two(container, container)));
    await dieAt(two(`${container}User=1\n`, container), "daemon-reload");
    await box.apply(webOnBox(two(`${container}User=1\n`, `${container}User=2\n`)));
    expect(box.asked).toEqual(["daemon-reload", "restart other.service", "restart web.service"]);
  });

  test("is not lost where the next run has something else to do to the same unit", async () => {
    const timer = (text: string) => ({
      "services/web/quadlet/tick.timer": text,
      "services/web/quadlet/tick.service": "[Service]\nExecStart=/bin/true\n",
    });
    const on = (when: string) => `[Timer]\nOnBootSec=${when}\n[Install]\nWantedBy=timers.target\n`;
    await dieAt(timer(on("1")), "enable tick.timer");
    await box.apply(webOnBox(timer(on("2"))));
    expect(box.asked).toEqual(["enable tick.timer", "daemon-reload", "start web.service", "restart tick.timer"]);
  });

  test("is nothing but to stop it, for a unit that nobody wants any more", async () => {
    await box.apply(webOnBox());
    await dieAt({ "services/web/quadlet/other.container": container }, "start other.service");
    await box.apply(webOnBox());
    expect(box.asked).toEqual(["stop other.service", "daemon-reload"]);
  });

  test("a unit that was stopped for a change which then never came is started again", async () => {
    const socket = (port: string) => ({
      "services/web/quadlet/web.container": installed,
      "services/web/quadlet/web.socket": `[Socket]\nListenStream=${port}\n[Install]\nWantedBy=sockets.target\n`,
    });
    await box.apply(webOnBox(socket("80")));
    const { manager, ...rest } = box.effects(true);
    const act = async (verb: "stop", unit: string) => {
      await manager!.act(verb, unit);
      throw new Error("killed");
    };
    const dying: Effects = { ...rest, manager: { ...manager!, act: act as NonNullable<typeof manager>["act"] } };
    await expect(applyHost(box.target, () => box.plan(webOnBox(socket("81"))), dying)).rejects.toThrow("killed");
    expect(box.asked.at(-1)).toBe("stop web.service");
    box.asked.length = 0;
    // The change has been taken back in the repository meanwhile.
    await box.apply(webOnBox(socket("80")));
    expect(box.asked).toEqual(["start web.service"]);
  });
});

describe("a run that is told to end", () => {
  test("records exactly what is left, also what was under way, and the next run does it", async () => {
    const interrupt = new AbortController();
    const { manager, ...rest } = box.effects(true);
    const stuck: Effects = {
      ...rest,
      interrupt: interrupt.signal,
      manager: {
        ...manager!,
        act: (verb, unit) => {
          if (unit !== "web.service") return manager!.act(verb, unit);
          queueMicrotask(() => interrupt.abort());
          return new Promise(() => {});
        },
      },
    };
    await expect(applyHost(box.target, () => box.plan(webOnBox(two(container, container))), stuck)).rejects.toThrow(
      /interrupted by a signal/,
    );
    expect(box.asked).toEqual(["daemon-reload", "start other.service"]);
    const { pending } = await box.status();
    expect(pending.map(({ action, unit }) => `${action} ${unit}`)).toEqual(["start web.service"]);
    box.asked.length = 0;
    await box.apply(webOnBox(two(container, container)));
    expect(box.asked).toEqual(["start web.service"]);
  });
});

test("SIGTERM in the middle: the program ends by it at once, and the next run starts what should run", async () => {
  const repo = join(box.folder, "repo");
  for (const [path, text] of Object.entries({
    ...two(container, container),
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
  })) {
    mkdirSync(join(repo, path, ".."), { recursive: true });
    writeFileSync(join(repo, path), text as string);
  }
  const bin = join(box.folder, "bin");
  mkdirSync(bin);
  const log = join(box.folder, "log");
  const hang = join(box.folder, "hang");
  writeFileSync(hang, "");
  const script = `#!/bin/sh
case "$*" in show*) for unit; do case $unit in *.service) printf 'Id=%s\\nActiveState=active\\nLoadState=loaded\\n\\n' "$unit";; esac; done; exit;; esac
echo "$*" >> ${log}
case "$*" in *"start -- other.service") if [ -e ${hang} ]; then echo hanging; kill -TERM $PPID; exec sleep 600; fi;; esac
`;
  writeFileSync(join(bin, "systemctl"), script, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: box.folder,
    STET_STATE_DIR: join(box.folder, "state"),
    STET_QUADLET: "/bin/true",
  };
  const run = async () => {
    const args = [
      "bin/stet.cjs",
      "host",
      "apply",
      "--repo",
      repo,
      "--host",
      "box",
      "--root",
      box.root,
      "--activate",
      "--wait",
      "1s",
    ];
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    let err = "";
    child.stderr.on("data", (text) => (err += text));
    const [code] = await once(child, "close");
    return { code, err };
  };
  // Whoever waited for the start that hangs would not come back before this test is ended.
  expect(await run()).toMatchObject({ code: 143, err: expect.stringContaining("interrupted by a signal") });
  writeFileSync(log, "");
  rmSync(hang);
  expect(await run()).toMatchObject({ code: 0 });
  expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
    "--no-ask-password start -- other.service",
    "--no-ask-password start -- web.service",
  ]);
});

describe("health fails closed", () => {
  /** A systemctl that answers as told. */
  function fake(script: string, timeoutMs = 60_000) {
    const bin = join(box.folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "systemctl"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "systemctl"), 0o755);
    return systemctl({ scope: "system", env: { PATH: `${bin}:${process.env.PATH}` }, timeoutMs });
  }
  const block = (unit: string) =>
    `Id=${unit}\\nNames=${unit}\\nActiveState=active\\nSubState=running\\nResult=success\\nType=simple\\nLoadState=loaded\\n`;
  const waiting = { waitMs: 100, settleMs: 0 };
  const waitForUnits = (manager: UnitManager, units: readonly string[], { waitMs, settleMs }: WaitingUnit) => {
    const sources = { manager, podman: { health: async () => undefined } };
    const expected = units.map((unit) => ({ unit, health: false, started: true, mayFinish: false }));
    return findDown(sources, expected, { waitMs, settleMs });
  };

  test("a systemctl that takes too long says nothing about units: they are not up", async () => {
    const failed = await waitForUnits(fake("sleep 600", 300), ["a.service"], waiting);
    expect(failed).toEqual([{ unit: "a.service", state: "unknown: systemctl show took too long", log: [] }]);
  });

  test("nor does one that fails", async () => {
    const failed = await waitForUnits(fake('echo "Failed to connect to bus" >&2; exit 1'), ["a.service"], waiting);
    expect(failed).toEqual([
      { unit: "a.service", state: "unknown: systemctl show: Failed to connect to bus", log: [] },
    ]);
  });

  test("nor is a unit up that it leaves out: answers are told apart by their names, not their order", async () => {
    const states = await fake(`printf '${block("b.service")}'`).states(["a.service", "b.service"]);
    expect(states.map(({ active }) => active)).toEqual(["unknown", "active"]);
    const failed = await waitForUnits(fake(`printf '${block("b.service")}'`), ["a.service", "b.service"], waiting);
    expect(failed.map(({ unit }) => unit)).toEqual(["a.service"]);
  });

  test("a generator that can't be run, does not end or dies is an error, and nothing is written", async () => {
    const generator = join(box.folder, "generator");
    const verify = async (script: string | undefined) => {
      if (script !== undefined) writeFileSync(generator, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const verifying = { generator, analyze: false, env: { PATH: process.env.PATH } };
      return applyHost(box.target, () => box.plan(webOnBox()), {
        ...box.effects(true),
        verify: (plan) => verifyUnits(plan, box.target, verifying),
      });
    };
    expect(await verify(undefined)).toMatchObject({
      kind: "refused",
      diagnostics: [{ code: "unverified-units", severity: "error" }],
    });
    expect(await verify("kill -9 $$")).toMatchObject({ kind: "refused", diagnostics: [{ code: "unverified-units" }] });
    expect(box.tree()).toEqual({});
    expect(applied(await verify("exit 0")).kind).toBe("applied");
  });
});
