// needs: systemd quadlet
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ScannedUnit, scanUnit } from "../../../src/formats/unit/unit.ts";
import { fuzz, timeLimit } from "../../fuzz/budget.ts";
import { mutated } from "../../fuzz/mutate.ts";
import type { Random } from "../../fuzz/random.ts";
import { generate } from "./generator.ts";

/**
 * Only keys of which the programs say what they read: a policy that does not exist, names nobody knows, sections that
 * are passed on.
 */
const texts = [
  "Restart=one two \\\n  three\\\n# between\n\tfour\nBogus = 1\n\n; note\n[Own]\nRestart=a\\\\\nAny=\n[Install]\nBogus=x\\\n\n[Service]\nRestart=\"q 'r\n",
  "Restart=one\r\nBogus=two \\\r\n  three\r\n[X-Own]\r\nRestart=none\r\n[Service]\r\n  Restart = a=b \\ \r\nnothing\r\n=3\r\n",
  "\ufeff# hidden\nRestart=x\0Restart=y\n\rRestart=z\n[Own]\n[Service]\nRestart=e\u00e9\u00a0\u0085\nBogus",
];

/** As it comes back from a file; what is no character is no UTF-8 to systemd. */
function damaged(random: Random): string {
  return Buffer.from(mutated(random.of(texts), texts, random).slice(0, 1500))
    .toString("utf8")
    .replace(/\p{Noncharacter_Code_Point}/gu, "");
}

/** 40 texts a run of the program: that costs most. */
const batch = (random: Random) => Array.from({ length: 40 }, () => damaged(random));

describe("damaged units", () => {
  test("systemd complains of what we say it does, and reads the values that we read", { timeout: timeLimit }, () => {
    let told = 0;
    fuzz(3, (random) => {
      const units = batch(random).map((text) => `[Service]\nExecStart=/bin/true\n${text}`);
      for (const [i, complaints] of systemdOn(units).entries()) {
        told += complaints.length;
        expect(complaints, JSON.stringify(units[i])).toEqual(expectedComplaints(scanUnit(units[i]!, "systemd")));
      }
    });
    expect(told).toBeGreaterThan(200);
  });

  test("podman's generator passes on what we read, and refuses what we say it does", { timeout: timeLimit }, () => {
    let passed = 0;
    fuzz(3, (random) => {
      const units = batch(random)
        .map((text) => `[Container]\nImage=a.b/c\n[Own]\n${text}`)
        .filter((text) => isPlainlyPassedOn(scanUnit(text, "quadlet")));
      const expected = units.map((text) => expectedService(scanUnit(text, "quadlet")));
      // One that can't be read keeps the generator from writing any.
      for (const [i, text] of units.entries())
        if (expected[i] === undefined)
          expect(generate(new Map([["d.container", text]])).units.size, JSON.stringify(text)).toBe(0);
      const good = units.flatMap((text, i) => (expected[i] === undefined ? [] : [[`d${i}.container`, text] as const]));
      const { units: made, log } = generate(new Map(good));
      for (const [i, text] of units.entries())
        if (expected[i] !== undefined)
          expect(passedOn(made.get(`d${i}.service`) ?? log), JSON.stringify(text)).toEqual(expected[i]);
      passed += good.length;
    });
    expect(passed).toBeGreaterThan(15);
  });
});

/** What systemd says of each unit, without file and line. */
function systemdOn(units: readonly string[]): string[][] {
  const folder = mkdtempSync(join(tmpdir(), "stet-damaged-"));
  try {
    const paths = units.map((text, i) => {
      writeFileSync(join(folder, `d${i}.service`), text);
      return join(folder, `d${i}.service`);
    });
    const env = { ...process.env, SYSTEMD_LOG_LEVEL: "warning", SYSTEMD_COLORS: "0" };
    const { stderr, error } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], { env, encoding: "utf8" });
    if (error) throw error;
    return paths.map((path) => complaintsAbout(path, stderr));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function complaintsAbout(path: string, log: string): string[] {
  const parts = log.split(`${path}:`).slice(1);
  return parts.map((part) => {
    const message = part.slice(part.indexOf(": ") + 2);
    // A value may hold anything but what ends a line, so the next message begins where a line names a file, or the
    // unit.
    return inOurWords(message.split(/\n(?=\/|Unit |d\d+\.service)/)[0]!.replace(/\n$/, ""));
  });
}

function inOurWords(complaint: string): string {
  if (complaint.startsWith("Missing ")) return "ignored line";
  return /^(?:Invalid section header|Bad characters in section header) /.test(complaint) ? "refused" : complaint;
}

function expectedComplaints(unit: ScannedUnit): string[] {
  const complaints: string[] = [];
  let section: string | undefined;
  for (const event of inOrder(unit)) {
    if (event.kind === "section") {
      section = ["Unit", "Service", "Install"].includes(event.name) ? event.name : undefined;
      if (section === undefined && !event.name.startsWith("X-"))
        complaints.push(`Unknown section '${event.name}'. Ignoring.`);
    } else if (event.kind === "problem") {
      if (event.message.includes("refuses the whole file")) return [...complaints, "refused"];
      if (section !== undefined) complaints.push("ignored line");
    } else if (section === "Service" && event.key === "Restart")
      complaints.push(`Failed to parse service restart specifier, ignoring: ${event.value}`);
    else if (section !== undefined && event.key !== "ExecStart" && !event.key.startsWith("X-"))
      complaints.push(`Unknown key '${event.key}' in section [${section}], ignoring.`);
  }
  return complaints;
}

type Event =
  | ({ readonly kind: "section" } & ScannedUnit["sections"][number])
  | ({ readonly kind: "assignment" } & ScannedUnit["assignments"][number])
  | ({ readonly kind: "problem" } & ScannedUnit["problems"][number]);

function inOrder({ sections, assignments, problems }: ScannedUnit): Event[] {
  const events: Event[] = [
    ...sections.map((section) => ({ kind: "section" as const, ...section })),
    ...assignments.map((assignment) => ({ kind: "assignment" as const, ...assignment })),
    ...problems.map((problem) => ({ kind: "problem" as const, ...problem })),
  ];
  return events.sort((a, b) => a.line - b.line);
}

/** The sections that podman has no interest in, each as its lines. */
function passedOn(service: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of service.split("\n")) {
    const header = /^\[(.*)\]$/.exec(line)?.[1];
    if (header !== undefined) {
      lines = [];
      sections.set(header, lines);
    } else if (line !== "" && !/^[#;]/.test(line)) lines.push(line);
  }
  return ofOthers(sections);
}

function ofOthers(sections: Map<string, string[]>): Map<string, string[]> {
  const others = [...sections].filter(
    ([name, lines]) => lines.length > 0 && !/^(?:Unit|Service|Install|Container|Quadlet|X-.*)$/.test(name),
  );
  return new Map(others.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What looks like something else in the generator's output, which is read by lines here. */
function isPlainlyPassedOn({ assignments }: ScannedUnit): boolean {
  return !assignments.some(({ key, value }) => key.startsWith("[") || /[\r\u2028\u2029\ufeff]/.test(key + value));
}

function expectedService({ assignments, problems }: ScannedUnit): Map<string, string[]> | undefined {
  if (problems.some(({ message }) => !message.includes("podman drops it"))) return undefined;
  const sections = new Map<string, string[]>();
  for (const { section, key, value } of assignments)
    sections.set(section, [...(sections.get(section) ?? []), `${key}=${value}`]);
  return ofOthers(sections);
}
