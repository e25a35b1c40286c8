// The host domain: evaluating against kustomize, what it adds to a fresh process, a check of a thousand hosts, and
// growth.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { growth } from "./growth.mjs";
import { repositoryFiles, repositoryTree } from "./host-repository.mjs";
import { benchKustomize } from "./kustomize.mjs";
import { isQuick, row } from "./measure.mjs";

export async function* benchHost(parts, folder, bundle) {
  yield* benchKustomize(folder);
  const times = (turns, measure) => Array.from({ length: isQuick ? 1 : turns }, measure);
  yield row({
    name: "host: 50 units and drop-ins in a fresh process",
    unit: "ms",
    values: times(9, () => coldStart(folder, bundle)),
  });
  const checks = [];
  for (const _ of times(3, () => undefined)) checks.push(await check(parts, 1000, 50));
  yield row({ name: "host: check of 1,000 hosts of 50 services", unit: "s", values: checks });
  // Two turns: at its largest size this is the longest of all rows.
  yield* growth({
    what: "host growth",
    turns: 2,
    scenario: new URL("host-growth.mjs", import.meta.url),
    bundle,
    folder,
  });
}

/** In seconds, without podman's generator. Every host changes two of the services. */
async function check({ checkHosts, openCatalog, systemLayout, ...parts }, hosts, services) {
  const tree = repositoryTree(parts, { hosts, services, overlaid: 2 });
  const started = performance.now();
  const checked = await checkHosts(openCatalog(tree), systemLayout, { strict: false, verify: async () => [] });
  const took = performance.now() - started;
  if (!checked.hosts.every(({ ok, files }) => ok && files === services * 3 + 2))
    throw new Error("the check found something else than expected");
  return took / 1000;
}

/**
 * In milliseconds, what evaluating twenty-five units with a drop-in each adds to a process that has done nothing
 * before.
 */
function coldStart(folder, bundle) {
  const script = join(folder, "cold-start.mjs");
  const files = repositoryFiles({ hosts: 1, services: 25, overlaid: 0 });
  writeFileSync(
    script,
    `import { evaluateFor, openCatalog, repositoryTree, systemLayout } from ${JSON.stringify(pathToFileURL(bundle).href)};
const files = ${JSON.stringify(files)};
const tree = repositoryTree(files.map(([path, text]) => [path, { kind: "file", bytes: Buffer.from(text), executable: false }]));
const before = performance.now();
const evaluation = evaluateFor(openCatalog(tree), "host0", systemLayout);
const took = performance.now() - before;
if (evaluation.files.length !== 75) throw new Error("unexpected result");
console.log(took);`,
  );
  return Number(execFileSync(process.execPath, [script], { encoding: "utf8" }));
}
