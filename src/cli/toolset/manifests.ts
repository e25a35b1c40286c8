import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { jsonText } from "../../report/json-text.ts";
import { diskGate } from "../../store/gate/disk-gate.ts";
import { refuseForeignLinks } from "../../store/gate/foreign-links.ts";
import { kustomization, type Manifest, manifests, manifestText } from "../../toolset/manifests.ts";
import { defineCommand } from "../shell/command.ts";
import { sharedOptions, targetOf } from "./options.ts";

export const command = defineCommand({
  name: "toolset manifests",
  usage: "[options]",
  argument: "nothing",
  most: 0,
  about: "Everything to deploy the controller: printed as one text, or written as a kustomize base.",
  options: {
    ...sharedOptions,
    image: { type: "string", default: "stet:latest", value: "IMAGE", help: "the controller's image (stet:latest)" },
    replicas: { type: "string", default: "2", value: "N", help: "how many, one of them leading (2)" },
    restart: { type: "string", value: "deployment/NAME", help: "also grant and use the right to restart it" },
    "with-alerts": { type: "boolean", help: "alert rules, too (needs the Prometheus operator)" },
    "output-dir": { type: "string", value: "DIR", help: "write a kustomize base there instead of printing" },
  },
  example: "stet toolset manifests --image registry.example.org/stet:0.1 | kubectl apply -f -",
  async run({ values }, io) {
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
    const all = manifests(made);
    if (values["output-dir"] !== undefined) await writeBase(all, resolve(io.cwd, values["output-dir"]));
    else io.out(printed(values["with-alerts"] ? all : all.filter(({ file }) => file !== "alerts.yaml"), values.json === true));
    return 0;
  },
});

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
