// V8 parses and compiles a bundle anew in each process: for a small plan that takes longer than the plan itself. The
// compiled code is kept beside the bundle, where whoever could change it could change the program as well.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import type { run } from "../process.ts";
import { build } from "./build.ts";

interface Bundle {
  readonly run: typeof run;
  /**
   * Keeps what is compiled by now for the next process: for all commands, or for this one alone. A folder that is not
   * ours, or full, is left as it is.
   */
  keep(isOwn?: boolean): void;
}

/**
 * The bundle of this name beside this file, with the code compiled for it before where that is there and whole: what
 * this command runs, or else what all do.
 */
export function load(name: string, command?: string): Bundle {
  const file = path.join(__dirname, `${name}.cjs`);
  const own = command !== undefined && /^[a-z-]+$/.test(command) ? cacheFile(`${name}-${command}`) : undefined;
  const shared = cacheFile(name);
  const cachedData = (own && readWhole(own, file)) ?? readWhole(shared, file);
  // The bundle is one function, in ASCII: reading its bytes as Latin-1 copies them, and checks or joins nothing.
  const script = new vm.Script(fs.readFileSync(file).toString("latin1"), {
    filename: file,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} as Pick<Bundle, "run"> };
  // The bundle stands beside this file, so what it asks for is found from here as well; Node's own way to a `require` of
  // its own loads half a dozen modules.
  script.runInThisContext().call(module.exports, module.exports, require, module, file, __dirname);
  const good = cachedData !== undefined && script.cachedDataRejected === false;
  return {
    run: module.exports.run,
    keep: (isOwn) => good || writeTwice((isOwn && own) || shared, script.createCachedData()),
  };
}

function cacheFile(name: string): string {
  return path.join(__dirname, `${name}-${build?.slice(0, 16)}.compiled`);
}

/**
 * V8 trusts what it is given and crashes on damage. So the code is kept twice in a row, and only given to V8 where both
 * are the same: to compare them takes a tenth of the time that a hash takes.
 */
function readWhole(place: string, bundle: string): Buffer | undefined {
  try {
    const file = fs.openSync(place, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      const { uid, size } = fs.fstatSync(file);
      if (uid !== fs.statSync(bundle).uid) return undefined;
      const data = Buffer.allocUnsafeSlow(size >> 1);
      fs.readSync(file, data);
      return data.length > 0 && goesOnAs(data, file) ? data : undefined;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Part by part, in memory that is at hand: new memory takes longer to get than to compare. */
function goesOnAs(data: Buffer, file: number): boolean {
  const part = Buffer.allocUnsafeSlow(1 << 16);
  for (let at = 0; at < data.length; at += part.length) {
    const expected = data.subarray(at, at + part.length);
    if (fs.readSync(file, part) < expected.length || !part.subarray(0, expected.length).equals(expected)) return false;
  }
  return true;
}

function writeTwice(place: string, data: Buffer): void {
  const unfinished = `${place}.${process.pid}`;
  try {
    const owner = process.geteuid?.();
    if (owner !== undefined && fs.statSync(__dirname).uid !== owner) return;
    fs.writeFileSync(unfinished, Buffer.concat([data, data]), { flag: "wx", mode: 0o644 });
    fs.renameSync(unfinished, place);
  } catch {
    fs.rmSync(unfinished, { force: true });
  }
}
