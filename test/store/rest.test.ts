import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import type { Gate } from "../../src/store/gate/gate.ts";
import { restTimes } from "../../src/store/transaction/rest.ts";
import { commit, type Transaction } from "../../src/store/transaction/transaction.ts";
import { writeAtRest } from "../write-at-rest.ts";
import { watchedGate } from "./faulty-gate.ts";
import { scratchFolder, snapshot } from "./scratch.ts";
import { layOut, newTexts, oldTexts, textOf, upgrade } from "./two-files.ts";

/** A clock that only moves when somebody waits; `during` happens while they do. */
function waitingGate(during: (waited: number) => unknown = () => {}): { readonly gate: Gate; waited(): number } {
  let waited = 0;
  const start = Date.now();
  const gate: Gate = {
    ...diskGate(),
    now: () => start + waited,
    pause: async (ms) => {
      waited += ms;
      during(waited);
    },
  };
  return { gate, waited: () => waited };
}

describe("a file that somebody is saving", () => {
  it("is waited for as long as it changes, and then planned again with what was saved", async () => {
    const files = layOut(scratchFolder());
    fs.writeFileSync(files.settings, "");
    const tx = upgrade(diskGate(), files);
    const { gate, waited } = waitingGate((time) => {
      if (time === 200) fs.writeFileSync(files.settings, '{ "saved": 1 }\n');
    });
    expect(await commit(gate, tx)).toEqual({ kind: "stale", paths: [files.settings] });
    expect(textOf(files.settings)).toBe('{ "saved": 1 }\n');
    expect(waited()).toBeLessThan(200 + 2 * restTimes.quietMs);
  });

  it("is refused by name where it does not come to rest, and nothing is written", async () => {
    const files = layOut(scratchFolder());
    const tx = upgrade(diskGate(), files);
    let saves = 0;
    const { gate, waited } = waitingGate(() => {
      fs.writeFileSync(files.settings, "x".repeat(++saves));
    });
    fs.writeFileSync(files.settings, "x");
    const before = snapshot(files.stateDir);
    await expect(commit(gate, tx)).rejects.toMatchObject({
      diagnostic: {
        code: "save-in-progress",
        file: files.settings,
        message: expect.stringContaining("another program is writing it"),
      },
    });
    expect(waited()).toBe(restTimes.limitMs);
    expect(snapshot(files.stateDir)).toEqual(before);
  });

  it.each([
    { what: "whole", text: `${oldTexts.settings} longer\n`, ms: restTimes.quietMs },
    { what: "shorter than planning saw it", text: "{}", ms: restTimes.shorterMs },
    { what: "empty", text: "", ms: restTimes.emptyMs },
  ])("is waited for $ms ms where it is $what", async ({ text, ms }) => {
    const files = layOut(scratchFolder());
    const planned = upgrade(diskGate(), files);
    const [settings, ...others] = planned.changes;
    const tx: Transaction = {
      ...planned,
      changes: [{ ...settings!, before: { kind: "file", bytes: Buffer.from(oldTexts.settings) } }, ...others],
    };
    const { gate, waited } = waitingGate();
    fs.writeFileSync(files.settings, text);
    fs.utimesSync(files.settings, gate.now() / 1000, gate.now() / 1000);
    expect(await commit(gate, tx)).toMatchObject({ kind: "stale" });
    expect(Math.abs(waited() - ms)).toBeLessThanOrEqual(10);
  });

  it("is waited for as long as a program has it open, however long it has been empty, and then planned again", async () => {
    const files = layOut(scratchFolder());
    writeAtRest(files.settings, "");
    const tx = upgrade(diskGate(), files);
    const { gate } = waitingGate((time) => {
      if (time === 1000) fs.writeFileSync(files.settings, '{ "saved": 1 }\n');
    });
    const opened = { ...gate, writerOf: () => (textOf(files.settings) === "" ? "sh, process 7" : undefined) };
    expect(await commit(opened, tx)).toEqual({ kind: "stale", paths: [files.settings] });
    expect(textOf(files.settings)).toBe('{ "saved": 1 }\n');
    fs.writeFileSync(files.settings, "");
    await expect(commit(opened, upgrade(diskGate(), files))).rejects.toThrow(
      "settings.json: another program (sh, process 7) is writing it and did not finish within 2 s",
    );
  });

  it("is waited for where one save ended and another began while stet looked for writers", async () => {
    const files = layOut(scratchFolder());
    writeAtRest(files.settings, "");
    const tx = upgrade(diskGate(), files);
    const { gate } = waitingGate((time) => {
      if (time === 100) fs.writeFileSync(files.settings, '{ "second": 1 }\n');
    });
    let looks = 0;
    const writerOf = () => {
      for (const text of looks++ === 0 ? ['{ "first": 1 }\n', ""] : []) fs.writeFileSync(files.settings, text);
      return undefined;
    };
    expect(await commit({ ...gate, writerOf }, tx)).toEqual({ kind: "stale", paths: [files.settings] });
    expect([textOf(files.settings), looks]).toEqual(['{ "second": 1 }\n', 1]);
  });

  it.runIf(process.platform === "linux")(
    "is known by the programs that have it open to write, and not by those that read it",
    async () => {
      const file = `${scratchFolder()}/file`;
      fs.writeFileSync(file, "");
      expect(diskGate().writerOf(file)).toBeUndefined();
      for (const [sign, isWriter] of [
        [">", true],
        [">>", true],
        ["<", false],
      ] as const) {
        const child = spawn("sh", ["-c", `exec ${sign} "$0"; echo ready >&2; sleep 60`, file], {
          stdio: ["pipe", "ignore", "pipe"],
          detached: true,
        });
        await once(child.stderr, "data");
        expect([sign, diskGate().writerOf(file)]).toEqual([
          sign,
          isWriter ? expect.stringMatching(/^sh, process \d+$/) : undefined,
        ]);
        process.kill(-child.pid!, "SIGKILL");
        await once(child, "exit");
      }
    },
  );

  it("counts as shorter than the last generation left it, too", async () => {
    const files = layOut(scratchFolder());
    const gate = diskGate();
    await commit(gate, upgrade(gate, files));
    fs.writeFileSync(files.settings, "{}");
    const next = upgrade(gate, files);
    const slow = waitingGate();
    await commit(slow.gate, {
      ...next,
      changes: next.changes.slice(0, 1),
      registry: { ...next.registry, before: textOf(files.registry) },
    });
    expect(slow.waited()).toBeGreaterThanOrEqual(restTimes.shorterMs - 20);
  });

  it("is not waited for where it rests, or where we left it so ourselves", async () => {
    const files = layOut(scratchFolder());
    const { gate, waited } = waitingGate();
    expect(await commit(gate, upgrade(gate, files))).toMatchObject({ kind: "committed", left: [] });
    const next = upgrade(gate, files);
    const again: Transaction = {
      ...next,
      changes: [{ ...next.changes[0]!, after: { kind: "file", bytes: Buffer.from("{}\n"), mode: { created: 0o666 } } }],
      registry: { ...next.registry, before: textOf(files.registry), after: textOf(files.registry) },
    };
    expect(await commit(gate, again)).toMatchObject({ kind: "committed", left: [] });
    expect([waited(), textOf(files.settings)]).toEqual([0, "{}\n"]);
  });

  it("may tell planning anything: a plan that only read it is stale", async () => {
    const files = layOut(scratchFolder());
    const other = `${files.settings}.other`;
    fs.writeFileSync(other, "");
    const seen = [
      {
        path: other,
        content: { kind: "file", sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" } as const,
      },
    ];
    const { gate } = waitingGate((time) => time === 50 && fs.writeFileSync(other, "saved"));
    expect(await commit(gate, { ...upgrade(gate, files), seen })).toEqual({ kind: "stale", paths: [other] });
    expect(textOf(files.settings)).toBe(oldTexts.settings);
  });

  it("keeps what arrives in the replaced file before it is let go: it is put back, and planned again", async () => {
    const files = layOut(scratchFolder());
    const fd = fs.openSync(files.settings, "r+");
    let saved = false;
    const gate = watchedGate(diskGate(), ({ method }) => {
      if (method !== "syncFolder" || saved || textOf(files.settings) !== newTexts.settings) return;
      saved = true;
      fs.ftruncateSync(fd);
      fs.writeSync(fd, '{ "late": 1 }\n', 0);
    });
    const result = await commit(gate, upgrade(gate, files));
    fs.closeSync(fd);
    expect(saved).toBe(true);
    expect(result).toMatchObject({ kind: "committed", left: [files.settings] });
    expect(textOf(files.settings)).toBe('{ "late": 1 }\n');
    expect(JSON.parse(textOf(files.registry)!).files).toEqual({ settings: "old", nested: "new" });
  });
});
