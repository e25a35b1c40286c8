// Runs what people run most in a temporary home, and keeps what V8 compiled for it beside the build: once for all
// commands, and for those that people wait for most without what only the others run. What they print is of no interest.
//   node scripts/compile.mjs
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { load } = createRequire(import.meta.url)("../dist/compiled.cjs");
const [command, ...lines] = process.argv.slice(2);
if (command === undefined) await compileAll();
else await compile(load("files", command), JSON.parse(lines[0]), true);

async function compile({ run, keep }, commandLines, isOwn) {
  for (const argv of commandLines) await run(argv);
  process.exitCode = 0;
  keep(isOwn);
}

async function compileAll() {
  for (const name of Object.keys(process.env)) if (/^(?:XDG_|STET_)/.test(name)) delete process.env[name];
  const home = mkdtempSync(join(tmpdir(), "stet-compile-"));
  process.env.HOME = home;
  process.chdir(home);
  try {
    const pack = writePack(join(home, "pack"));
    const bundle = load("files");
    await bundle.run(["apply", pack]);
    const edited = join(home, "app/a.json");
    writeFileSync(edited, readFileSync(edited, "utf8").replace('"a": 1', '"a": 2'));
    const own = {
      plan: [
        ["plan", pack],
        ["plan", pack, "--diff"],
      ],
      status: [["status"]],
      blame: [["blame", edited]],
    };
    for (const [name, commandLines] of Object.entries(own)) {
      const args = [fileURLToPath(import.meta.url), name, JSON.stringify(commandLines)];
      execFileSync(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
    }
    await compile(bundle, [...Object.values(own).flat(), ["explain", `${edited}#setting:a`]], false);
    await compile(load("host"), hostCommands(home), false);
  } finally {
    rmSync(home, { recursive: true });
  }
}

function writePack(folder) {
  const files = {
    "a.json": '{ "a": 1, "list": ["x"] }\n',
    "b.yaml": "a: 1\nlist:\n  - x\n",
    "c.toml": "a = 1\n\n[table]\nb = 2\n",
    "d.env": "A=1\n",
  };
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const targets = Object.keys(files).map((name) => `  - { target: ~/app/${name}, template: ${name} }\n`);
  writeFileSync(join(folder, "stet.yaml"), `name: compiled\nversion: 1.0.0\nfiles:\n${targets.join("")}`);
  return folder;
}

function hostCommands(home) {
  const [repo, root] = [writeRepository(join(home, "repo")), join(home, "root")];
  mkdirSync(root);
  const from = ["--repo", repo, "--host", "here"];
  const onto = ["--root", root, "--no-activate"];
  return [
    ["host", "evaluate", ...from],
    ["host", "evaluate", ...from, "--output-dir", join(home, "out")],
    ["host", "check", "--repo", repo, "-q"],
    ["host", "plan", ...from, ...onto],
    ["host", "apply", ...from, ...onto],
    ["host", "plan", ...from, ...onto],
    ["host", "status", ...onto],
  ];
}

function writeRepository(folder) {
  const container = "[Container]\nImage=example.org/web:1\n[Install]\nWantedBy=default.target\n";
  const files = {
    "hosts/here/host.yaml": "host: here\nservices: [web]\n",
    "services/web/quadlet/web.container": container,
    "services/web/quadlet-overrides/web.container.d/10-a.conf": "[Container]\nEnvironment=A=1\n",
    "services/web/config/etc/web/web.toml": "a = 1\n",
    "hosts/here/overrides/quadlet/web.container.d/20-b.conf": "[Container]\nPublishPort=80:80\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
