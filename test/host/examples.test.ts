import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { hostOptions } from "../../src/cli/host/options.ts";
import { hostDiagnosticCodes } from "../../src/host/diagnostics.ts";
import { checkUnit } from "../../src/host/units/check-unit.ts";
import { parseUnitName } from "../../src/host/units/unit-kind.ts";

const root = join(import.meta.dirname, "../..");
const examples = join(root, "examples/host");
const read = (name: string) => readFileSync(join(examples, name), "utf8");
const page = readFileSync(join(root, "docs/host.md"), "utf8");

describe("examples/host", () => {
  const units = readdirSync(examples).filter((name) => parseUnitName(name) !== undefined);

  test.each(units)("%s is a unit that we would accept ourselves", (name) => {
    expect(
      checkUnit(parseUnitName(name)!, [{ source: name, bytes: readFileSync(join(examples, name)), layer: "unit" }])
        .diagnostics,
    ).toEqual([]);
  });

  test("both ways of running are hardened alike", () => {
    const hardening = (name: string) =>
      read(name)
        .split("\n")
        .filter((line) =>
          /^(NoNewPrivileges|Protect|Private|Restrict|Lock|SystemCall|Capability|ReadWrite)/.test(line),
        );
    expect(hardening("stet-host.service").length).toBeGreaterThan(12);
    expect(hardening("stet-host-once.service")).toEqual(hardening("stet-host.service"));
  });

  test("every option that an example uses exists", () => {
    const used = ["stet-host.service", "stet-host-once.service", "fedora-coreos.bu", "Containerfile"].flatMap(
      (name) => {
        const commands = read(name)
          .split("\n")
          .filter((line) => /stet host|"host", "watch"/.test(line));
        return commands.flatMap((line) => [...line.matchAll(/--([a-z-]+)/g)].map(([, option]) => option!));
      },
    );
    expect(used.length).toBeGreaterThan(5);
    for (const option of used)
      expect(Object.keys(hostOptions).concat("interval", "once", "metrics-file")).toContain(option);
  });

  test("the Butane file is YAML, and brings what the unit needs", () => {
    const butane = parse(read("fedora-coreos.bu"));
    const paths = butane.storage.files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(["/usr/local/bin/stet", "/etc/stet/host.env"]));
    expect(butane.systemd.units[0]).toMatchObject({ name: "stet-host.service", enabled: true });
  });
});

describe("docs", () => {
  test("every diagnostic of hosts is in docs/host.md with its severity", () => {
    for (const [code, severity] of Object.entries(hostDiagnosticCodes))
      expect(page).toContain(`| \`${code}\` | ${severity} |`);
  });
});
