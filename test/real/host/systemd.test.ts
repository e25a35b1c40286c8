// needs: systemd
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanUnit } from "../../../src/formats/unit/unit.ts";
import { parseUnitName } from "../../../src/host/units/unit-kind.ts";
import { effectiveUnit, renderUnit } from "../../../src/host/units/unit-text.ts";
import { sample, type UnitCase, unitText } from "./unit-corpus.ts";

/** What a real systemd makes of a folder of units: its own dump, by unit. It runs as nobody, and starts nothing. */
function load(files: ReadonlyMap<string, string>, names: readonly string[]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "stet-systemd-"));
  try {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "run"), { mode: 0o777 });
    chmodSync(join(folder, "run"), 0o777);
    const all = new Map([...files, ["all.target", `[Unit]\nWants=${names.join(" ")}\n`]]);
    for (const [path, text] of all) {
      mkdirSync(dirname(join(folder, "units", path)), { recursive: true });
      writeFileSync(join(folder, "units", path), text);
    }
    const env = [`XDG_RUNTIME_DIR=${folder}/run`, "HOME=/tmp", `SYSTEMD_UNIT_PATH=${folder}/units:`];
    const drop = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const [program, ...args] = [
      ...drop,
      "env",
      "-i",
      ...env,
      "/lib/systemd/systemd",
      "--test",
      "--system",
      "--unit=all.target",
    ];
    const run = spawnSync(program!, args, { encoding: "utf8", maxBuffer: 1 << 28 });
    if (run.error) throw run.error;
    return readDump(run.stdout, names);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readDump(dump: string, names: readonly string[]): Map<string, string> {
  const units = new Map<string, string>();
  for (const part of dump.split(/^\t?-> Unit /m).slice(1)) {
    const name = part.slice(0, part.indexOf(":"));
    // Its own files, and the number of the job it would be started by, are not what the unit says.
    const lines = part
      .split("\n")
      .slice(1)
      .filter((line) => line !== "" && !/^\s*((Fragment|DropIn) Path:|-> Job \d+:)/.test(line));
    // A unit's part ends where the indentation does.
    const end = lines.findIndex((line) => !line.startsWith("\t\t"));
    if (names.includes(name)) units.set(name, describeUnit(end === -1 ? lines : lines.slice(0, end)));
  }
  return units;
}

/** systemd dumps dependencies in the order of a hash, commands in the order that counts. Variables have none. */
function describeUnit(lines: readonly string[]): string {
  const ordered = lines.filter((line) => /Command Line:|Condition|Listen/.test(line));
  return [...[...lines].sort(), ...ordered].join("\n");
}

function asWritten(cases: readonly UnitCase[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, unit, dropIns } of cases) {
    files.set(name, unit);
    for (const [i, text] of dropIns.entries()) files.set(`${name}.d/${10 + i}-part.conf`, text);
  }
  return files;
}

function asShown(cases: readonly UnitCase[]): Map<string, string> {
  return new Map(
    cases.map(({ name, unit, dropIns }) => {
      const sources = [unit, ...dropIns].map((text, i) => ({ source: String(i), bytes: Buffer.from(text) }));
      return [name, renderUnit(effectiveUnit(parseUnitName(name)!, sources))];
    }),
  );
}

const service = "[Service]\nExecStart=/bin/true\n";
const handWritten: UnitCase[] = [
  {
    name: "single.service",
    unit: `[Unit]\nDescription=a\n${service}RestartSec=1\n`,
    dropIns: ["[Service]\nRestartSec=9\n[Unit]\nDescription=b\n"],
  },
  {
    name: "lists.service",
    unit: `${service}ExecStartPre=/bin/a\n`,
    dropIns: ["[Service]\nExecStartPre=/bin/b\n", "[Service]\nExecStart=\nExecStart=/bin/false\n"],
  },
  {
    name: "environment.service",
    unit: `${service}Environment=A=1 B=2\nEnvironment="C=x y"\n`,
    dropIns: ["[Service]\nEnvironment=B=3\n", '[Service]\nEnvironment="C=z" A=0\n'],
  },
  {
    name: "dependencies.service",
    unit: `[Unit]\nAfter=a.target\nWants=b.target\n${service}`,
    dropIns: ["[Unit]\nAfter=\nAfter=c.target\nWants=\n"],
  },
  {
    name: "conditions.service",
    unit: `[Unit]\nConditionPathExists=/a\nConditionFirstBoot=yes\n${service}`,
    dropIns: ["[Unit]\nConditionHost=\nConditionPathExists=/b\n"],
  },
  {
    name: "continued.service",
    unit: "[Unit]\nDescription=1\\\n2\\\n  3\n[Service]\nExecStart=/bin/echo a \\\n# note\n; note\nb\nEnvironment=A=1 \\\n\nNice=5\n",
    dropIns: [],
  },
  {
    name: "backslashes.service",
    unit: "[Unit]\nDescription=a\\\\\n[Service]\nExecStart=/bin/true\nNice=3 \n",
    dropIns: [],
  },
  { name: "marked.service", unit: "\u{feff}[Unit]\nDescription=marked\n[Service]\nExecStart=/bin/true\n", dropIns: [] },
  {
    name: "windows.service",
    unit: "[Unit]\r\nDescription=a \\\r\nb\r\n[Service]\r\nExecStart=/bin/true\r\n",
    dropIns: ["[Service]\r\nNice=4\r\n"],
  },
  { name: "twice.service", unit: `${service}[Unit]\nDescription=x\n[Service]\nNice=2\n`, dropIns: [] },
  {
    name: "web.socket",
    unit: "[Socket]\nListenStream=80\nListenDatagram=81\n",
    dropIns: ["[Socket]\nListenStream=\nListenStream=82\nBacklog=7\n"],
  },
  { name: "web.service", unit: service, dropIns: [] },
  {
    name: "later.timer",
    unit: "[Timer]\nOnBootSec=5\nOnCalendar=daily\nUnit=web.service\n",
    dropIns: ["[Timer]\nOnCalendar=\nOnUnitActiveSec=9\n"],
  },
  {
    name: "seen.path",
    unit: "[Path]\nPathExists=/a\nPathChanged=/b\nUnit=web.service\n",
    dropIns: ["[Path]\nPathModified=\nPathExists=/c\n"],
  },
];

const assignment = fc.constantFrom(
  "Environment=A=1 B=2",
  "Environment=A=3",
  'Environment="B=x y" C=1',
  "Environment=",
  "Nice=3",
  "Nice=5",
  "RestartSec=2",
  "RestartSec=9",
  "ExecStartPre=/bin/a b",
  "ExecStartPre=",
  "ExecStop=/bin/stop it",
  "SupplementaryGroups=a b",
  "ReadOnlyPaths=/a /b",
  "ReadOnlyPaths=",
  "SuccessExitStatus=3 4",
  "SuccessExitStatus=",
  "UMask=0077",
  "WorkingDirectory=/tmp",
  "SyslogIdentifier=a b",
);
const generated = sample(unitText(fc.constant("Service"), assignment), 120, (i) => `g${i}.service`).map((one) => ({
  ...one,
  unit: `${service}${one.unit}`,
}));

describe("systemd and we read the same", () => {
  test.each([
    ["hand-written", handWritten],
    ["generated", generated],
  ])("%s units: what show says is loaded just so", (_, cases) => {
    const names = cases.map(({ name }) => name);
    const [written, shown] = [load(asWritten(cases), names), load(asShown(cases), names)];
    expect([...written.keys()].sort()).toEqual([...names].sort());
    for (const name of names) expect(shown.get(name), name).toBe(written.get(name));
  });

  test("the dump does tell units apart", () => {
    const dump = (unit: string) => load(new Map([["a.service", unit]]), ["a.service"]).get("a.service");
    expect(dump(`${service}Nice=1\n`)).not.toBe(dump(`${service}Nice=2\n`));
    expect(dump(`${service}Environment=A=1\n`)).not.toBe(dump(`${service}Environment=A=2\n`));
  });

  test("a line we complain about is one that systemd skips", () => {
    const text = `${service}nonsense\nNice=4\n`;
    expect(scanUnit(text, "systemd").problems).toHaveLength(1);
    expect(load(new Map([["a.service", text]]), ["a.service"]).get("a.service")).toContain("Nice: 4");
  });
});
