// Runs what people run most in a temporary home, and keeps what V8 compiled for it beside the build.
// What the commands print is of no interest.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const home = mkdtempSync(join(tmpdir(), "stet-compile-"));
const pack = join(home, "pack");
const files = {
  "a.json": '{ "a": 1, "list": ["x"] }\n',
  "b.yaml": "a: 1\nlist:\n  - x\n",
  "c.toml": "a = 1\n\n[table]\nb = 2\n",
  "d.env": "A=1\n",
};
for (const name of Object.keys(process.env)) if (/^(?:XDG_|STET_)/.test(name)) delete process.env[name];
process.env.HOME = home;
process.chdir(home);
mkdirSync(pack);
for (const [name, text] of Object.entries(files)) writeFileSync(join(pack, name), text);
const targets = Object.keys(files).map((name) => `  - { target: ~/app/${name}, template: ${name} }\n`);
writeFileSync(join(pack, "stet.yaml"), `name: compiled\nversion: 1.0.0\nfiles:\n${targets.join("")}`);

const { run, keep } = createRequire(import.meta.url)("../dist/compiled.cjs").load("files");
try {
  await run(["apply", pack]);
  const edited = join(home, "app/a.json");
  writeFileSync(edited, readFileSync(edited, "utf8").replace('"a": 1', '"a": 2'));
  for (const argv of [
    ["plan", pack],
    ["plan", pack, "--diff"],
    ["status"],
    ["blame", edited],
    ["explain", `${edited}#setting:a`],
  ])
    await run(argv);
} finally {
  rmSync(home, { recursive: true });
}
process.exitCode = 0;
keep();
