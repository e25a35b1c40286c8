/**
 * What the two threads share: whose turn it is to write, whether the sign stands there, whether it may, whether the
 * command is over.
 */
export const cell = { turn: 0, shown: 1, hushed: 2, over: 3 } as const;
export const cellCount = Object.keys(cell).length;

export const clearLine = "\r\u001b[K";
const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
/** Nobody needs to be told about what is over before they wonder. */
const patienceMs = 500;
const stepMs = 120;

/**
 * The thread's program. A text, as programs that embed this one are bundled into a single file: there is no second one
 * to load.
 */
export const signOfLife = `
const { workerData: { label, cells, since } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const frames = ${JSON.stringify([...frames])};
const monotonicMs = () => Number(process.hrtime.bigint() / 1000000n);
let [frame, patience, seen] = [0, Math.max(0, since + ${patienceMs} - monotonicMs()), true];
while (seen && Atomics.wait(cells, ${cell.over}, 0, patience) === "timed-out") {
  while (Atomics.compareExchange(cells, ${cell.turn}, 0, 1) !== 0) Atomics.wait(cells, ${cell.turn}, 1);
  if (Atomics.load(cells, ${cell.over}) === 0 && Atomics.load(cells, ${cell.hushed}) === 0) seen = draw();
  Atomics.store(cells, ${cell.turn}, 0);
  Atomics.notify(cells, ${cell.turn});
  patience = ${stepMs};
}
function draw() {
  const seconds = Math.round((monotonicMs() - since) / 1000);
  try {
    writeSync(2, ${JSON.stringify(clearLine)} + frames[frame++ % frames.length] + " " + label + " … " + seconds + " s");
    Atomics.store(cells, ${cell.shown}, 1);
    return true;
  } catch {
    // The terminal is gone.
    return false;
  }
}
`;
