// Ratios, not milliseconds: the work and its floor take turns in one run, so whatever else the machine does hits both alike.

/**
 * One row of the table: how much longer `work` takes than `floor`. Each turn does both; `prepare` runs before each, untimed, and is told which. `children`: the work is
 * that of other processes, whose processor time is not ours to read.
 * @param {{ name: string, against: string, limit?: number, turns?: number, warmups?: number, children?: boolean, prepare?: (which: "floor" | "work") => unknown, work: (prepared: any) => unknown, floor: (prepared: any) => unknown }} bench
 */
export async function compare({ name, against, limit, turns = 7, warmups = 1, children = false, prepare = () => undefined, work, floor }) {
  const pairs = [];
  for (let turn = -warmups; turn < turns; turn++) {
    const low = await timed(floor, await prepare("floor"));
    const high = await timed(work, await prepare("work"));
    if (turn >= 0) pairs.push({ low, high });
  }
  const ratios = pairs.map(({ low, high }) => high.ms / low.ms).sort((a, b) => a - b);
  const [low, high] = ["low", "high"].map((side) => ({
    ms: quiet(pairs.map((pair) => pair[side].ms)),
    cpu: quiet(pairs.map((pair) => pair[side].cpu)),
  }));
  return {
    name,
    against,
    limit,
    ratio: high.ms / low.ms,
    spread: [ratios[0], ratios.at(-1)],
    cpuRatio: children ? undefined : high.cpu / low.cpu,
    ms: high.ms,
    floorMs: low.ms,
  };
}

/** By the clock, and in processor time of this process: the latter says nothing of waiting, but is the same on a busy machine. */
async function timed(work, prepared) {
  const [start, used] = [performance.now(), process.cpuUsage()];
  await work(prepared);
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpu: (user + system) / 1000 };
}

/** The lower quartile: what a thing costs when nobody else wants the machine. Others only ever make it slower. */
function quiet(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];
}

/** A row that was measured elsewhere as a value with a limit of its own. */
export function isWithin({ ratio, value, limit }) {
  return limit === undefined || (ratio ?? value) <= limit;
}
