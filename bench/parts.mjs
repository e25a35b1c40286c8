// The sources as they are, bundled for Node 20, which reads no TypeScript.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

const contents = `
  export { json } from "./src/formats/json.ts";
  export { yaml } from "./src/formats/yaml.ts";
  export { toml } from "./src/formats/toml.ts";
  export { editVerified } from "./src/formats/verify.ts";
  export { mergeText } from "./src/core/merge-text.ts";
  export { applyPack } from "./src/files/apply.ts";
  export { planPack } from "./src/files/plan.ts";
  export { readPack } from "./src/files/load-manifest.ts";
  export { diskGate } from "./src/store/disk-gate.ts";
  export { longText, editedCopy } from "./test/core/arbitrary-texts.ts";`;

/** Inside node_modules, so that what is not bundled is found; removed as soon as it is loaded. */
export async function loadParts() {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-"));
  try {
    await build({
      stdin: { contents, resolveDir: root },
      outdir: folder,
      entryNames: "parts",
      outExtension: { ".js": ".mjs" },
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      mainFields: ["module", "main"],
      external: ["fs-native-extensions"],
      banner: { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' },
      logLevel: "error",
    });
    return await import(pathToFileURL(join(folder, "parts.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
