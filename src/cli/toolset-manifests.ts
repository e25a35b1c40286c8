import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InputError } from "../core/diagnostic.ts";
import { kustomization, type ManifestOptions, manifests as makeManifests, manifestText } from "../toolset/manifests.ts";
import type { Command, Io } from "./io.ts";
import { parseToolsetOptions, targetOf } from "./toolset-options.ts";

const options = {
  image: { type: "string", default: "stet:latest" },
  replicas: { type: "string", default: "2" },
  restart: { type: "string" },
  "with-alerts": { type: "boolean" },
  "output-dir": { type: "string" },
} as const;

/** Everything to deploy the controller: printed as one text, or written as a kustomize base. */
export const manifests: Pick<Command, "run"> = {
  async run(args, io) {
    const values = parseToolsetOptions(args, options, io, "manifests");
    const { namespace, name, watchNamespaces, overridesConfigMap } = await targetOf(values, io);
    const restart = values.restart?.replace(/^deployment\//, "");
    const made = {
      namespace,
      name,
      watchNamespaces,
      overridesConfigMap,
      restart,
      image: values.image,
      replicas: replicasOf(values.replicas),
    };
    await tell(made, values["with-alerts"] === true, values["output-dir"], io);
    return 0;
  },
};

function replicasOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InputError({ code: "usage", message: `--replicas: '${text}' is not a number from 1 to 999` });
}

async function tell(made: ManifestOptions, withAlerts: boolean, folder: string | undefined, io: Io): Promise<void> {
  const all = makeManifests(made);
  if (folder === undefined) {
    const printed = withAlerts ? all : all.filter(({ file }) => file !== "alerts.yaml");
    io.out(printed.map(manifestText).join("---\n"));
    return;
  }
  const base = resolve(io.cwd, folder);
  await mkdir(base, { recursive: true });
  for (const manifest of all) await writeFile(join(base, manifest.file), manifestText(manifest));
  await writeFile(join(base, "kustomization.yaml"), kustomization(all));
}
