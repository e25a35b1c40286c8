// Ratios, not milliseconds: the work and what it is compared with take turns in one run, so whatever else the machine
// does hits both alike.
import { limits } from "./limits.mjs";

/** A look in passing, for somebody who changes something: fewer turns, smaller sizes. Its numbers are not kept. */
export const isQuick = process.argv.includes("--quick");

/**
 * One row of the table: how many times as long `work` takes as `floor`. Each turn does both; `prepare` runs before
 * each, untimed, and is told which. `children`: the work is that of other processes, whose processor time is not ours
 * to read. The limit is that of the row's name in limits.mjs.
 * @param {{ name: string, against: string, turns?: number, warmups?: number, children?: boolean, prepare?: (which:
 * "floor" | "work") => unknown, work: (prepared: any) => unknown, floor: (prepared: any) => unknown }} bench
 */
export async function compare({
  name,
  against,
  turns = 7,
  warmups = 1,
  children = false,
  prepare = () => undefined,
  work,
  floor,
}) {
  const pairs = [];
  for (let turn = -warmups; turn < (isQuick ? Math.min(turns, 3) : turns); turn++) {
    const low = await timed(floor, await prepare("floor"));
    const high = await timed(work, await prepare("work"));
    if (turn >= 0) pairs.push({ low, high });
  }
  const times = (side) => median(pairs.map((pair) => pair[side].ms));
  const processor = median(pairs.map(({ low, high }) => high.cpu / low.cpu));
  const cpu = children ? "" : `; processor time ${processor.toFixed(2)} ×`;
  return row({
    name,
    against,
    unit: "×",
    values: pairs.map(({ low, high }) => high.ms / low.ms),
    detail: `${duration(times("high"))} to ${duration(times("low"))}${cpu}`,
  });
}

/** A row from what several turns gave: the middle one counts, the lowest and the highest are its spread. */
export function row({ name, against, unit, values, detail = "" }) {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    name,
    against,
    unit,
    value: median(sorted),
    spread: [sorted[0], sorted.at(-1)],
    limit: limits[name],
    detail,
  };
}

/**
 * By the clock, and in processor time of this process: the latter says nothing of waiting, but is the same on a busy
 * machine.
 */
async function timed(work, prepared) {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work(prepared);
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpu: (user + system) / 1000 };
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The power of `size` that `cost` grows with: the slope of a straight line through the points' logarithms, by least
 * squares. 1 is linear, 2 quadratic.
 */
export function fitExponent(points) {
  const logs = points.map(({ size, cost }) => [Math.log(size), Math.log(cost)]);
  const [meanX, meanY] = [0, 1].map((axis) => logs.reduce((sum, point) => sum + point[axis], 0) / logs.length);
  const rise = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const run = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return rise / run;
}

export function duration(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

export function isWithin({ value, limit }) {
  return limit === undefined || value <= limit;
}
