// How cost grows from a thousand entries to a hundred thousand: a fresh process for each size, as a user starts one,
// and a power fitted to what they took.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { duration, fitExponent, isQuick, median, row } from "./measure.mjs";

const sizes = isQuick ? [1_000, 3_000, 10_000] : [1_000, 3_000, 10_000, 30_000, 100_000];
const child = fileURLToPath(new URL("growth-process.mjs", import.meta.url));

/**
 * Two rows, of time and of memory. `scenario` is a module with `prepare(parts, size, folder)`, which returns the work
 * to be timed, and, where that needs something on disk, `install(parts, size, folder)`, which runs in a process of its
 * own before it. Each turn measures all sizes and fits a power of its own. A scenario with a `floor(parts, size,
 * folder)` has a third row: how many times its processor time the largest size takes.
 * @param {{ what: string, scenario: URL, turns?: number, bundle: string, folder: string }} growth
 */
export async function* growth({ what, scenario, turns = 3, bundle, folder }) {
  const rounds = [];
  const { install, floor } = await import(scenario.href);
  for (let turn = 0; turn < (isQuick ? 1 : turns); turn++) {
    const points = [];
    for (const size of sizes)
      points.push({ size, ...(await measured({ scenario, install, floor, size, bundle, folder })) });
    rounds.push(points);
  }
  const against = `${sizes[0].toLocaleString("en")} → ${sizes.at(-1).toLocaleString("en")} entries`;
  const exponents = (cost) =>
    rounds.map((points) => fitExponent(points.map((point) => ({ size: point.size, cost: point[cost] }))));
  const ends = (cost, write) =>
    [0, sizes.length - 1].map((i) => write(median(rounds.map((points) => points[i][cost])))).join(" → ");
  const time = `${ends("ms", duration)}; by processor time ${median(exponents("cpu")).toFixed(2)}`;
  yield row({ name: `${what}: time`, against, unit: "power", values: exponents("ms"), detail: time });
  yield row({
    name: `${what}: memory`,
    against,
    unit: "power",
    values: exponents("memory"),
    detail: ends("memory", megabytes),
  });
  if (floor === undefined || isQuick) return;
  const largest = rounds.map((points) => points.at(-1));
  const middle = (cost) => median(largest.map(cost));
  yield row({
    name: `${what}: 100,000 entries`,
    against: "parsing and writing the same files",
    unit: "×",
    values: largest.map((point) => point.cpu / point.floor.cpu),
    detail: `processor time, ${duration(middle((point) => point.cpu))} to ${duration(middle((point) => point.floor.cpu))}; memory ${megabytes(middle((point) => point.memory))} to ${megabytes(middle((point) => point.floor.memory))}`,
  });
}

async function measured({ scenario, install, floor, size, bundle, folder }) {
  const own = mkdtempSync(join(folder, "growth-"));
  const step = (name) =>
    promisify(execFile)(process.execPath, ["--expose-gc", child, bundle, scenario.href, name, String(size), own]);
  try {
    if (install) await step("install");
    const least = floor && size === sizes.at(-1) ? JSON.parse((await step("floor")).stdout) : undefined;
    const { stdout } = await step("prepare");
    return { ...JSON.parse(stdout), floor: least };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function megabytes(kilobytes) {
  return `${(kilobytes / 1024).toFixed(0)} MB`;
}
