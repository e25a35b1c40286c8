// One of the many of crowd.test.ts: node crowd-process.mjs PROGRAM JOB …, with the program as it ships.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [program, job, ...args] = process.argv.slice(2);

const jobs = {
  /** An owner that upgrades itself, and goes back, again and again; each time with another version. */
  async apply(home, owner, first, rounds) {
    const { loadManifest, reconcile } = await import(pathToFileURL(path.join(program, "dist", "index.js")));
    for (let round = 0; round < Number(rounds); round++) {
      const level = Number(first) + round;
      const files = [
        { target: "~/app/config.json", template: { [owner]: { level, name: owner }, shared: "both" } },
        { target: "~/app/config.yaml", template: { [owner]: { level, text: `of ${owner}` } } },
        { target: "~/app/.env", template: `${owner.toUpperCase()}_LEVEL=${level}\n` },
      ];
      const manifest = await loadManifest({ name: owner, version: `${level}.0.0`, files });
      while (!(await isApplied(() => reconcile(manifest, { home })))) await sleep(5);
    }
  },

  /** Somebody who locks what he edits: a word at the beginning of his list, as often as asked. */
  async "edit-locked"(file, count) {
    const { tryLock } = createRequire(path.join(program, "bin", "stet.cjs"))("fs-native-extensions");
    for (let number = 0; number < Number(count); ) {
      const fd = fs.openSync(file, "r+");
      const isOurs = tryLock(fd, 0, 0) && fs.fstatSync(fd).ino === fs.statSync(file).ino;
      if (isOurs) replaceText(file, (text) => text.replace('"mine": [', `"mine": ["locked-${number++}", `));
      fs.closeSync(fd);
      await sleep(3);
    }
  },

  /** Somebody who knows of no lock: a line at the end, as often as asked. */
  async "edit-loose"(file, count) {
    for (let number = 0; number < Number(count); number++) {
      replaceText(file, (text) => `${text}# loose-${number}.\n`);
      await sleep(3);
    }
  },
};

/** False where the others took too long or were too quick: then it is tried again, as the message says. */
async function isApplied(run) {
  try {
    await run();
    return true;
  } catch (error) {
    if (["state-busy", "file-busy", "keeps-changing"].includes(error.diagnostic?.code)) return false;
    throw error;
  }
}

/** As editors do: a new file in the old one's place. */
function replaceText(file, change) {
  const temp = `${file}.${process.pid}.new`;
  fs.writeFileSync(temp, change(fs.readFileSync(file, "utf8")));
  fs.renameSync(temp, file);
}

await jobs[job](...args);
