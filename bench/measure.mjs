// Ratios, not milliseconds: the work and its floor take turns in one run, so whatever else the machine does hits both alike.

/**
 * One row of the table: how much longer `work` takes than `floor`. Each turn does both; `prepare` runs before each, untimed, and is told which.
 * @param {{ name: string, against: string, limit?: number, turns?: number, warmups?: number, prepare?: (which: "floor" | "work") => unknown, work: (prepared: any) => unknown, floor: (prepared: any) => unknown }} bench
 */
export async function compare({ name, against, limit, turns = 7, warmups = 1, prepare = () => undefined, work, floor }) {
  const pairs = [];
  for (let turn = -warmups; turn < turns; turn++) {
    const low = await timed(floor, await prepare("floor"));
    const high = await timed(work, await prepare("work"));
    if (turn >= 0) pairs.push({ low, high });
  }
  const ratios = pairs.map(({ low, high }) => high / low).sort((a, b) => a - b);
  return {
    name,
    against,
    limit,
    ratio: quiet(pairs.map((pair) => pair.high)) / quiet(pairs.map((pair) => pair.low)),
    spread: [ratios[0], ratios.at(-1)],
    ms: quiet(pairs.map((pair) => pair.high)),
    floorMs: quiet(pairs.map((pair) => pair.low)),
  };
}

async function timed(work, prepared) {
  globalThis.gc?.();
  const start = performance.now();
  await work(prepared);
  return performance.now() - start;
}

/** The lower quartile: what a thing costs when nobody else wants the machine. Others only ever make it slower. */
function quiet(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)];
}

/** A row that was measured elsewhere as a value with a limit of its own. */
export function isWithin({ ratio, value, limit }) {
  return limit === undefined || (ratio ?? value) <= limit;
}
