// The library's types as one file that needs no other: neither Node's types nor those of a package that is bundled.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The declarations of src/index.ts, and of every type that they name. */
export async function rollUpTypes() {
  const parts = mkdtempSync(join(tmpdir(), "stet-types-"));
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.types.json"), "--outDir", parts], {
      stdio: "inherit",
    });
    const bundle = await rollup({ input: join(parts, "index.d.ts"), plugins: [dts()], onwarn: ignoreUnused });
    const { output } = await bundle.generate({ format: "es" });
    await bundle.close();
    return withUnions(output[0].code);
  } finally {
    rmSync(parts, { recursive: true });
  }
}

/** Closed lists as unions: the list itself is no part of the library, and a reader of the types wants the names. */
function withUnions(text) {
  const list = /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?declare const (\w+): readonly \[([^\]]*)\];\n/g;
  const lists = new Map([...text.matchAll(list)].map(([, , name, items]) => [name, items.split(", ").join(" | ")]));
  return text
    .replaceAll(list, "$1")
    .replaceAll(/\(typeof (\w+)\)\[number\]/g, (whole, name) => lists.get(name) ?? whole);
}

/** Types that nothing names any more leave the imports of their packages behind. */
function ignoreUnused({ code, message }) {
  if (code !== "UNRESOLVED_IMPORT" && code !== "UNUSED_EXTERNAL_IMPORT") throw new Error(message);
}
