// Fifty shared services with something of the host's over each, written out as files: Quadlets by `stet host evaluate`,
// Deployments by `kustomize build`.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryFiles } from "./host-repository.mjs";
import { compare } from "./measure.mjs";
import { findPeer, missingPeer, run, runStet } from "./peers.mjs";

const services = 50;

export async function* benchKustomize(folder) {
  const kustomize = findPeer("kustomize");
  if (kustomize === undefined) {
    yield missingPeer("kustomize");
    return;
  }
  const [repo, tree, out] = ["kustomize-repo", "kustomize-tree", "kustomize-out"].map((name) => join(folder, name));
  writeAll(repo, repositoryFiles({ hosts: 1, services }));
  writeAll(tree, kustomizeFiles(services));
  const env = { PATH: process.env.PATH, HOME: join(folder, "kustomize-home") };
  yield await compare({
    name: `stet host evaluate, ${services} services under overlays`,
    against: "kustomize build",
    turns: 11,
    warmups: 2,
    children: true,
    prepare() {
      rmSync(out, { recursive: true, force: true });
      mkdirSync(out);
    },
    floor: () => run(kustomize, ["build", join(tree, "overlay"), "--output", out], { env }),
    work: () => runStet(["host", "evaluate", "--repo", repo, "--host", "host0", "--output-dir", out, "-q"], { env }),
  });
}

function writeAll(folder, files) {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * The same shape: for each service a unit of its own, a shared change of it and a config file, and a change by the
 * overlay.
 */
function kustomizeFiles(count) {
  const names = Array.from({ length: count }, (_, i) => `service${i}`);
  const bases = names.flatMap((name) => [
    [`base/${name}/deployment.yaml`, deployment(name)],
    [`base/${name}/defaults.yaml`, patch(name, "LEVEL", "info")],
    [`base/${name}/${name}.toml`, "release = 1\n"],
    [
      `base/${name}/kustomization.yaml`,
      `resources: [deployment.yaml]\npatches: [{ path: defaults.yaml }]\nconfigMapGenerator: [{ name: ${name}, files: [${name}.toml] }]\n`,
    ],
  ]);
  const list = (each) => names.map((name) => `  - ${each(name)}\n`).join("");
  return [
    ...bases,
    [
      "overlay/kustomization.yaml",
      `resources:\n${list((name) => `../base/${name}`)}patches:\n${list((name) => `path: ${name}.yaml`)}`,
    ],
    ...names.map((name) => [`overlay/${name}.yaml`, patch(name, "HOSTNAME", "host0")]),
  ];
}

function deployment(name) {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - { name: ${name}, image: "example.org/${name}:1", ports: [{ containerPort: 80 }] }
`;
}

function patch(name, variable, value) {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  template:
    spec:
      containers:
        - { name: ${name}, env: [{ name: ${variable}, value: ${value} }] }
`;
}
