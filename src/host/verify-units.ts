import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Reader } from "../store/gate.ts";
import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import type { Content, EvaluatedFile, Evaluation } from "./evaluation.ts";
import { runProgram } from "./run-program.ts";
import { type HostTarget, placeUnder } from "./target.ts";
import { parseUnitName } from "./unit-kind.ts";

export interface Verifying {
  /** podman's generator; undefined where podman is not installed. */
  readonly generator: string | undefined;
  /** Whether systemd-analyze speaks for the machine that the units are for. */
  readonly analyze: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The staged units as podman and systemd themselves see them, before anything is activated. */
export async function verifyUnits(evaluation: Evaluation, target: HostTarget, verifying: Verifying): Promise<HostDiagnostic[]> {
  const stage = await mkdtemp(join(tmpdir(), "stet-stage-"));
  try {
    await writeUnits(join(stage, "quadlet"), target.layout.quadletFolder, evaluation.files);
    await writeUnits(join(stage, "units"), target.layout.unitFolder, evaluation.files);
    await addStrangers(join(stage, "quadlet"), target);
    const generated =
      verifying.generator === undefined ? [] : await runGenerator(verifying.generator, stage, target, verifying, evaluation);
    if (generated.length > 0 || !verifying.analyze) return generated;
    return await analyze(stage, verifying, evaluation);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function writeUnits(stage: string, folder: string, files: readonly EvaluatedFile[]): Promise<void> {
  await mkdir(stage, { recursive: true });
  for (const file of files) {
    if (file.kind !== "config" && file.path.startsWith(`${folder}/`))
      await writeContent(join(stage, file.path.slice(folder.length)), file.content);
  }
}

async function writeContent(path: string, content: Content): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (content.kind === "symlink") await symlink(content.target, path);
  else await writeFile(path, content.bytes);
}

/** Units of ours may use a network or volume that somebody else put on the host. */
async function addStrangers(stage: string, target: HostTarget): Promise<void> {
  const reader: Reader = target.gate;
  const folder = placeUnder(target.root, target.layout.quadletFolder);
  const present = new Set(await readdir(stage));
  for (const name of reader.list(folder) ?? []) {
    if (present.has(name) || parseUnitName(name)?.family !== "quadlet") continue;
    const bytes = reader.stat(join(folder, name))?.kind === "file" ? reader.read(join(folder, name)) : undefined;
    if (bytes !== undefined) await writeFile(join(stage, name), bytes);
  }
}

async function runGenerator(
  generator: string,
  stage: string,
  target: HostTarget,
  { env }: Verifying,
  evaluation: Evaluation,
): Promise<HostDiagnostic[]> {
  const args = ["-dryrun", "-no-kmsg-log", ...(target.scope === "user" ? ["-user"] : [])];
  const result = await runProgram(generator, {
    args,
    env: { PATH: env.PATH, HOME: env.HOME, QUADLET_UNIT_DIRS: join(stage, "quadlet") },
    timeoutMs: 30_000,
  });
  if (result.kind !== "exited") return [];
  await writeGenerated(join(stage, "units"), result.stdout.toString("utf8"));
  if (result.status === 0) return [];
  return result.stderr.split("\n").flatMap((line) => {
    const complaint = line.replace(/^quadlet-generator\[\d+\]: /, "");
    if (!/^(error|converting|.*unsupported|.*not found)/i.test(complaint) || /^(Loading|Warning)/.test(complaint)) return [];
    return aboutOurs(complaint.replaceAll(`${stage}/quadlet/`, ""), evaluation, "podman's generator");
  });
}

async function writeGenerated(folder: string, output: string): Promise<void> {
  for (const part of output.split(/^---(?=\S+---$)/m).slice(1)) {
    const end = part.indexOf("---\n");
    const name = basename(part.slice(0, end));
    await writeFile(join(folder, name), part.slice(end + 4), { flag: "wx" }).catch(() => {});
  }
}

async function analyze(stage: string, { env }: Verifying, evaluation: Evaluation): Promise<HostDiagnostic[]> {
  const folder = join(stage, "units");
  const units = evaluation.files
    .filter((file) => file.kind === "unit" && !file.unit?.stem.endsWith("@"))
    .map((file) => join(folder, file.unit!.name));
  if (units.length === 0) return [];
  const run = {
    args: ["verify", "--man=no", "--generators=no", ...units],
    env: { ...env, SYSTEMD_UNIT_PATH: `${folder}:`, SYSTEMD_COLORS: "0" },
    timeoutMs: 30_000,
  };
  const result = await runProgram("systemd-analyze", run);
  if (result.kind !== "exited" || result.status === 0) return [];
  // It also tells what it thinks of the machine's other units: only complaints about ours count, and only those it would not start.
  return result.stderr
    .split("\n")
    .filter((line) => /bad unit file|has a bad|Failed to (load|create)|is not executable|refusing|Invalid|not valid/i.test(line))
    .flatMap((line) => aboutOurs(line.replaceAll(`${folder}/`, ""), evaluation, "systemd-analyze"));
}

function aboutOurs(complaint: string, evaluation: Evaluation, who: string): HostDiagnostic[] {
  const file = evaluation.files.find(
    (each) =>
      each.unit !== undefined &&
      complaint.includes(each.kind.endsWith("dropin") ? `${each.unit.name}.d/${basename(each.path)}` : each.unit.name),
  );
  return file === undefined ? [] : [diagnose("invalid-unit", { file: file.origin.at(-1)! }, `${who} says: ${complaint.trim()}`)];
}
