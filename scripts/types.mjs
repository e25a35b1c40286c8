// The library's types as one file that needs no other: neither Node's types nor those of a package that is bundled.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Writes the declarations of src/index.ts, and of every type that they name, to `file`. */
export async function rollUpTypes(file) {
  const parts = mkdtempSync(join(tmpdir(), "stet-types-"));
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.types.json"), "--outDir", parts], {
      stdio: "inherit",
    });
    const bundle = await rollup({ input: join(parts, "index.d.ts"), plugins: [dts()] });
    await bundle.write({ file });
    await bundle.close();
  } finally {
    rmSync(parts, { recursive: true });
  }
}
