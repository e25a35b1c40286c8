// needs: node22 node24
// Programs that use the library, put together in every usual way, and run with every Node that is supported.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { rollup } from "rollup";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import webpack from "webpack";
import { type Installed, installPackage } from "./installed.ts";

/** Everything that a bundler could break: formats that load late, the addon, host, toolset, the command line. */
const story = `
const home = process.env.HOME;
async function story({ loadManifest, reconcile, merge, uninstall, evaluateHost, mergeToolset, main, InputError, plan }) {
  const files = [
    { target: "~/a.json", template: { a: 1 } },
    { target: "~/b.yaml", template: { a: 1 } },
    { target: "~/c.toml", template: { a: 1 } },
    { target: "~/.env", template: "A=1\\n" },
  ];
  const source = { name: "chime", version: "1.0.0", files };
  const done = await reconcile(await loadManifest(source), { home });
  const merged = await merge("A=1\\n", "A=1\\nB=2\\n", "A=2\\n", { path: ".env" });
  const refused = await plan(source, { home }).catch((error) => error instanceof InputError && error.code);
  const host = await evaluateHost("nowhere", { home, repo: home }).catch((error) => error.code);
  const toolset = await mergeToolset([]);
  const code = await main(["status", "--quiet"], { program: "chime config", manifest: source });
  const gone = await uninstall("chime", { home });
  console.log(JSON.stringify([done.changed, merged.text, refused, host, toolset.changed, code, gone.changed]));
}
`;
const told = `[4,"A=2\\nB=2\\n","invalid-manifest","no-repository",true,0,4]\n`;

let installed: Installed;
let out: (name: string) => string;

beforeAll(() => {
  installed = installPackage();
  out = (name) => path.join(installed.folder, "out", name);
  installed.write("program.mjs", `import * as stet from "stet";\n${story}\nawait story(stet);\n`);
  installed.write("script.cjs", `${story}\nstory(require("stet"));\n`);
  // A CommonJS file can't await at its top.
  installed.write("program.js", `import * as stet from "stet";\n${story}\nstory(stet);\n`);
});
afterAll(() => installed.remove());

const cache = process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache/stet-test");
const nodes = [
  ["20", process.execPath],
  ["22", path.join(cache, "node22/bin/node")],
  ["24", path.join(cache, "node24/bin/node")],
] as const;

const isWhole = process.env.CI === "true" || process.env.WHOLE === "1";

/**
 * A bundle on each Node in CI and with WHOLE=1. Elsewhere on one, so that each Node runs bundles of both kinds of modules
 * and of several bundlers; without a bundler the library runs on all of them.
 */
function runs(file: string, turn: number): void {
  const chosen = isWhole ? nodes : [nodes[turn % nodes.length]!];
  runsEverywhere(
    file,
    chosen.map(([, node]) => [node, file]),
  );
}

/** What a program says on each Node. A bundle is run from the folder it was put into, beside nothing but the addon. */
function runsEverywhere(file: string, places = nodes.map(([, node]) => [node, file])): void {
  for (const command of places) {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "stet-bundle-home-"));
    const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
      cwd: home,
      env: { HOME: home, PATH: process.env.PATH },
      encoding: "utf8",
    });
    fs.rmSync(home, { recursive: true });
    expect({ command, status, stdout, stderr }).toEqual({ command, status: 0, stdout: told, stderr: "" });
  }
}

describe("without a bundler", () => {
  it("import", () => runsEverywhere(path.join(installed.folder, "program.mjs")));
  it("require", () => runsEverywhere(path.join(installed.folder, "script.cjs")));
});

const external = ["fs-native-extensions"];

describe("esbuild", () => {
  const bundle = async (entry: string, format: "esm" | "cjs", outfile: string, turn: number) => {
    const entryPoints = [path.join(installed.folder, entry)];
    const { warnings } = await build({ entryPoints, bundle: true, platform: "node", format, outfile, external });
    expect(warnings).toEqual([]);
    runs(outfile, turn);
  };
  it("an ES module", () => bundle("program.mjs", "esm", out("esbuild.mjs"), 0));
  it("CommonJS of an ES module", () => bundle("program.js", "cjs", out("esbuild.cjs"), 1));
  it("CommonJS", () => bundle("script.cjs", "cjs", out("esbuild-required.cjs"), 2));
});

describe("rollup", () => {
  const bundle = async (entry: string, format: "es" | "cjs", file: string, turn: number) => {
    const resolveId = (id: string) =>
      id === "stet" ? path.join(installed.folder, "node_modules/stet/dist/index.js") : null;
    const made = await rollup({
      input: path.join(installed.folder, entry),
      external: [...external, /^node:/, /^[a-z_]+(?:\/[a-z]+)?$/],
      plugins: [{ name: "node-modules", resolveId: { order: "pre", handler: resolveId } }],
      onLog: (level, { code, message }) => {
        if (level === "warn" && code !== "CIRCULAR_DEPENDENCY" && code !== "EVAL") throw new Error(message);
      },
    });
    await made.write({ file, format, inlineDynamicImports: true });
    await made.close();
    runs(file, turn);
  };
  it("an ES module", () => bundle("program.mjs", "es", out("rollup.mjs"), 1));
  it("CommonJS of an ES module", () => bundle("program.js", "cjs", out("rollup.cjs"), 2));
});

describe("webpack", () => {
  const bundle = async (entry: string, file: string, isModule: boolean, turn: number) => {
    const compiler = webpack({
      mode: "production",
      target: "node20",
      context: installed.folder,
      entry: path.join(installed.folder, entry),
      experiments: { outputModule: isModule },
      optimization: { minimize: false },
      output: { path: path.dirname(file), filename: path.basename(file), module: isModule },
      externals: external,
    });
    const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) =>
      compiler!.run((error, result) => (error ? reject(error) : resolve(result))),
    );
    await new Promise((resolve) => compiler!.close(resolve));
    expect(stats!.toJson({ all: false, errors: true }).errors).toEqual([]);
    runs(file, turn);
  };
  it("an ES module", () => bundle("program.mjs", out("webpack.mjs"), true, 2));
  it("CommonJS of an ES module", () => bundle("program.js", out("webpack.cjs"), false, 0));
  it("CommonJS", () => bundle("script.cjs", out("webpack-required.cjs"), false, 1));
});

describe.runIf(process.platform === "linux")("a single executable", () => {
  it("holds the library, and finds the addon beside itself", async () => {
    const folder = fs.mkdtempSync(path.join(installed.folder, "executable-"));
    const main = path.join(folder, "main.cjs");
    await build({
      entryPoints: [path.join(installed.folder, "program.js")],
      bundle: true,
      platform: "node",
      format: "cjs",
      outfile: main,
      external,
    });
    // Putting the program into a copy of Node takes a while, and works alike in all of them.
    for (const [version, node] of isWhole ? [nodes[0], nodes[2]] : [nodes[2]]) {
      const [config, blob, file] = ["json", "blob", "run"].map((ending) => path.join(folder, `${version}.${ending}`));
      fs.writeFileSync(config!, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true }));
      execFileSync(node, ["--experimental-sea-config", config!], { stdio: "ignore" });
      fs.copyFileSync(node, file!);
      fs.chmodSync(file!, 0o755);
      const postject = path.resolve("node_modules/postject/dist/cli.js");
      const fuse = ["--sentinel-fuse", "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"];
      execFileSync(process.execPath, [postject, file!, "NODE_SEA_BLOB", blob!, ...fuse], { stdio: "ignore" });
      fs.rmSync(blob!);
      runsEverywhere(file!, [[file!]]);
      fs.rmSync(file!);
    }
  });
});
