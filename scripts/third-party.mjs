// What a build holds of others: their licence notices, and a bill of materials (CycloneDX). Both are made of what
// esbuild says it bundled.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));

/** The folders of the packages that some bundles hold, from their metafiles. */
export function bundledFolders(metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  return [...new Set(folders)].sort();
}

/** The folders of a package and of all that it needs when it runs, from the lockfile. */
export function neededFolders(folder, found = new Set()) {
  if (found.has(folder)) return found;
  found.add(folder);
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[folder] ?? {};
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const place = nearest(folder, name);
    if (place !== undefined) neededFolders(place, found);
  }
  return found;
}

/** Where Node finds a package from another's folder. */
function nearest(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const place = join(at === "." ? "" : at, "node_modules", name);
    if (lock.packages[place] !== undefined) return place;
    if (at === "." || at === "") return undefined;
  }
}

/** A package as its own files and the lockfile describe it. */
export function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  const texts = readdirSync(join(root, folder))
    .filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  if (texts.length === 0) throw new Error(`${folder} ships no licence text: find one, or another package`);
  return { name, version, license, texts, integrity: lock.packages[folder]?.integrity };
}

/** Node itself, for an executable that holds it. Its licence lies beside it, wherever its maker put it. */
export function describeNode() {
  const folder = dirname(dirname(process.execPath));
  const places = [
    join(folder, "LICENSE"),
    join(folder, "share/doc/nodejs/LICENSE"),
    join(folder, "share/doc/node/LICENSE"),
  ];
  const file = places.find(existsSync);
  if (file === undefined)
    throw new Error(`the licence of ${process.execPath} is in none of ${places.join(", ")}: an executable needs it`);
  return {
    name: "node",
    version: process.version.slice(1),
    license: "MIT",
    texts: [readFileSync(file, "utf8").trim()],
  };
}

/** `own`: the licence of stet itself, where its file does not lie beside it anyway. */
export function noticesText(packages, own = "") {
  const rule = "=".repeat(78);
  const parts = packages.map(
    ({ name, version, license, texts }) =>
      `${rule}\n${name} ${version} (${license})\n${rule}\n\n${texts.join("\n\n")}\n`,
  );
  return `${own}stet holds parts of the following works, each under its own terms.\n\n${parts.join("\n")}`;
}

/**
 * A bill of materials in CycloneDX's JSON. The same for the same inputs: it says neither when nor where it was made.
 */
export function billOfMaterials(packages, { platform } = {}) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const self = component({ name, version, license }, "application");
  const components = packages.map((each) => component(each, "library"));
  if (platform) components.push({ ...component(platform, "platform"), purl: `pkg:generic/node@${platform.version}` });
  const refs = components.map((each) => each["bom-ref"]);
  const content = {
    metadata: { component: self },
    components,
    dependencies: [{ ref: self["bom-ref"], dependsOn: refs }],
  };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
}

function component({ name, version, license, integrity }, type) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [algorithm, base64] = integrity?.split("-") ?? [];
  return {
    type,
    "bom-ref": type === "platform" ? `pkg:generic/${name}@${version}` : purl,
    name,
    version,
    purl,
    licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }],
    ...(algorithm === "sha512"
      ? { hashes: [{ alg: "SHA-512", content: Buffer.from(base64, "base64").toString("hex") }] }
      : {}),
  };
}

/** A name-based UUID (version 8): of the content alone. */
function uuidOf(text) {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = ((Number.parseInt(hex[16], 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Of the package: what is bundled has its notices in it; what npm installs beside it brings its own, and is in the bill
 * only.
 */
export function writeThirdParty(outdir, metafiles) {
  const bundled = bundledFolders(metafiles).map(describe);
  const installed = [...neededFolders("")].filter((folder) => folder !== "").map(describe);
  const known = new Set(bundled.map(({ name }) => name));
  writeFileSync(join(outdir, "THIRD-PARTY-NOTICES.txt"), noticesText(bundled));
  const all = [...bundled, ...installed.filter(({ name }) => !known.has(name))];
  writeFileSync(join(outdir, "stet.cdx.json"), `${JSON.stringify(billOfMaterials(all), undefined, 2)}\n`);
}

/** Of an executable: all of it is inside, the addon and Node too. Both files lie beside it, with stet's own licence. */
export function writeBesideExecutable(output, metafiles) {
  const packages = bundledFolders(metafiles).map(describe);
  const node = describeNode();
  const own = readFileSync(join(root, "LICENSE"), "utf8");
  writeFileSync(`${output}.notices.txt`, noticesText([...packages, node], `${own}\n`));
  writeFileSync(
    `${output}.cdx.json`,
    `${JSON.stringify(billOfMaterials(packages, { platform: node }), undefined, 2)}\n`,
  );
}
