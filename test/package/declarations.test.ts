// needs: typescript
// The library's types as programs see them: with every compiler from 5.4 on, without Node's types or anybody else's.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");
const cache = process.env.STET_TEST_CACHE ?? path.join(os.homedir(), ".cache/stet-test");
const compilers = [
  ...["5.4.5", "5.6.3", "5.8.3", "5.9.3", "6.0.3"].map((version) =>
    path.join(cache, "typescript", version, "lib/tsc.js"),
  ),
  path.join(root, "node_modules/typescript/bin/tsc"),
];

const program = `
import * as stet from "stet";
import { apply, discover, evaluateHost, InputError, loadManifest, loadPlan, plan, savePlan, thisMachine } from "stet";
import type { Manifest, ManifestSource, MachineOptions, Plan, PlanDocument } from "stet";

const source: ManifestSource = { name: "a", version: "1", files: [{ target: "~/a", template: {}, strategy: "block" }] };
export async function uses(machine: MachineOptions): Promise<PlanDocument> {
  const manifest: Manifest = await loadManifest(source, { version: "2" });
  const made: Plan = await plan(manifest, { ...machine, prune: false });
  const codes: string[] = made.diagnostics.map(({ code }) => code);
  const again = await loadPlan(savePlan(made), thisMachine({ home: "/h" }));
  const files: string[] = (await evaluateHost("kadath", { ...machine, repo: "." })).files.map(({ path }) => path);
  const kinds: string[] = (await discover([])).tools.map(({ kind }) => kind);
  await stet.watch(manifest, { ...machine, signal: { aborted: false, addEventListener() {} } });
  await stet.watch("./pack", { ...machine, signal: { aborted: false, addEventListener() {} }, tell: ({ kind }) => kind });
  for (const { number, files: changed } of await stet.history("a", machine)) String(number + changed.length);
  const error: unknown = [codes, files, kinds];
  if (error instanceof InputError) error.code satisfies string;
  return apply(again, { exactly: true });
}
export async function misuses(machine: MachineOptions, made: Plan, document: PlanDocument): Promise<void> {
  // @ts-expect-error A misspelt property.
  await loadManifest({ name: "a", version: "1", files: [{ target: "~/a", template: "", stratgy: "block" }] });
  // @ts-expect-error A manifest that was not loaded.
  await plan(source, machine);
  // @ts-expect-error What JSON gives back is no plan.
  await apply(document);
  // @ts-expect-error There is no such verdict.
  made.entries.some(({ verdict }) => verdict === "created");
  // @ts-expect-error Nor such a code.
  made.diagnostics.some(({ code }) => code === "user-modifed");
}
`;

let folder: string;
const write = (name: string, text: string) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-declarations-"));
  const { name, version, type, exports, main, types } = JSON.parse(fs.readFileSync(`${root}/package.json`, "utf8"));
  write("node_modules/stet/package.json", JSON.stringify({ name, version, type, exports, main, types }));
  for (const file of ["index.d.ts", "index.d.cts"])
    write(`node_modules/stet/dist/${file}`, fs.readFileSync(`${root}/dist/${file}`, "utf8"));
  write("program.mts", program);
  write("program.cts", program);
  const links = "export const made = [new AbortController().signal, new URL('file:///a')] as const;";
  const call = "stet.watch(await stet.loadManifest(made[1]), { home: '/', signal: made[0] });";
  write("browser.mts", `import * as stet from "stet";\n${links}\nawait ${call}\n`);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function compiles(compiler: string, files: readonly string[], more: readonly string[]): void {
  // Our types are checked, too; those of TypeScript itself would take longer than everything else.
  const checked = ["--skipLibCheck", "false", "--skipDefaultLibCheck"];
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", ...checked];
  const args = [compiler, ...strict, "--target", "es2022", ...more, ...files];
  const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  expect({ args, stdout, status }).toEqual({ args, stdout: "", status: 0 });
}

describe.each(compilers)("%s", (compiler) => {
  it("NodeNext, from both kinds of modules", () =>
    compiles(compiler, ["program.mts", "program.cts"], ["--module", "nodenext", "--lib", "es2022"]));
  it("Bundler, with a browser's own AbortSignal and URL", () => {
    const bundler = ["--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"];
    compiles(compiler, ["program.mts", "browser.mts"], bundler);
  });
});

it("exports every type that it declares, and imports nothing", () => {
  const text = fs.readFileSync(`${root}/dist/index.d.ts`, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  expect(text).not.toMatch(/\bimport\b|\bNodeJS\b|\bBuffer\b/);
  const declared = [...text.matchAll(/^(?:declare )?(?:interface|type|class|function) (\w+)/gm)].map(
    ([, name]) => name!,
  );
  const exported = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names!.split(/,\s*/));
  expect(declared.length).toBeGreaterThan(80);
  expect(exported.map((name) => name.trim()).sort()).toEqual(declared.sort());
});
