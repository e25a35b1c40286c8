import { expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

const target = "k8s/app.yaml";
const text = `# the whole app
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2 # mine
  template:
    spec:
      containers:
        - name: web
          image: web:1
---
kind: Service
metadata: { name: web }
spec:
  ports: [80]
---
# not ours
kind: ConfigMap
`;

const deployment = { in: { kind: "Deployment", "metadata.name": "web" }, template: { spec: { paused: false } } };
const service = { in: { kind: "Service" }, template: { spec: { type: "NodePort" } } };
const containers = { type: "container", at: "spec.template.spec.containers[]", key: ["name"] };

function packOf(version: string, ...documents: object[]): object {
  return { name: "zylos", version, files: documents.map((each) => ({ target: `~/${target}`, ...each })) };
}

function worldWithApp(): World {
  const world = new World();
  world.write(target, text);
  return world;
}

it("two files of a manifest write two documents of one target, and give every byte back", async () => {
  const world = worldWithApp();
  expect(await applyStable(world, packOf("1.0.0", deployment, service))).toEqual({
    "setting:Deployment/web.spec.paused": "create",
    "setting:Service.spec.type": "create",
  });
  const installed = world.read(target);
  expect(installed).toBe(
    text
      .replace("          image: web:1\n", "          image: web:1\n  paused: false\n")
      .replace("  ports: [80]\n", "  ports: [80]\n  type: NodePort\n"),
  );
  await world.uninstall();
  expect(world.read(target)).toBe(text);
});

it("the same setting and the same item in both are different entries; edits of people stand", async () => {
  const world = worldWithApp();
  const more = (at: object) => ({ ...at, rules: [containers], template: { spec: { weight: 1 } } });
  const named = {
    ...more(deployment),
    template: { spec: { weight: 1, template: { spec: { containers: [{ name: "log", image: "log:1" }] } } } },
  };
  expect(Object.keys(await applyStable(world, packOf("1.0.0", named, more(service))))).toEqual([
    "container:Deployment/web:log",
    "setting:Deployment/web.spec.weight",
    "setting:Service.spec.weight",
  ]);
  world.edit(target, "weight: 1", "weight: 9");
  const again = { ...named, template: { spec: { ...named.template.spec, weight: 2 } } };
  const decided = await applyStable(world, packOf("2.0.0", again, more(service)));
  expect(decided["setting:Deployment/web.spec.weight"]).toBe("conflict both-changed");
  expect(decided["setting:Service.spec.weight"]).toBe("unchanged");
});

it("a document that a release no longer wants, or wants as well, loses and gains only its own", async () => {
  const world = worldWithApp();
  await applyStable(world, packOf("1.0.0", deployment));
  const one = world.read(target);
  await applyStable(world, packOf("2.0.0", deployment, service));
  expect(world.read(target)).toContain("type: NodePort");
  const third = { in: { kind: "ConfigMap" }, template: { data: { a: "1" } } };
  await applyStable(world, packOf("3.0.0", deployment, service, third));
  await applyStable(world, packOf("4.0.0", deployment, service));
  expect(world.read(target)).not.toContain("\ndata:");
  await applyStable(world, packOf("5.0.0", deployment));
  expect(world.read(target)).toBe(one);
  await world.uninstall();
  expect(world.read(target)).toBe(text);
});

it("a file that is not there is made of both documents, and goes with them", async () => {
  const world = new World();
  await applyStable(world, packOf("1.0.0", deployment, service));
  expect(world.read(target)).toBe(
    "kind: Deployment\nmetadata:\n  name: web\nspec:\n  paused: false\n---\nkind: Service\nspec:\n  type: NodePort\n",
  );
  await world.uninstall();
  expect(world.exists(target)).toBe(false);
});

it("two files for the same document, or one without a document, are an error that names the target", async () => {
  const world = worldWithApp();
  await expect(world.apply(packOf("1.0.0", deployment, deployment))).rejects.toThrow("two files of the manifest");
  await expect(world.apply(packOf("1.0.0", deployment, { template: { a: 1 } }))).rejects.toThrow("two files");
});

it("a document that is gone is said, and what is left can be uninstalled", async () => {
  const world = worldWithApp();
  await applyStable(world, packOf("1.0.0", deployment, service));
  world.write(target, world.read(target).replace(/---\nkind: Service[\s\S]*?(?=---)/, ""));
  await expect(world.apply(packOf("2.0.0", deployment, service))).rejects.toThrow("no document Service");
  await world.uninstall();
  expect(world.read(target)).toBe(text.replace(/---\nkind: Service[\s\S]*?(?=---)/, ""));
});

const inText = { in: { kind: "Text" }, template: { zz: 1 } };
const inList = { in: { kind: "List" }, template: { zz: 1 } };
const twoDocuments = "kind: Text\nx: 1\n---\nkind: List\ny: 2\n";

it("a release that means another document takes out what it had in the first", async () => {
  const world = new World();
  world.write(target, twoDocuments);
  await applyStable(world, packOf("1.0.0", inText));
  await applyStable(world, packOf("2.0.0", inList));
  expect(world.read(target)).toBe(`${twoDocuments}zz: 1\n`);
  await world.uninstall();
  expect(world.read(target)).toBe(twoDocuments);
});

it("a release that says more of the same document knows its entries again", async () => {
  const world = new World();
  world.write(target, twoDocuments);
  await applyStable(world, packOf("1.0.0", inText));
  world.edit(target, "zz: 1", "zz: 9");
  const more = { ...inText, in: { kind: "Text", x: 1 } };
  expect(await applyStable(world, packOf("2.0.0", more))).toEqual({ "setting:zz": "keep user-modified" });
});

it("where somebody took the only document out, the next release and uninstall go on", async () => {
  const world = new World();
  world.write(target, twoDocuments);
  await applyStable(world, packOf("1.0.0", inText));
  world.write(target, "kind: List\ny: 2\n");
  await expect(world.apply(packOf("1.1.0", inText))).rejects.toThrow("no document of this file has kind: Text");
  await applyStable(world, packOf("2.0.0", inList));
  expect(world.read(target)).toBe("kind: List\ny: 2\nzz: 1\n");
  world.write(target, "kind: Other\n");
  await world.uninstall();
  expect(world.read(target)).toBe("kind: Other\n");
});
