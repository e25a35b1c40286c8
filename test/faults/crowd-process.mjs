// One of the many of crowd.test.ts: node crowd-process.mjs PROGRAM JOB …, with the program as it ships.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [program, job, ...args] = process.argv.slice(2);
let isAsked = true;
process.stdin.resume().on("end", () => {
  isAsked = false;
});

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

  /**
   * Somebody who locks what he edits: a word at the beginning of his list, again and again until his input ends. Says
   * how often.
   */
  async "edit-locked"(file) {
    const { tryLock } = createRequire(path.join(program, "bin", "stet.cjs"))("fs-native-extensions");
    let edits = 0;
    for (const pause = growing(100); isAsked; await sleep(pause())) {
      const fd = fs.openSync(file, "r+");
      const isOurs = tryLock(fd, 0, 0) && fs.fstatSync(fd).ino === fs.statSync(file).ino;
      if (isOurs) {
        const edited = (text) => text.replace('"mine": [', `"mine": ["locked-${edits++}", `);
        if (!(await replaceText(file, edited))) throw new Error(`${file} was written while it was locked`);
      }
      fs.closeSync(fd);
    }
    console.log(edits);
  },

  /** Somebody who knows of no lock: a line at the end, again and again until his input ends. Says how often. */
  async "edit-loose"(file) {
    let edits = 0;
    for (const pause = growing(150); isAsked; await sleep(pause()))
      await replaceText(file, (text) => `${text}# loose-${edits++}.\n`);
    console.log(edits);
  },
};

/**
 * The pauses between edits, each a little longer than the one before: on a machine that is too busy to plan and write
 * between two edits the crowd comes through all the same.
 */
function growing(ms) {
  let next = ms;
  return () => {
    const pause = next;
    next = Math.min(next * 1.1, 5000);
    return pause;
  };
}

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

/**
 * As editors do: a new file in the old one's place, after a while. False where somebody else wrote meanwhile, which
 * editors don't notice.
 */
async function replaceText(file, change) {
  const temp = `${file}.${process.pid}.new`;
  const text = fs.readFileSync(file, "utf8");
  await sleep(5);
  fs.writeFileSync(temp, change(text));
  const isUnchanged = fs.readFileSync(file, "utf8") === text;
  fs.renameSync(temp, file);
  return isUnchanged;
}

await jobs[job](...args);
process.stdin.destroy();
