import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
// @ts-expect-error a script without types
import { pageAssets } from "../../scripts/bundle.mjs";

/** The command line as one file made of the sources: what a shell can call, whatever was last built. */
export async function bundleCli(): Promise<{ readonly program: string; remove(): void }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-cli-"));
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const program = path.join(folder, "stet.mjs");
  fs.writeFileSync(program, 'import { run } from "./cli/process.js";\nawait run(process.argv.slice(2));\n');
  fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }\n');
  const { version } = JSON.parse(fs.readFileSync("package.json", "utf8"));
  await build({
    entryPoints: [path.resolve("src/cli/process.ts")],
    outdir: path.join(folder, "cli"),
    bundle: true,
    // As it ships: a command loads only what it needs.
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
    define: { STET_UI: JSON.stringify((await pageAssets()).assets), STET_VERSION: JSON.stringify(version) },
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
  return { program, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}
