// One self-contained executable for Linux: Node itself with stet inside, for hosts that have no Node (Fedora CoreOS).
//   npm run build:binary [-- FILE]      default: dist/stet-linux-<arch>; FILE.notices.txt and FILE.cdx.json say what is
//   in it Node's single-executable support: all of src/ as one CommonJS file, and the native addon, are put into a copy
//   of the node that runs this.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { inject } from "postject";
import { pageAssets } from "./bundle.mjs";
import { writeBesideExecutable } from "./third-party.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = resolve(process.argv[2] ?? join(root, "dist", `stet-linux-${process.arch}`));
if (process.platform !== "linux") throw new Error("the executable is for Linux, and is built there");

// The addon is found by its path elsewhere. Here it is inside, and has to be a file for the moment in which it is
// loaded.
const addonLoader = `
const { getRawAsset } = require("node:sea");
const fs = require("node:fs");
const { join } = require("node:path");
// Not every folder for temporary files lets programs be loaded from it.
const places = [process.env.XDG_RUNTIME_DIR, require("node:os").tmpdir(), "/run", "/var/tmp", process.env.STET_STATE_DIR].filter(Boolean);
let loaded, failure;
for (const place of places) {
  let folder;
  try {
    folder = fs.mkdtempSync(join(place, ".stet-"));
    const file = join(folder, "addon.node");
    fs.writeFileSync(file, Buffer.from(getRawAsset("addon.node")), { mode: 0o500 });
    const inside = { exports: {} };
    process.dlopen(inside, file);
    loaded = inside.exports;
    break;
  } catch (error) {
    failure = error;
  } finally {
    if (folder) fs.rmSync(folder, { recursive: true, force: true });
  }
}
if (!loaded) throw failure;
module.exports = loaded;
`;

const work = mkdtempSync(join(tmpdir(), "stet-binary-"));
try {
  const metafile = await bundle(join(work, "stet.cjs"));
  const blob = prepareBlob();
  mkdirSync(dirname(output), { recursive: true });
  rmSync(output, { force: true });
  copyFileSync(process.execPath, output);
  chmodSync(output, 0o755);
  await injectQuietly(readFileSync(blob));
  writeBesideExecutable(output, [metafile, (await pageAssets()).metafile]);
  console.log(output);
} finally {
  rmSync(work, { recursive: true });
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
    define: { STET_UI: JSON.stringify((await pageAssets()).assets) },
    logLevel: "warning",
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
    assets: { "addon.node": addonPath() },
  };
  writeFileSync(join(work, "sea.json"), JSON.stringify(config));
  execFileSync(process.execPath, ["--experimental-sea-config", join(work, "sea.json")], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return blob;
}

function addonPath() {
  return join(
    root,
    "node_modules/fs-native-extensions/prebuilds",
    `linux-${process.arch}`,
    "fs-native-extensions.node",
  );
}
