// How much code one small apply passes through: functions, files, calls that go from one folder to another, and how
// often the file is read. docs/decisions/2026-11-17-one-engine.md keeps the numbers.
//   node scripts/measure-apply.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parseAst } from "rollup/parseAst";

/**
 * Files that serve only what came after the decision: merge, review, ui, mcp, projects, whole files, INI, runtimes, init
 * from an installation and of hosts, and the library's functions. What they need in other files is not counted.
 */
const cameLater = new RegExp(
  `^(?:${[
    "merge/|cli/merge/|text/merge-file|files/modify",
    "cli/decide/|cli/ui/|report/card-text|files/who-runs",
    "files/project|store/records/project-|cli/files/instances",
    "readings/whole-file",
    "formats/ini/",
    "files/manifest/runtimes|identity/profiles/runtimes|files/places/follow-runtime",
    "files/init/from-installed|host/init/|cli/host/init",
    "library/",
  ].join("|")})`,
);

const root = fileURLToPath(new URL("..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "stet-measure-"));
try {
  const program = await traced();
  const lines = Array.from({ length: 12 }, (_, i) => `  "setting${i}": "value ${i}"`);
  writePack(`{\n${lines.join(",\n")}\n}\n`);
  run(program, "apply", "pack");
  writePack(`{\n${lines.with(3, '  "setting3": "new"').join(",\n")}\n}\n`);
  report(JSON.parse(run(program, "apply", "pack")));
} finally {
  rmSync(work, { recursive: true });
}

function writePack(template) {
  mkdirSync(join(work, "pack"), { recursive: true });
  writeFileSync(join(work, "pack/a.json"), template);
  writeFileSync(
    join(work, "pack/stet.yaml"),
    "name: measured\nversion: 1.0.0\nfiles:\n  - { target: ~/a.json, template: a.json }\n",
  );
}

/** The commands on files as one unminified file in which every function of src/ says that it was entered. */
async function traced() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["src/cli/process.ts"],
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    mainFields: ["module", "main"],
    external: ["fs-native-extensions"],
    define: { "import.meta.url": "__moduleUrl", STET_UI: '"{}"' },
    logLevel: "error",
  });
  const code = outputFiles[0].text;
  const names = [];
  const file = join(work, "traced.cjs");
  const body = instrumented(code, names);
  const head = `const __moduleUrl = require("node:url").pathToFileURL(__filename).href;
const __names = ${JSON.stringify(names)}, __calls = []; const __enter = (id) => { __calls.push(id); };
process.on("exit", () => require("node:fs").writeFileSync(${JSON.stringify(join(work, "calls.json"))}, JSON.stringify({ names: __names, calls: __calls })));\n`;
  writeFileSync(file, `${head}${body}\nmodule.exports.run(process.argv.slice(2));\n`);
  symlinkSync(join(root, "node_modules"), join(work, "node_modules"));
  return file;
}

/** esbuild puts the path of each module before its code. */
function instrumented(code, names) {
  const modules = [...code.matchAll(/^ *\/\/ (\S+\.(?:[cm]?[jt]sx?))$/gm)].map(({ index, 1: path }) => ({
    index,
    path,
  }));
  const fileAt = (offset) => modules.findLast(({ index }) => index < offset)?.path ?? "";
  const inserts = [];
  visit(parseAst(code), (node, parent) => {
    // What esbuild makes of a module is no function of ours.
    if (parent?.type === "Property" && parent.key.type === "Literal" && /^src\//.test(parent.key.value)) return;
    if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return;
    const path = fileAt(node.start);
    if (!path.startsWith("src/")) return;
    const id = names.push(path) - 1;
    if (node.body.type === "BlockStatement") inserts.push([node.body.start + 1, `__enter(${id});`]);
    else inserts.push([node.body.start, `(__enter(${id}), `], [node.body.end, ")"]);
  });
  let text = "";
  let at = 0;
  for (const [offset, insert] of inserts.sort(([a], [b]) => a - b)) {
    text += code.slice(at, offset) + insert;
    at = offset;
  }
  return text + code.slice(at);
}

function visit(node, tell, parent) {
  if (node === null || typeof node !== "object") return;
  if (Array.isArray(node)) for (const each of node) visit(each, tell, parent);
  else {
    if (typeof node.type === "string") tell(node, parent);
    for (const value of Object.values(node)) visit(value, tell, node);
  }
}

function run(program, ...args) {
  const env = { PATH: process.env.PATH, HOME: work };
  execFileSync(process.execPath, [program, ...args], { cwd: work, env, stdio: ["ignore", "ignore", "inherit"] });
  return readFileSync(join(work, "calls.json"), "utf8");
}

function report({ names, calls }) {
  const entered = new Set(calls);
  const files = new Set([...entered].map((id) => names[id]));
  const folders = calls.map((id) => dirname(names[id]));
  const switches = folders.filter((folder, i) => i > 0 && folder !== folders[i - 1]).length;
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((name) => /\.tsx?$/.test(name));
  if (process.argv.includes("-v")) {
    const count = new Map();
    for (const id of entered) count.set(names[id], (count.get(names[id]) ?? 0) + 1);
    for (const [name, n] of [...count].sort(([a], [b]) => (a < b ? -1 : 1)))
      console.log(`${String(n).padStart(4)} ${name}`);
  }
  const later = sources.filter((name) => cameLater.test(name.replaceAll("\\", "/")));
  console.log(`source files                          ${sources.length}, later capabilities' own ${later.length}`);
  console.log(`source lines                          ${linesOf(sources)}, later capabilities' own ${linesOf(later)}`);
  console.log(`functions passed through              ${entered.size} in ${files.size} files`);
  console.log(`calls                                 ${calls.length}`);
  console.log(`calls into another folder             ${switches}`);
}

function linesOf(names) {
  const breaks = names.map((name) => readFileSync(join(root, "src", name), "utf8").split("\n").length - 1);
  return breaks.reduce((sum, count) => sum + count, 0);
}
