// A program of saves.test.ts that knows nothing of stet: node save-process.mjs PATTERN FILE SECONDS FORMAT STATE. It
// saves its file again and again, each time whole and with a number of its own, and looks a moment later whether its
// last save is still there, or at least in the history. Prints one line of JSON: how often it saved, and which saves
// were lost.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [pattern, file, seconds, format, state] = process.argv.slice(2);

const patterns = {
  /** fs.writeFileSync, and whatever truncates and writes at once. */
  "in-place": (text) => fs.writeFileSync(file, text),
  /** A program that writes as it goes: empty for a while, then a half, then all. */
  async slow(text) {
    const fd = fs.openSync(file, "w");
    await sleep(Math.random() * 15);
    const half = Math.floor(text.length / 2);
    fs.writeSync(fd, text.slice(0, half));
    await sleep(Math.random() * 15);
    fs.writeSync(fd, text.slice(half));
    fs.closeSync(fd);
  },
  shell: (text) => void execFileSync("sh", ["-c", 'printf %s "$1" > "$2"', "sh", text, file]),
  /** A command that takes a while to come to its output, as most do: the shell has emptied the file by then. */
  producer: (text) => void execFileSync("sh", ["-c", '(sleep 0.7; printf %s "$1") > "$2"', "sh", text, file]),
  /** The old file is moved aside, a new one is made under its name, and the old one goes. */
  vim(text) {
    fs.renameSync(file, `${file}~`);
    const fd = fs.openSync(file, "w");
    fs.writeSync(fd, text);
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.unlinkSync(`${file}~`);
  },
  /** vim with backupcopy=yes, as it does for links: a copy is kept aside, and the file is written in place. */
  "vim-copy"(text) {
    fs.copyFileSync(file, `${file}~`);
    const fd = fs.openSync(file, "w");
    fs.writeSync(fd, text);
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.unlinkSync(`${file}~`);
  },
  /** VS Code: opened, cut off, written in blocks, made safe, closed; each step comes back to the event loop. */
  async code(text) {
    const handle = await fs.promises.open(file, "w");
    for (let at = 0; at < text.length; at += 200) await handle.write(text.slice(at, at + 200));
    await handle.datasync();
    await handle.close();
  },
};

const documents = {
  json: (mark) => `${JSON.stringify({ mark, own: Array.from({ length: 40 }, (_, i) => `item ${i}`) }, undefined, 1)}\n`,
  yaml: (mark) => `mark: ${mark}\nown:\n${Array.from({ length: 40 }, (_, i) => `  item${i}: ${i}\n`).join("")}`,
  env: (mark) => `MARK=${mark}\n${Array.from({ length: 40 }, (_, i) => `OWN_${i}=${i}\n`).join("")}`,
};

const isThere = (mark) => fs.existsSync(file) && fs.readFileSync(file, "utf8").includes(mark);

/** What is put back in this very moment is there in the next. */
async function isStillThere(mark) {
  for (let tries = 0; tries < 100; tries++) {
    if (isThere(mark)) return true;
    await sleep(50);
  }
  return false;
}

/** What a stated window can lose has to be in the history. */
function isKept(mark) {
  const files = fs
    .readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.parentPath.endsWith("/objects"));
  return files.some((entry) => textOf(`${entry.parentPath}/${entry.name}`).includes(mark));
}

function textOf(path) {
  try {
    return fs.readFileSync(path, "utf8");
  } catch {
    // It has just been dropped as one of the oldest.
    return "";
  }
}

const end = performance.now() + Number(seconds) * 1000;
const lost = [];
let saves = 0;
while (performance.now() < end) {
  const mark = `${pattern}-${saves++}.`;
  await patterns[pattern](documents[format](mark));
  await sleep(50 + Math.random() * 500);
  if (!(await isStillThere(mark)) && !isKept(mark)) lost.push(mark);
}
console.log(JSON.stringify({ saves, lost }));
