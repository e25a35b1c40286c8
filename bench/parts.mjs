// The sources as they are, bundled for Node 20, which reads no TypeScript.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

const contents = `
  export { json } from "./src/formats/json/json.ts";
  export { yaml } from "./src/formats/yaml/yaml.ts";
  export { toml } from "./src/formats/toml/toml.ts";
  export { dotenv } from "./src/formats/dotenv/dotenv.ts";
  export { ini } from "./src/formats/ini/ini.ts";
  export { editVerified } from "./src/formats/verify/verify.ts";
  export { mergeTexts } from "./src/merge/merge-texts.ts";
  export { mergeText } from "./src/text/merge-text.ts";
  export { applyPack } from "./src/files/plan.ts";
  export { planPack } from "./src/files/plan.ts";
  export { readPack } from "./src/files/manifest/load-manifest.ts";
  export { diskGate } from "./src/store/gate/disk-gate.ts";
  export { diskReader } from "./src/store/gate/disk-reader.ts";
  export { openCatalog } from "./src/host/evaluate/service.ts";
  export { checkHosts } from "./src/host/evaluate/all-hosts.ts";
  export { evaluateFor } from "./src/host/evaluate/evaluate.ts";
  export { systemLayout } from "./src/host/evaluate/evaluation.ts";
  export { planHost } from "./src/host/plan.ts";
  export { observeFiles } from "./src/host/observe.ts";
  export { readHostRecords } from "./src/host/observe.ts";
  export { readFolder } from "./src/host/repository/tree.ts";
  export { repositoryTree } from "./src/host/repository/tree.ts";
  export { evaluateToolset } from "./src/toolset/evaluate.ts";
  export { toolsetDocument } from "./src/toolset/plan.ts";
  export { discoverTools } from "./src/toolset/discover/discover.ts";
  export { builtinDetectors } from "./src/toolset/discover/detectors.ts";
  export { serviceFacts } from "./src/toolset/discover/service.ts";
  export { startApiServer } from "./test/real/toolset/api-server.ts";
  export { bundleCli, startController } from "./test/real/toolset/controller-process.ts";
  export * as cluster from "./test/real/toolset/cluster.ts";
  export { longText, editedCopy } from "./test/core/arbitrary-texts.ts";`;

/**
 * Written inside node_modules, so that what is not bundled is found. `file` is there for other processes until `remove`
 * is called.
 */
export async function bundleParts() {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-"));
  const file = join(folder, "parts.mjs");
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await build({
      stdin: { contents, resolveDir: root },
      outfile: file,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      mainFields: ["module", "main"],
      external: ["esbuild", "fs-native-extensions"],
      // Two of the tests' modules look for the checkout from where they stand.
      define: { "import.meta.dirname": JSON.stringify(join(root, "test", "real", "toolset")) },
      banner: {
        js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
      },
      logLevel: "error",
    });
    return { file, parts: await import(pathToFileURL(file).href), remove };
  } catch (error) {
    remove();
    throw error;
  }
}
