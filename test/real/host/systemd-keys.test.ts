// needs: systemd-keys
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemdKeysIn } from "../../../src/host/units/unit-keys.ts";

const cache = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test"), "systemd-keys");

test.each(["bullseye", "bookworm", "trixie"])("every key that systemd of %s reads is known", (suite) => {
  const unknown: string[] = [];
  let section = "";
  let read = 0;
  for (const line of readFileSync(join(cache, `${suite}.txt`), "utf8").split("\n")) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    const [, key] = /^(\w+)=/.exec(line) ?? [];
    const known = systemdKeysIn(section);
    if (key === undefined || known === undefined) continue;
    read++;
    if (!known.has(key)) unknown.push(`[${section}] ${key}`);
  }
  expect(read).toBeGreaterThan(700);
  expect(unknown).toEqual([]);
});
