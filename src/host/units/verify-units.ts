import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { FileOrLink } from "../../core/content.ts";
import type { Reader } from "../../store/gate/gate.ts";
import { type ProgramResult, runProgram } from "../../system/run-program.ts";
import { diagnose, type HostDiagnostic, hasErrors } from "../diagnostics.ts";
import type { EvaluatedFile, EvaluatedHost } from "../evaluate/evaluation.ts";
import type { HostPlan } from "../plan.ts";
import { type HostTarget, placeUnder } from "../target.ts";
import { parseDropInFolder, parseUnitName } from "./unit-kind.ts";

export interface Verifying {
  /** podman's generator; undefined where podman is not installed. */
  readonly generator: string | undefined;
  /** Whether systemd-analyze speaks for the machine that the units are for. */
  readonly analyze: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Which manager the units are for, and where they go. */
type Destination = Pick<HostTarget, "scope" | "layout">;

/** The staged units as podman and systemd themselves see them, before anything is activated. */
export async function verifyUnits(plan: HostPlan, target: HostTarget, verifying: Verifying): Promise<HostDiagnostic[]> {
  const { evaluation } = plan;
  return staged(evaluation, target, async (stage) => {
    await addForeign(join(stage, "quadlet"), target, new Set(plan.transaction.changes.map((change) => change.path)));
    const complaints = await runGenerator(stage, target, verifying, evaluation);
    if (hasErrors(complaints) || !verifying.analyze) return complaints;
    return [...complaints, ...(await analyze(stage, target, verifying, evaluation))];
  });
}

/** The units of a host as podman's generator sees them, without a look at the host itself. */
export function verifyEvaluation(
  evaluation: EvaluatedHost,
  destination: Destination,
  verifying: Omit<Verifying, "analyze">,
): Promise<HostDiagnostic[]> {
  if (verifying.generator === undefined) return Promise.resolve(unverified(evaluation));
  return staged(evaluation, destination, (stage) => runGenerator(stage, destination, verifying, evaluation));
}

async function staged<T>(
  evaluation: EvaluatedHost,
  { layout }: Destination,
  use: (stage: string) => Promise<T>,
): Promise<T> {
  const stage = await mkdtemp(join(tmpdir(), "stet-stage-"));
  try {
    await writeUnits(join(stage, "quadlet"), layout.quadletFolder, evaluation.files);
    await writeUnits(join(stage, "units"), layout.unitFolder, evaluation.files);
    return await use(stage);
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

async function writeContent(path: string, content: FileOrLink): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (content.kind === "link") await symlink(content.target, path);
  else await writeFile(path, content.bytes);
}

/** podman reads the units and drop-ins of others together with ours. What we change or remove does not count. */
async function addForeign(stage: string, target: HostTarget, changed: ReadonlySet<string>): Promise<void> {
  const folder = placeUnder(target.root, target.layout.quadletFolder);
  for (const path of quadletFiles(target.gate, folder)) {
    const [from, to] = [join(folder, path), join(stage, path)];
    const bytes = changed.has(from) ? undefined : target.gate.read(from);
    if (bytes === undefined) continue;
    await mkdir(dirname(to), { recursive: true });
    // What is staged already is ours.
    await writeFile(to, bytes, { flag: "wx" }).catch(() => {});
  }
}

/** Quadlet files and the drop-ins beside them, relative to the folder. */
function quadletFiles(reader: Reader, folder: string): string[] {
  return (reader.list(folder) ?? []).flatMap((name) => {
    const kind = reader.stat(join(folder, name))?.kind;
    if (kind === "file") return parseUnitName(name)?.family === "quadlet" ? [name] : [];
    if (kind !== "folder" || parseDropInFolder(name).kind === "none") return [];
    const inside = (reader.list(join(folder, name)) ?? []).filter((file) => file.endsWith(".conf"));
    return inside.map((file) => join(name, file)).filter((file) => reader.stat(join(folder, file))?.kind === "file");
  });
}

async function runGenerator(
  stage: string,
  target: Destination,
  { generator, env }: Omit<Verifying, "analyze">,
  evaluation: EvaluatedHost,
): Promise<HostDiagnostic[]> {
  if (generator === undefined || unverified(evaluation).length === 0) return unverified(evaluation);
  const folder = join(stage, "quadlet");
  const args = ["-dryrun", "-no-kmsg-log", ...(target.scope === "user" ? ["-user"] : [])];
  const variables = { PATH: env.PATH, HOME: env.HOME, QUADLET_UNIT_DIRS: folder };
  const result = await runProgram(generator, { args, env: variables, timeoutMs: 30_000 });
  if (result.kind !== "exited") return [unanswered(generator, result)];
  await writeGenerated(join(stage, "units"), result.stdout.toString("utf8"));
  if (result.status === 0) return [];
  const complaints = generatorComplaints(result.stderr, folder, evaluation, target.layout.quadletFolder);
  // It exits 1 for a unit that is not ours as well: only what it has lines for can be told apart.
  return result.status === 1 || complaints.length > 0 ? complaints : [unanswered(generator, result)];
}

/** What there is to say of Quadlet files where podman is not installed. */
function unverified({ files }: EvaluatedHost): HostDiagnostic[] {
  if (!files.some(({ kind }) => kind === "quadlet")) return [];
  const message = "podman's generator is not on this machine, so only stet's own rules checked the units";
  return [diagnose("no-generator", undefined, message)];
}

/** Without an answer nobody knows whether the units are right: that is an error like a wrong unit. */
function unanswered(program: string, result: ProgramResult): HostDiagnostic {
  const why = {
    missing: "can't be run",
    timeout: "took too long",
    "too-much": "said too much",
    exited: `ended with ${result.kind === "exited" ? result.status : 0}`,
  }[result.kind];
  return diagnose(
    "unverified-units",
    undefined,
    `${program} ${why}, so nobody can say whether podman and systemd would accept the units`,
  );
}

async function writeGenerated(folder: string, output: string): Promise<void> {
  for (const part of output.split(/^---(?=\S+---$)/m).slice(1)) {
    const end = part.indexOf("---\n");
    const name = basename(part.slice(0, end));
    await writeFile(join(folder, name), part.slice(end + 4), { flag: "wx" }).catch(() => {});
  }
}

async function analyze(
  stage: string,
  target: HostTarget,
  { env }: Verifying,
  evaluation: EvaluatedHost,
): Promise<HostDiagnostic[]> {
  const folder = join(stage, "units");
  const units = evaluation.files
    .filter((file) => file.kind === "unit" && !file.unit?.stem.endsWith("@"))
    .map((file) => join(folder, file.unit!.name));
  if (units.length === 0) return [];
  // A user's units may need others of that user, which the system's systemd has never heard of.
  const scope = target.scope === "user" ? ["--user"] : [];
  const run = {
    args: [...scope, "verify", "--man=no", "--generators=no", ...units],
    env: { ...env, SYSTEMD_UNIT_PATH: `${folder}:`, SYSTEMD_COLORS: "0" },
    timeoutMs: 30_000,
  };
  const result = await runProgram("systemd-analyze", run);
  if (result.kind === "timeout" || result.kind === "too-much") return [unanswered("systemd-analyze", result)];
  if (result.kind !== "exited" || result.status === 0) return [];
  return analyzeComplaints(result.stderr, folder, evaluation);
}

/**
 * What podman's generator complained about, as diagnostics: our files with their place in the repository, others with
 * theirs on the host.
 */
export function generatorComplaints(
  log: string,
  stage: string,
  evaluation: EvaluatedHost,
  quadletFolder: string,
): HostDiagnostic[] {
  return log.split("\n").flatMap((line) => {
    const complaint = line
      .replace(/^quadlet-generator\[\d+\]: /, "")
      .replaceAll(`${stage}/`, "")
      .trim();
    if (complaint === "" || /^(Loading|Warning|No files parsed)/.test(complaint)) return [];
    const ours = aboutOurs(complaint, evaluation, "podman's generator");
    return ours.length > 0 ? ours : aboutForeignFiles(complaint, quadletFolder);
  });
}

/**
 * systemd-analyze also tells what it thinks of the machine's other units: only ours count, and only what keeps them
 * from starting.
 */
export function analyzeComplaints(log: string, stage: string, evaluation: EvaluatedHost): HostDiagnostic[] {
  return log
    .split("\n")
    .filter((line) =>
      /bad unit file|has a bad|Failed to (load|create)|is not executable|refusing|Invalid|not valid/i.test(line),
    )
    .flatMap((line) => aboutOurs(line.replaceAll(`${stage}/`, "").trim(), evaluation, "systemd-analyze"));
}

function aboutOurs(complaint: string, evaluation: EvaluatedHost, who: string): HostDiagnostic[] {
  const file = evaluation.files.find((each) => each.unit !== undefined && mentions(complaint, shortName(each)));
  return file === undefined ? [] : [diagnose("invalid-unit", file.origin.at(-1)!, `${who} says: ${complaint}`)];
}

/**
 * One file that podman can't even load, and it makes no unit at all, ours included: the next reload would take them
 * away.
 */
function aboutForeignFiles(complaint: string, quadletFolder: string): HostDiagnostic[] {
  const name = /^error loading "([^"]+)"/.exec(complaint)?.[1];
  if (name === undefined) return [];
  const message = `is not ours, and podman can't read it, so it would generate no units at all; repair or remove it (${complaint})`;
  return [diagnose("foreign-file", `${quadletFolder}/${name}`, message)];
}

function shortName(file: EvaluatedFile): string {
  return file.kind.endsWith("dropin") ? `${file.unit!.name}.d/${basename(file.path)}` : file.unit!.name;
}

/**
 * The whole name, not a part of a longer one: `web.container` stands neither in `myweb.container` nor in
 * `web.container.d`.
 */
function mentions(text: string, name: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[A-Za-z0-9_\\@-]/.test(character);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after, next] = [text[at - 1], text[at + name.length], text[at + name.length + 1]];
    if (!isWord(before) && before !== "." && !isWord(after) && !(after === "." && isWord(next))) return true;
  }
  return false;
}
