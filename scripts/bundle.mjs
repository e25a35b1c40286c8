// Bundles src/ into a folder as it ships: code-split chunks, so that a command loads only what it needs, and the short way as one file of its own.
//   node scripts/bundle.mjs FOLDER
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

export async function bundle(outdir) {
  const shared = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    platform: "node",
    target: "node20",
    mainFields: ["module", "main"],
    external: ["fs-native-extensions"],
    minifySyntax: true,
    minifyWhitespace: true,
    define: { STET_BUILD: JSON.stringify(sourceHash()) },
    logLevel: "warning",
  };
  await build({
    ...shared,
    entryPoints: { index: "src/index.ts", cli: "src/cli/process.ts" },
    splitting: true,
    format: "esm",
    chunkNames: "chunks/[name]-[hash]",
    // Bundled CommonJS may ask for Node's own modules.
    banner: { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' },
  });
  // CommonJS: Node starts it without setting up its other loader.
  await build({ ...shared, entryPoints: { "short-way": "src/cli/short-way.ts" }, format: "cjs", outExtension: { ".js": ".cjs" } });
}

/** What tells one build from another: everything that is bundled comes from these. */
function sourceHash() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) => name.endsWith(".ts"));
  for (const name of [...sources.sort().map((source) => join("src", source)), "package.json", "package-lock.json"]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(resolve(process.argv[2]));
