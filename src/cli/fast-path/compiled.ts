// V8 parses and compiles a bundle anew in each process: for a small plan that takes longer than the plan itself. The
// compiled code is kept beside the bundle, where whoever could change it could change the program as well.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { createRequire, wrap } from "node:module";
import path from "node:path";
import vm from "node:vm";
import type { run } from "../process.ts";
import { build } from "./build.ts";

interface Bundle {
  readonly run: typeof run;
  /** Keeps what is compiled by now for the next process. A folder that is not ours, or full, is left as it is. */
  keep(): void;
}

/** The bundle of this name beside this file, with the code compiled for it before where that is there and whole. */
export function load(name: string): Bundle {
  const file = path.join(__dirname, `${name}.cjs`);
  const loader = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  const require = createRequire(file);
  // Early releases of Node 20 give a script no way to import.
  if (loader === undefined || build === undefined) return { run: require(file).run, keep: () => {} };
  const place = path.join(
    __dirname,
    `${name}-${createHash("sha256").update(build).digest("hex").slice(0, 16)}.compiled`,
  );
  const cachedData = readWhole(place, file);
  const script = new vm.Script(wrap(fs.readFileSync(file, "utf8")), {
    filename: file,
    importModuleDynamically: loader,
    ...(cachedData && { cachedData }),
  });
  const module = { exports: {} as Pick<Bundle, "run"> };
  script.runInThisContext().call(module.exports, module.exports, require, module, file, __dirname);
  const good = cachedData !== undefined && script.cachedDataRejected === false;
  return { run: module.exports.run, keep: () => good || writeWhole(place, script.createCachedData()) };
}

const digestLength = 32;

/** V8 trusts what it is given, so only bytes that are just as they were written are given to it. */
function readWhole(place: string, bundle: string): Buffer | undefined {
  try {
    const file = fs.openSync(place, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
    try {
      if (fs.fstatSync(file).uid !== fs.statSync(bundle).uid) return undefined;
      const bytes = fs.readFileSync(file);
      const data = bytes.subarray(digestLength);
      return digest(data).equals(bytes.subarray(0, digestLength)) ? data : undefined;
    } finally {
      fs.closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function writeWhole(place: string, data: Buffer): void {
  const unfinished = `${place}.${process.pid}`;
  try {
    const owner = process.geteuid?.();
    if (owner !== undefined && fs.statSync(__dirname).uid !== owner) return;
    fs.writeFileSync(unfinished, Buffer.concat([digest(data), data]), { flag: "wx", mode: 0o644 });
    fs.renameSync(unfinished, place);
  } catch {
    fs.rmSync(unfinished, { force: true });
  }
}

function digest(data: Buffer): Buffer {
  return createHash("sha256").update(data).digest();
}
