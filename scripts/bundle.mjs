// Bundles src/ into a folder as it ships: code-split chunks, so that a command loads only what it needs, and what
// `plan` and `apply` need as single files.
//   node scripts/bundle.mjs FOLDER
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Resolves to what esbuild says of each bundle, for whoever asks what is in them. */
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
    metafile: true,
  };
  const page = await pageAssets();
  const split = await build({
    ...shared,
    define: { ...shared.define, STET_UI: JSON.stringify(page.assets) },
    entryPoints: { index: "src/index.ts", cli: "src/cli/process.ts" },
    splitting: true,
    format: "esm",
    chunkNames: "chunks/[name]-[hash]",
    // Bundled CommonJS may ask for Node's own modules.
    banner: {
      js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
    },
  });
  // CommonJS, one file: Node starts it without setting up its other loader, forty chunks take as long to load as a plan
  // to make, and its compiled code can be kept (src/cli/fast-path/compiled.ts).
  const single = { ...shared, format: "cjs", outExtension: { ".js": ".cjs" } };
  const short = await build({
    ...single,
    entryPoints: {
      "fast-path": "src/cli/fast-path/fast-path.ts",
      compiled: "src/cli/fast-path/compiled.ts",
    },
  });
  const files = await build({
    ...single,
    entryPoints: { files: "src/cli/process.ts" },
    define: { ...shared.define, "import.meta.url": "__moduleUrl" },
    banner: { js: 'const __moduleUrl=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [withoutCommands("host/host", "toolset/toolset", "ui/ui", "decide/mcp")],
  });
  return [split, short, files, page].map(({ metafile }) => metafile);
}

/** The page of `stet ui` as texts: they are part of the program, so that an executable has them, too. */
export async function pageAssets() {
  const folder = join(root, "src/cli/ui/page");
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [join(folder, "app.tsx")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
    metafile: true,
  });
  const read = (name) => readFileSync(join(folder, name), "utf8");
  return { assets: { html: read("index.html"), style: read("app.css"), script: outputFiles[0].text }, metafile };
}

/** Leaves large commands out: the bin never asks this bundle for them. */
function withoutCommands(...names) {
  const others = names.map((name) => `./${name}.ts`);
  const table = readFileSync(join(root, "src/cli/main.ts"), "utf8");
  if (!others.every((path) => table.includes(`load: () => import("${path}")`)))
    throw new Error("src/cli/main.ts no longer loads commands as this script expects");
  return {
    name: "without-commands",
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/.*\.ts$/ }, ({ kind, importer, path }) =>
        kind === "dynamic-import" && importer.endsWith("main.ts") && others.includes(path)
          ? { path, external: true }
          : undefined,
      );
    },
  };
}

/** What tells one build from another: everything that is bundled comes from these. */
function sourceHash() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) =>
    /\.(?:tsx?|css|html)$/.test(name),
  );
  for (const name of [...sources.sort().map((source) => join("src", source)), "package.json", "package-lock.json"]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(resolve(process.argv[2]));
