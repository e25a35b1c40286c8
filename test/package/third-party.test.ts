import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, type Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { builtExecutable, processorTime, running, works } from "./executable.ts";

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly serialNumber: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
  readonly components: readonly {
    readonly type: string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: readonly unknown[];
    readonly hashes?: readonly { readonly content: string }[];
  }[];
}

const packageFile = (folder: string) => JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8"));

/** Name and version of every package that esbuild puts into a bundle of the program, asked of esbuild anew. */
async function bundled(external: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ["src/index.ts", "src/cli/process.ts", "src/cli/ui/page/app.tsx"],
    bundle: true,
    write: false,
    metafile: true,
    outdir: "out",
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    external: [...external],
    loader: { ".node": "empty" },
  });
  return packagesIn(metafile);
}

function packagesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []);
  return [...new Set(folders)].map((folder) => `${packageFile(folder).name} ${packageFile(folder).version}`).sort();
}

function noticesIn(text: string): { readonly name: string; readonly words: number }[] {
  const parts = text.split(/^={78}\n(.+) \(.+\)\n={78}\n/m).slice(1);
  return parts.flatMap((name, i) => (i % 2 === 0 ? [{ name, words: parts[i + 1]!.split(/\s+/).length }] : []));
}

describe("the package", () => {
  it("has a licence text for each package that is bundled, and for no other", async () => {
    const notices = noticesIn(fs.readFileSync("dist/THIRD-PARTY-NOTICES.txt", "utf8"));
    expect(notices.map(({ name }) => name).sort()).toEqual(await bundled(["fs-native-extensions"]));
    for (const { name, words } of notices) expect({ name, long: words > 80 }).toEqual({ name, long: true });
  });

  it("has a bill of materials: what is bundled, and what npm installs beside it, with the lockfile's hashes", async () => {
    const bill: Bill = JSON.parse(fs.readFileSync("dist/stet.cdx.json", "utf8"));
    expect(bill).toMatchObject({
      bomFormat: "CycloneDX",
      specVersion: "1.5",
      metadata: { component: { name: "stet" } },
    });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const wanted = new Set([...(await bundled(["fs-native-extensions"])), ...installedForRunning()]);
    expect(bill.components.map(({ name, version }) => `${name} ${version}`).sort()).toEqual([...wanted].sort());
    for (const { name, version, purl, licenses, hashes } of bill.components) {
      expect(purl).toBe(`pkg:npm/${name.replace("@", "%40")}@${version}`);
      expect(licenses).toHaveLength(1);
      const hex = Buffer.from(lock.packages[`node_modules/${name}`].integrity.split("-")[1], "base64").toString("hex");
      expect(hashes?.[0]?.content).toBe(hex);
    }
  });

  it("ships both", () => {
    expect(packageFile(".").files).toContain("dist");
    const packed = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { encoding: "utf8" }),
    );
    const files = packed[0].files.map((file: { path: string }) => file.path);
    expect(files).toEqual(expect.arrayContaining(["dist/THIRD-PARTY-NOTICES.txt", "dist/stet.cdx.json", "LICENSE"]));
  });
});

/** What the lockfile does not mark as needed for development, or by an optional peer, alone. */
function installedForRunning(): string[] {
  const packages = Object.entries<{ dev?: boolean; devOptional?: boolean; optional?: boolean }>(lock.packages);
  return packages
    .filter(([folder, { dev, devOptional, optional }]) => folder !== "" && !dev && !devOptional && !optional)
    .map(([folder]) => `${packageFile(folder).name} ${packageFile(folder).version}`);
}

describe.runIf(process.platform === "linux")("the executable", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-executable-"));
  let file: string;
  beforeAll(() => {
    file = builtExecutable(`linux-${process.arch}`, folder);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  it("is smaller than Node alone, works, and starts in less than twice the time of the package", async () => {
    expect(fs.statSync(file).size).toBeLessThan(fs.statSync(process.execPath).size);
    await works(running(file), folder);
    const ofPackage = processorTime(`${process.execPath} bin/stet.cjs`, folder);
    expect(processorTime(file, folder) / ofPackage).toBeLessThan(2);
  });

  it("has, beside it, the notices of all that is in it: packages, the addon and Node", async () => {
    const node = `node ${process.version.slice(1)}`;
    const inside = (await bundled([])).filter((name) => !/^(?:require-addon|bare-)/.test(name));
    const beside = fs.readFileSync(`${file}.notices.txt`, "utf8");
    expect(beside.startsWith(fs.readFileSync("LICENSE", "utf8"))).toBe(true);
    const notices = noticesIn(beside).map(({ name }) => name);
    expect(notices).toEqual(expect.arrayContaining([...inside, node]));
    const bill: Bill = JSON.parse(fs.readFileSync(`${file}.cdx.json`, "utf8"));
    expect(bill.components.map(({ name, version }) => `${name} ${version}`).sort()).toEqual([...notices].sort());
    expect(bill.components.filter(({ type }) => type === "platform").map(({ name }) => name)).toEqual(["node"]);
  });
});
