// Makes dist/: the bundled program and library, its compiled code, the library's types, the manifest's JSON Schema,
// the manual, licence notices and a bill of materials.

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { toJsonSchema } from "@valibot/to-json-schema";
import { build } from "esbuild";
import { bundle } from "./bundle.mjs";
import { writeManual } from "./manual.mjs";
import { writeThirdParty } from "./third-party.mjs";
import { rollUpTypes } from "./types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
writeThirdParty(`${root}dist`, await bundle(`${root}dist`));
const types = await rollUpTypes();
// The same for both kinds of programs: to a compiler, the ending says which kind a file describes.
for (const name of ["index.d.ts", "index.d.cts"]) writeFileSync(`${root}dist/${name}`, types);
execFileSync(process.execPath, [`${root}scripts/compile.mjs`], { stdio: ["ignore", "ignore", "inherit"] });
await writeManual(`${root}dist/man`, JSON.parse(readFileSync(`${root}package.json`, "utf8")).version);
writeFileSync(`${root}dist/stet.schema.json`, `${JSON.stringify(await manifestSchema(), undefined, 2)}\n`);

/** The schema that the program itself checks manifests with, for editors; a check in code is left to the program. */
async function manifestSchema() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/files/manifest/manifest.ts"],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  const { manifestSchema } = await import(`data:text/javascript;base64,${code}`);
  const schema = toJsonSchema(manifestSchema, { ignoreActions: ["check"] });
  // The program checks this itself, to say it in better words than a schema has.
  schema.properties.files.items.anyOf = [{ required: ["template"] }, { required: ["link"] }];
  return { $id: "stet.schema.json", title: "stet.yaml: what an owner ships, and where it goes", ...schema };
}
