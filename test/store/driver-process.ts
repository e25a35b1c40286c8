import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";

/** The driver as one file that this Node can run. Its folder has our node_modules, where the native part is found. */
export function bundledDriver(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-driver-"));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  const outfile = path.join(folder, "driver.mjs");
  const entry = path.resolve("test/store/driver.ts");
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["fs-native-extensions"],
  });
  return outfile;
}
