// Bundles src/ into a folder as it ships: the library as one file, the commands in chunks, so that each loads only
// what it needs, and once more in one file: those on files, and those on hosts.
//   node scripts/bundle.mjs FOLDER
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

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
    define: { STET_BUILD: JSON.stringify(sourceHash()), STET_VERSION: JSON.stringify(version) },
    logLevel: "warning",
    metafile: true,
  };
  const page = await pageAssets();
  const whole = { ...shared.define, STET_UI: JSON.stringify(page.assets) };
  const modules = { ...shared, define: whole, format: "esm", plugins: [builtinsAsImports()] };
  const cli = await build({
    ...modules,
    entryPoints: { cli: "src/cli/process.ts" },
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
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
  const commands = (name, others) =>
    build({
      ...single,
      entryPoints: { [name]: "src/cli/process.ts" },
      define: { ...shared.define, "import.meta.url": "__filename" },
      // One function, which compiled.ts calls with what Node gives a module.
      banner: { js: "(function(exports,require,module,__filename,__dirname){" },
      footer: { js: "})" },
      supported: { "dynamic-import": false },
      plugins: [withoutCommands(others), loadedWhenCalled()],
    });
  const apart = ["host/host", "toolset/toolset", "ui/ui", "decide/mcp"];
  const files = await commands("files", apart);
  const host = await commands(
    "host",
    commandModules().filter((name) => name !== "host/host"),
  );
  for (const name of ["fast-path", "compiled", "files", "host"]) withoutCopies(join(outdir, `${name}.cjs`));
  // The library, one file for each kind of program: most are bundled themselves, and others load one file sooner than
  // a hundred.
  const library = { entryPoints: { index: "src/index.ts" } };
  const esm = await build({ ...modules, ...library });
  const cjs = await build({ ...single, ...library, define: { ...whole, "import.meta.url": "undefined" } });
  return [cli, short, files, host, esm, cjs, page].map(({ metafile }) => metafile);
}

/** The page of `stet ui` as texts, in JSON: they are part of the program, so that an executable has them, too. */
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
  const assets = { html: read("index.html"), style: read("app.css"), script: outputFiles[0].text };
  return { assets: JSON.stringify(assets), metafile };
}

/**
 * Bundled CommonJS asks for Node's own modules by `require`, which an ES module does not have. Here it gets them by an
 * import, so that a bundle made of ours works in whatever format it is.
 */
function builtinsAsImports() {
  const names = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  return {
    name: "builtins-as-imports",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z:_/]+$/ }, ({ kind, path }) =>
        kind === "require-call" && names.has(path) ? { path, namespace: "builtin" } : undefined,
      );
      onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
        contents: `export * from ${JSON.stringify(path)}; export { default } from ${JSON.stringify(path)};`,
      }));
    },
  };
}

/**
 * These modules take up to several milliseconds to load, and most commands call none of their functions: each is loaded
 * by the first call.
 */
function loadedWhenCalled() {
  const builtins = ["crypto", "child_process", "stream/consumers", "timers/promises"].map((name) => `node:${name}`);
  const slow = [...builtins, "semver/functions/parse.js", "picomatch", "ignore"];
  return {
    name: "loaded-when-called",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^[a-z]/ }, ({ kind, path }) =>
        kind === "import-statement" && slow.includes(path) ? { path, namespace: "when-called" } : undefined,
      );
      // Manifests are mostly plain, and need no reader that knows where everything stands.
      onResolve({ filter: /formats\/yaml\/node\.ts$/ }, ({ kind, importer, resolveDir, path }) =>
        kind === "import-statement" && importer.endsWith("read-yaml.ts")
          ? { path: join(resolveDir, path), namespace: "own-when-called" }
          : undefined,
      );
      onLoad({ filter: /.*/, namespace: "own-when-called" }, ({ path }) => ({
        contents: `export function readYamlText(text) { return require(${JSON.stringify(path)}).readYamlText(text); }`,
        resolveDir: root,
      }));
      onLoad({ filter: /.*/, namespace: "when-called" }, async ({ path }) => {
        const { default: whole, ...parts } = await import(path);
        const names = Object.keys(parts).filter((name) => typeof parts[name] === "function" && /^[a-z]\w*$/.test(name));
        const load = `require(${JSON.stringify(path)})`;
        const call = (member) => `(...args) { return ${load}${member}(...args); }`;
        const functions = names.map((name) => `export function ${name}${call(`.${name}`)}`);
        const all = typeof whole === "function" ? `function${call("")}` : `{ ${names} }`;
        return { contents: `${functions.join("\n")}\nexport default ${all};`, resolveDir: root };
      });
    },
  };
}

/**
 * esbuild makes a copy of each module that is imported as a whole, for each file that does: a hundred functions for
 * `node:fs`, eight times. An object that looks everything up in the module does as well.
 */
function withoutCopies(file) {
  const copying = /__toESM=\(mod,isNodeMode,(target\d*)\)=>\(\1=.{0,200}?:\1,mod\)\)/;
  const text = readFileSync(file, "latin1");
  // They are read as Latin-1.
  if (/[^\0-\x7f]/.test(text)) throw new Error(`${file} is not ASCII: ${/.{0,40}[^\0-\x7f]/.exec(text)[0]}`);
  if (!copying.test(text)) throw new Error(`${file} no longer copies modules as this script expects`);
  const own = "isNodeMode||!mod.__esModule?{default:{value:mod,enumerable:!0}}:{}";
  writeFileSync(file, text.replace(copying, `__toESM=(mod,isNodeMode)=>__create(mod,${own})`));
}

/** The modules of all commands, as the table names them. */
function commandModules() {
  const table = readFileSync(join(root, "src/cli/main.ts"), "utf8");
  return [...new Set([...table.matchAll(/load: .*import\("\.\/([^"]+)\.ts"\)/g)].map(([, name]) => name))];
}

/** Leaves commands out: the bin never asks this bundle for them. */
function withoutCommands(names) {
  const known = commandModules();
  if (!names.every((name) => known.includes(name)))
    throw new Error("src/cli/main.ts no longer loads commands as this script expects");
  const others = names.map((name) => `./${name}.ts`);
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
export function sourceHash() {
  const hash = createHash("sha256");
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) =>
    /\.(?:tsx?|css|html)$/.test(name),
  );
  const others = ["package.json", "package-lock.json", "bin/stet.cjs", "scripts/bundle.mjs"];
  for (const name of [...sources.sort().map((source) => join("src", source)), ...others]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(resolve(process.argv[2]));
