// An owner of saves.test.ts that upgrades itself until it is told to end: node upgrade-process.mjs PROGRAM HOME STATE.
// Prints how many versions it applied.
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [program, home, stateDir] = process.argv.slice(2);
const { loadManifest, reconcile } = await import(pathToFileURL(path.join(program, "dist", "index.js")));
let isAsked = true;
process.on("SIGTERM", () => {
  isAsked = false;
});

const targets = ["in-place.json", "slow.yaml", "shell.env", "producer.env", "vim.yaml", "vim-copy.env", "code.json"];
let applied = 0;
for (let version = 1; isAsked; version++) {
  // One file at a time: one that is being saved must not keep the others from being written.
  const target = targets[version % targets.length];
  const name = target.replace(/\..*/, "").replace("-", "");
  const template = target.endsWith(".env") ? `LEVEL=${version}\n` : { level: version };
  const manifest = await loadManifest({
    name,
    version: `${version}.0.0`,
    files: [{ target: `~/app/${target}`, template }],
  });
  try {
    await reconcile(manifest, { home, stateDir });
    applied++;
  } catch (error) {
    // Half-written files are refused, and so are those that don't come to rest.
    if (error.diagnostic === undefined) throw error;
  }
  await sleep(5);
}
console.log(applied);
