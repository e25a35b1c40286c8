// Upgrades through plan and apply, on real files.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { growth } from "./growth.mjs";
import { isQuick } from "./measure.mjs";

export async function* benchFiles(folder, bundle) {
  yield await editsRow(1, folder, bundle);
  yield await editsRow(10_000, folder, bundle);
  yield* growth({ what: "files growth", scenario: new URL("files-growth.mjs", import.meta.url), bundle, folder });
}

async function editsRow(edits, folder, bundle) {
  const script = fileURLToPath(new URL("edits.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, bundle, folder, String(edits), ...(isQuick ? ["--quick"] : [])]);
  return JSON.parse(stdout);
}
