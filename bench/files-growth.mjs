// An upgrade that changes a tenth of all hooks and settings, adds some and drops some, from a file and a registry on a
// real disk to the same.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeSafely } from "./write-safely.mjs";

const rules = [{ type: "hook", at: "hooks[]", key: ["event", "command|command"], pair: ["event", "command|script"] }];

export async function install(parts, size, home) {
  mkdirSync(join(home, "app"));
  await upgrade(parts, size, home, 1);
}

export function prepare(parts, size, home) {
  return async () => {
    const { document } = await upgrade(parts, size, home, 2);
    if (document.changed < size / 10) throw new Error(`only ${document.changed} of ${size} entries changed`);
  };
}

/** What is not to be had for less: the same files (and one of them is the registry) parsed, stringified and written. */
export function floor(_parts, _size, home) {
  return () => {
    for (const file of [join(home, "app/config.json"), join(home, ".state/bench/registry.json")])
      writeSafely(file, JSON.stringify(JSON.parse(readFileSync(file, "utf8")), undefined, 2));
  };
}

function upgrade(parts, size, home, version) {
  const gate = parts.diskGate();
  const machine = {
    home,
    stateDir: join(home, ".state"),
    env: {},
    platform: "linux",
    program: "stet",
    gate,
    now: () => new Date(0),
  };
  const template = { hooks: hooks(size / 2, version), settings: settings(size / 2, version) };
  const release = { name: "bench", version: `${version}`, files: [{ target: "~/app/config.json", rules, template }] };
  return parts.applyPack(parts.readPack(gate, release), machine);
}

function hooks(count, version) {
  return Array.from({ length: count }, (_, i) => ({
    event: "Stop",
    command: `node ~/app/${i % 20 === 0 ? `v${version}-` : ""}hook-${i}.js`,
    timeout: i % 10 === 1 ? version : 5,
  }));
}

function settings(count, version) {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      i % 20 === 0 ? `v${version}-${i}` : `setting-${i}`,
      i % 10 === 1 ? version : "same",
    ]),
  );
}
