import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { World } from "./world.ts";

let bundle: string;
beforeAll(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-owners-"));
  fs.symlinkSync(path.resolve("node_modules"), path.join(folder, "node_modules"));
  bundle = path.join(folder, "owner.mjs");
  const entryPoints = [path.resolve(import.meta.dirname, "owner-process.ts")];
  const banner = { js: 'import{createRequire as from}from"node:module";const require=from(import.meta.url);' };
  await build({ entryPoints, outfile: bundle, bundle: true, platform: "node", format: "esm", external: ["fs-native-extensions"], banner });
  return () => fs.rmSync(folder, { recursive: true, force: true });
});

function run(home: string, owner: string, rounds: number): Promise<string> {
  const child = spawn(process.execPath, [bundle, home, owner, String(rounds)], { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill());
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  return new Promise((resolve) => child.on("exit", (code) => resolve(code === 0 ? "" : `${owner} ended with ${code}: ${errors}`)));
}

it("two processes that upgrade at the same time lose nothing of each other, and leave every byte as it was", async () => {
  const world = new World();
  const original = '{\n  // mine\n  "own": true\n}\n';
  world.write("app/config.json", original);
  const rounds = 12;
  expect(await Promise.all(["alpha", "beta"].map((owner) => run(world.home, owner, rounds)))).toEqual(["", ""]);
  const { hooks, ...settings } = JSON.parse(world.read("app/config.json").replace("// mine", ""));
  expect(settings).toEqual({ own: true, shared: "both", alpha: { round: rounds }, beta: { round: rounds } });
  expect(hooks.map(({ command }: { command: string }) => command).sort()).toEqual([
    "node ~/alpha.js",
    "node ~/beta.js",
    "node ~/shared.js",
  ]);
  for (const document of await world.status()) expect([document.name, document.summary]).toEqual([document.name, { unchanged: 4 }]);
  expect(fs.readdirSync(world.at("app"))).toEqual(["config.json"]);
  await world.uninstall("beta");
  await world.uninstall("alpha");
  expect(world.read("app/config.json")).toBe(original);
});
