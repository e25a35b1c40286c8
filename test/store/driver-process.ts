import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";

/** The driver as one file that this Node can run. Its folder has our node_modules, where the native part is found. */
export function bundleDriver(): { readonly file: string; remove(): void } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-driver-"));
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const file = path.join(folder, "driver.mjs");
  buildSync({
    entryPoints: [path.resolve("test/store/driver.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
  });
  return { file, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}
