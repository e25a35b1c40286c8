// needs: windows
//
// Plays stories and the suites that depend on the system in one process of Node for Windows, under wine: a start takes a second or two.
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, expect, it } from "vitest";
import type { Played } from "./vitest-inside.ts";
import { onWindows, windowsNode } from "./wine.ts";

const stories = fs.readdirSync("test/windows/stories").map((name) => `test/windows/stories/${name}`);

/** In the checkout: from there the addon is found as everywhere. */
const folder = fs.mkdtempSync(path.resolve("node_modules", ".stet-windows-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

for (const { name, state, errors } of await played(stories)) {
  it(name, () => {
    expect({ state, errors: errors.join("\n") }).toEqual({ state: "pass", errors: "" });
  });
}

async function played(files: readonly string[]): Promise<readonly Played[]> {
  await bundle(files);
  const results = path.join(folder, "results.json");
  const { code, output } = await onWindows(windowsNode, [path.join(folder, "play.mjs"), `Z:${results}`]);
  if (!fs.existsSync(results)) throw new Error(`Node for Windows ended with ${code}: ${output}`);
  return JSON.parse(fs.readFileSync(results, "utf8"));
}

async function bundle(files: readonly string[]): Promise<void> {
  const imports = files.map((file) => `${JSON.stringify(file)}: () => import(${JSON.stringify(`./${file}`)})`);
  await build({
    stdin: {
      contents: `import { play } from "./test/windows/vitest-inside.ts";\nawait play({ ${imports.join(", ")} });`,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    splitting: true,
    outdir: folder,
    entryNames: "play",
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
    target: "node20",
    alias: { vitest: path.resolve("test/windows/vitest-inside.ts") },
    external: ["fs-native-extensions", "esbuild"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
}
