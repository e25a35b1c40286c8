import { describe, expect, it } from "vitest";
import { isMap, type Value } from "../../src/core/value.ts";
import type { Machine } from "../../src/engine/machine.ts";
import { changesAnything } from "../../src/engine/plan-owner.ts";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import { uninstallOwner } from "../../src/files/uninstall.ts";
import type { Sample } from "../formats/conformance.ts";
import { jsonSamples } from "../formats/json/samples.ts";
import { tomlSamples } from "../formats/toml/samples.ts";
import { yamlSamples } from "../formats/yaml/samples.ts";
import { memoryGate } from "./memory-gate.ts";
import { flatHooks } from "./world.ts";

const file = "/home/u/config";

/** A file in memory, and the whole way from manifest to bytes. */
class Desk {
  readonly gate = memoryGate();
  readonly machine: Machine = {
    home: "/home/u",
    stateDir: "/home/u/state",
    env: {},
    platform: "linux",
    program: "stet",
    gate: this.gate,
    now: () => new Date(0),
  };
  readonly format: string;

  constructor(format: string, text: string) {
    this.format = format;
    for (const folder of ["/home", "/home/u"]) this.gate.createFolder(folder, 0o700);
    this.gate.createFile(file, Buffer.from(text), "private");
  }

  get text(): string {
    return this.gate.read(file)?.toString("utf8") ?? "(no file)";
  }

  edit(from: string, to: string): void {
    const text = this.text.replace(from, to);
    this.gate.remove(file);
    this.gate.createFile(file, Buffer.from(text), "private");
  }

  async apply(version: string, template: object): Promise<void> {
    const pack = readPack(this.gate, {
      name: "zylos",
      version,
      files: [{ target: file, format: this.format, template, rules: flatHooks }],
    });
    await applyPack(pack, this.machine);
    expect(changesAnything(await planPack(pack, this.machine))).toBe(false);
  }

  async uninstall(): Promise<void> {
    await uninstallOwner("zylos", this.machine).catch((error: Error) => {
      // Of a document that leaves no room for anything, nothing is on record.
      if (!/nothing is installed/.test(error.message)) throw error;
    });
  }
}

/** A release that puts something into every map of a document, and changes with its version. */
function templateFor(value: Value, version: number): Record<string, unknown> {
  const additions: Record<string, unknown> = {
    stet_first: version,
    stet_map: version === 2 ? { a: { b: [version] }, c: "x" } : { a: { b: [1] } },
    ...(version === 2 ? {} : { stet_gone: ["x", "y"] }),
    hooks: [1, ...(version === 2 ? [3] : [2])].map((n) => ({
      event: "zylos",
      command: `node ~/z${n}.js`,
      timeout: version,
    })),
  };
  if (!isMap(value)) return additions;
  const below = Object.keys(value).filter(
    (name) => isMap(value[name]) && Object.keys(value[name] as object).length < 50,
  );
  return { ...additions, ...Object.fromEntries(below.map((name) => [name, { stet_in: version }])) };
}

const suites: [string, readonly Sample[]][] = [
  ["json", jsonSamples],
  ["yaml", yamlSamples],
  ["toml", tomlSamples],
];

describe.each(suites)("installing, upgrading and uninstalling in %s", (format, samples) => {
  it.each(samples.map((sample) => [sample.name, sample] as const))("gives every byte back: %s", async (_, sample) => {
    const desk = new Desk(format, sample.text);
    await desk.apply("1.0.0", templateFor(sample.value, 1));
    await desk.apply("2.0.0", templateFor(sample.value, 2));
    await desk.uninstall();
    expect(desk.text).toBe(sample.text);
  });

  const edited = samples.filter((sample) => sample.elsewhere !== undefined);
  it.each(edited.map((sample) => [sample.name, sample] as const))(
    "leaves an edit made in between: %s",
    async (_, sample) => {
      const [from, to] = sample.elsewhere!;
      const desk = new Desk(format, sample.text);
      await desk.apply("1.0.0", templateFor(sample.value, 1));
      desk.edit(from, to);
      await desk.apply("2.0.0", templateFor(sample.value, 2));
      await desk.uninstall();
      expect(desk.text).toBe(sample.text.replace(from, to));
    },
  );
});

it("a comment that was found in an empty map, and changed since, stays as it is now", async () => {
  const desk = new Desk("json", "{ /* later */ }\n");
  await desk.apply("1.0.0", { a: 1, b: { c: 1 } });
  desk.edit("later", "never");
  await desk.uninstall();
  expect(desk.text).toMatch(/^\{ \/\* never \*\/\s+\}\n$/);
});

describe("dotenv", () => {
  const texts = [
    "",
    "# mine\n",
    "A=1",
    "A=1\n",
    "export A='1' # x\r\nB=\"2\n3\"\r\n",
    "\uFEFFA=1\n\n\n",
    "A=1\nA=2\n\n# end",
    "=bad line\nA=1\n",
  ];
  it.each(texts)("gives every byte back of %j", async (text) => {
    const desk = new Desk("dotenv", text);
    const release = async (version: string, template: object) => desk.apply(version, template);
    const env = (version: number) => ({
      ZYLOS_A: `x y ${version}`,
      ...(version === 1 ? { ZYLOS_B: "#" } : { ZYLOS_C: 'q"\n' }),
    });
    const outcome = await release("1.0.0", env(1)).catch((error: Error) => error);
    if (outcome instanceof Error) {
      expect(outcome.message).toMatch(/config:1:1: /);
    } else {
      await release("2.0.0", env(2));
      await desk.uninstall();
    }
    expect(desk.text).toBe(text);
  });
});
