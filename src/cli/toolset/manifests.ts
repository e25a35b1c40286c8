import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { jsonText } from "../../report/json-text.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import { kustomization, type Manifest, manifests as makeManifests, manifestText } from "../../toolset/manifests.ts";
import type { Command } from "../shell/io.ts";
import { parseToolsetOptions, targetOf } from "./options.ts";

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
    const all = makeManifests(made);
    if (values["output-dir"] !== undefined) await writeBase(all, resolve(io.cwd, values["output-dir"]));
    else io.out(printed(values["with-alerts"] ? all : all.filter(({ file }) => file !== "alerts.yaml"), values.json === true));
    return 0;
  },
};

function replicasOf(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InputError({ code: "usage", message: `--replicas: '${text}' is not a number from 1 to 999` });
}

/** kubectl takes both: YAML documents, or one JSON document with all of them. */
function printed(all: readonly Manifest[], asJson: boolean): string {
  if (!asJson) return all.map(manifestText).join("---\n");
  return `${jsonText({ apiVersion: "v1", kind: "List", items: all.flatMap(({ objects }) => objects) })}\n`;
}

async function writeBase(all: readonly Manifest[], base: string): Promise<void> {
  const texts = [...all.map((each) => [each.file, manifestText(each)] as const), ["kustomization.yaml", kustomization(all)] as const];
  const gate = diskGate();
  for (const [file] of texts) refuseForeignLinks(gate, join(base, file));
  await mkdir(base, { recursive: true });
  for (const [file, text] of texts) await writeFile(join(base, file), text);
}
