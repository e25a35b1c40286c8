// The performance page, the bench and its picture say the same. Nothing here looks at a clock.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Results {
  readonly rows: readonly {
    readonly name: string;
    readonly limit?: number;
    readonly value: number;
    readonly ok: boolean;
  }[];
}

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");
const { limits } = (await import(path.join(root, "bench/limits.mjs"))) as { limits: Record<string, number> };
const { chart, sections } = (await import(path.join(root, "bench/chart.mjs"))) as {
  chart(results: Results): string;
  sections: readonly { rows: readonly (readonly string[])[] }[];
};
const { fitExponent, isWithin } = (await import(path.join(root, "bench/measure.mjs"))) as {
  fitExponent(points: readonly { size: number; cost: number }[]): number;
  isWithin(row: { value: number; limit?: number }): boolean;
};
const results = JSON.parse(read("bench/results.json")) as Results;

it("docs/performance.md promises the limits that the bench holds rows to", () => {
  const table = read("docs/performance.md").matchAll(/^\| (.+?) \| .*? ?\| ([\d.]+) (?:×|power|ms|s|MB) \|$/gm);
  expect(Object.fromEntries([...table].map(([, name, limit]) => [name, Number(limit)]))).toEqual(limits);
});

it("docs/bench.svg shows what bench/results.json says; after a change run: npm run bench", () => {
  expect(read("docs/bench.svg")).toBe(chart(results));
});

it("bench/results.json was measured against the limits of today", () => {
  for (const row of results.rows) {
    expect([row.name, row.limit]).toEqual([row.name, limits[row.name]]);
    expect([row.name, row.ok]).toEqual([row.name, isWithin(row)]);
  }
});

it("the picture only names rows that have a limit", () => {
  for (const [name] of sections.flatMap(({ rows }) => rows)) expect(Object.keys(limits)).toContain(name);
});

/** A size that no clock notices: whoever renames or moves what the bench calls finds out here. */
describe("what the bench measures is there, and does its work", () => {
  interface Scenario {
    install?(parts: unknown, size: number, folder: string): Promise<void>;
    prepare(parts: unknown, size: number, folder: string): () => unknown;
  }
  let bundle: { parts: unknown; remove(): void };
  let folder: string;
  beforeAll(async () => {
    const { bundleParts } = (await import(path.join(root, "bench/parts.mjs"))) as {
      bundleParts(): Promise<typeof bundle>;
    };
    bundle = await bundleParts();
    folder = mkdtempSync(path.join(tmpdir(), "bench-"));
  });
  afterAll(() => {
    bundle?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(["files-growth", "host-growth", "toolset-growth"])("%s", async (name) => {
    const { install, prepare } = (await import(path.join(root, `bench/${name}.mjs`))) as Scenario;
    await install?.(bundle.parts, 40, folder);
    await prepare(bundle.parts, 40, folder)();
  });
});

describe("a fitted power", () => {
  it.each([0.5, 1, 1.1, 2])("n to the %d", (power) => {
    const points = [1000, 3000, 10_000, 30_000, 100_000].map((size) => ({ size, cost: 7 * size ** power }));
    expect(fitExponent(points)).toBeCloseTo(power, 10);
  });

  it("lies between those of points that scatter", () => {
    const points = [1, 10, 100].map((size, i) => ({ size, cost: size * [1, 1.2, 0.9][i]! }));
    expect(fitExponent(points)).toBeCloseTo(1 + Math.log(0.9) / Math.log(100), 10);
  });
});
