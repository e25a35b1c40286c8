// The manual, from the table of commands: a page for the program and one for every command.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes `stet.1`, `stet-plan.1`, … into a folder. */
export async function writeManual(folder, version) {
  const work = mkdtempSync(join(tmpdir(), "stet-manual-"));
  try {
    const outfile = join(work, "manual.cjs");
    const contents = `export { commands } from "./src/cli/main.ts";
export { manualPages } from "./src/cli/shell/manual.ts";`;
    await build({
      stdin: { contents, resolveDir: root, loader: "ts" },
      outfile,
      bundle: true,
      format: "cjs",
      platform: "node",
      mainFields: ["module", "main"],
      define: { "import.meta.url": "undefined" },
      logLevel: "warning",
    });
    const { commands, manualPages } = createRequire(import.meta.url)(outfile);
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of await manualPages(commands, version)) writeFileSync(join(folder, `${name}.1`), text);
  } finally {
    rmSync(work, { recursive: true });
  }
}
