// Upgrades through plan and apply, on real files.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { growth } from "./growth.mjs";
import { compare } from "./measure.mjs";

export async function* benchFiles(folder, bundle) {
  yield await editsRow(1, folder, bundle);
  yield await editsRow(10_000, folder, bundle);
  yield* growth({ what: "files growth", scenario: new URL("files-growth.mjs", import.meta.url), bundle, folder });
}

async function editsRow(edits, folder, bundle) {
  const home = mkdtempSync(join(folder, "big-"));
  const work = await side("work", edits, home, bundle);
  const floor = await side("floor", edits, home, bundle);
  let value = 0;
  try {
    return await compare({
      name: `${edits.toLocaleString("en")} ${edits === 1 ? "edit" : "edits"} in a 10 MB JSON file`,
      against: "parse + stringify + atomic write",
      // Until the engine has compiled both sides: what a command takes that starts from nothing is the row against jq.
      warmups: 3,
      turns: 15,
      children: true,
      // Writes what stands there already, so that nobody has edited anything.
      floor: () => floor.set(value),
      work: () => work.set(++value),
    });
  } finally {
    work.end();
    floor.end();
  }
}

async function side(name, edits, home, bundle) {
  const child = fork(new URL("edits.mjs", import.meta.url), [name, bundle, home, String(edits)]);
  const failed = once(child, "exit").then(([code]) => {
    if (code) throw new Error(`the ${name} of the row of ${edits} edits failed`);
  });
  const answer = () => Promise.race([once(child, "message"), failed]);
  await answer();
  return {
    async set(value) {
      child.send(value);
      await answer();
    },
    end: () => child.disconnect(),
  };
}
