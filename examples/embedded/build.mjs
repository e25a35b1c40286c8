// Makes one file of it: node build.mjs && node dist/chime.mjs config plan
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

export const options = {
  absWorkingDir: here,
  entryPoints: ["chime.mjs"],
  outfile: "dist/chime.mjs",
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  // Native code can't be bundled: it stays a dependency of the framework, as it is one of stet.
  external: ["fs-native-extensions"],
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build(options);
