// The folders are the architecture: this fails when an import goes the wrong way, or a pure folder reaches outside.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** What each folder may import, besides itself. */
const pureLayers = ["core", "text", "formats", "identity", "entries", "readings", "merge", "report"];
const domainMay = [...pureLayers, "store", "system", "engine"];
const may = {
  core: ["text"],
  text: [],
  formats: ["core", "text"],
  identity: ["core", "formats"],
  report: ["core", "text", "formats", "identity"],
  entries: ["core", "text", "formats", "identity"],
  readings: ["core", "text", "formats", "identity", "entries"],
  merge: ["core", "text", "formats", "identity", "entries", "readings"],
  store: ["core"],
  system: ["core"],
  engine: ["core", "text", "formats", "identity", "entries", "readings", "report", "store", "system"],
  files: domainMay,
  host: domainMay,
  toolset: domainMay,
  cli: [...domainMay, "files", "host", "toolset"],
  library: [...domainMay, "files", "host", "toolset", "cli"],
};

const pure = new Set(pureLayers);
const outside = [
  /from "node:(fs|os|child_process|process|net|http|https|timers)[/"]/,
  /\bprocess\./,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
];

const problems = [];
for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".ts")) continue;
  const path = join(entry.parentPath, entry.name);
  const folder = relative(source, path).split(/[\\/]/)[0];
  if (!(folder in may)) continue;
  const text = readFileSync(path, "utf8");
  for (const [, target] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)) {
    const to = relative(source, join(dirname(path), target)).split(/[\\/]/)[0];
    if (to !== folder && !may[folder].includes(to))
      problems.push(`src/${relative(source, path)}: ${folder} must not import ${to}`);
  }
  if (!pure.has(folder)) continue;
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  for (const pattern of outside)
    if (pattern.test(code))
      problems.push(`src/${relative(source, path)}: a pure folder reaches outside (${pattern.source})`);
}
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exitCode = 1;
}
