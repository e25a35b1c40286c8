// The host domain's numbers: what evaluating fifty artefacts adds to a fresh process, and how long a check of a thousand hosts takes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** All rows: { name, value, unit, limit } where a value above its limit is a failure. */
export async function benchHost() {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "bench-host-"));
  try {
    const parts = join(folder, "parts.mjs");
    await bundle(parts);
    const { check } = checkers(await import(pathToFileURL(parts).href));
    check(50, 50);
    const [thousand, half, twice] = [check(1000, 50), check(500, 50), check(500, 100)];
    const rows = [
      { name: "evaluate 50 artefacts, in a fresh process (processor time)", value: coldStart(folder, parts), unit: "ms", limit: 20 },
      { name: "check 1,000 hosts of 50 services", value: thousand / 1000, unit: "s", limit: 30 },
      { name: "check: twice the hosts", value: thousand / half, unit: "×", limit: 3 },
      { name: "check: twice the services", value: twice / half, unit: "×", limit: 3 },
    ];
    return { rows, left: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bundle(outfile) {
  const contents = `
    export { openCatalog } from "./src/host/catalog.ts";
    export { checkRepository } from "./src/host/check-repository.ts";
    export { evaluateHost } from "./src/host/evaluate.ts";
    export { systemLayout } from "./src/host/evaluation.ts";
    export { readFolder } from "./src/host/read-folder.ts";
    export { diskReader } from "./src/store/disk-reader.ts";
    export { repositoryTree } from "./src/host/tree.ts";`;
  const banner = { js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);' };
  await build({
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner,
    logLevel: "error",
  });
}

/** Half units, half drop-ins, and config beside them, as in the document's repository. */
function service(name) {
  return {
    [`services/${name}/quadlet/${name}.container`]:
      "[Unit]\nDescription=x\n[Container]\nImage=example.org/a:1\nPublishPort=80\n[Install]\nWantedBy=default.target\n",
    [`services/${name}/quadlet-overrides/${name}.container.d/10-defaults.conf`]: "[Container]\nEnvironment=A=1\n",
    [`services/${name}/config/etc/${name}/${name}.toml`]: "a = 1\n",
  };
}

const names = (count, prefix) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
const hostYaml = (host, services) => `host: ${host}\nservices:\n${services.map((each) => `  - ${each}\n`).join("")}`;

function checkers({ openCatalog, checkRepository, repositoryTree, systemLayout }) {
  const file = (text) => ({ kind: "file", bytes: Buffer.from(text), executable: false });
  return {
    /** Milliseconds. Every host changes two of the services. */
    check(hostCount, serviceCount) {
      const services = names(serviceCount, "service");
      const entries = services.flatMap((each) => Object.entries(service(each)));
      for (const host of names(hostCount, "host")) {
        entries.push([`hosts/${host}/host.yaml`, hostYaml(host, services)]);
        entries.push([`hosts/${host}/overrides/quadlet/service0.container.d/20-host.conf`, `[Container]\nHostName=${host}\n`]);
        entries.push([`hosts/${host}/overrides/config/etc/service1/service1.toml`, `host = "${host}"\n`]);
      }
      const tree = repositoryTree(entries.map(([path, text]) => [path, file(text)]));
      const started = performance.now();
      const { hosts } = checkRepository(openCatalog(tree), systemLayout);
      const took = performance.now() - started;
      if (!hosts.every(({ ok, files }) => ok && files === serviceCount * 3 + 1))
        throw new Error("the check found something else than expected");
      return took;
    },
  };
}

/** Evaluating twenty-five units and as many drop-ins, in a process that has done nothing before. The middle of five. */
function coldStart(folder, parts) {
  const services = names(25, "service");
  const files = { ...Object.assign({}, ...services.map(service)), "hosts/box/host.yaml": hostYaml("box", services) };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "repo", path)), { recursive: true });
    writeFileSync(join(folder, "repo", path), text);
  }
  const script = join(folder, "cold.mjs");
  writeFileSync(
    script,
    `import { diskReader, evaluateHost, openCatalog, readFolder, systemLayout } from ${JSON.stringify(pathToFileURL(parts).href)};
const tree = readFolder(diskReader(), ${JSON.stringify(join(folder, "repo"))});
const before = process.cpuUsage();
const evaluation = evaluateHost(openCatalog(tree), "box", systemLayout);
const { user, system } = process.cpuUsage(before);
if (evaluation.files.length !== 75) throw new Error("unexpected result");
console.log((user + system) / 1000);`,
  );
  const times = names(5, "").map(() => Number(execFileSync(process.execPath, [script], { encoding: "utf8" })));
  return times.sort((a, b) => a - b)[2];
}
