import { isUtf8 } from "node:buffer";
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import * as v from "valibot";
import type { NextContent, NextFile } from "../core/content.ts";
import { InputError, issueMessage } from "../core/diagnostic.ts";
import { verdicts } from "../core/entry.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import { canonicalText, type Value } from "../core/value.ts";
import { hashedContent } from "../store/gate/content.ts";
import type { Gate, Reader } from "../store/gate/gate.ts";
import { parseRegistry, registryPath } from "../store/records/registry.ts";
import {
  isOwnerName,
  prepareStateDir,
  refuseOthersFile,
  refuseShared,
  sealKeyName,
} from "../store/records/state-dir.ts";
import { createVerified, tempBeside } from "../store/transaction/atomic.ts";
import type { Change } from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import { refuseOwnTargets } from "./place.ts";
import type { OwnerPlan } from "./plan-owner.ts";

/**
 * A plan in a file: an artefact, with every byte it would write, for its owner's eyes only. What it names is checked
 * before it is believed.
 */
const absolutePath = v.pipe(
  v.string(),
  v.check((path) => isAbsolute(path) && resolve(path) === path && !path.includes("\0"), "not an absolute path"),
);
const absent = v.strictObject({ kind: v.literal("absent") });
const content = v.variant("kind", [
  absent,
  v.strictObject({ kind: v.literal("file"), sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "not a hash")) }),
  v.strictObject({ kind: v.literal("link"), target: v.string() }),
]);
const fileMode = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0o777));
const change = v.strictObject({
  path: absolutePath,
  real: absolutePath,
  before: content,
  after: v.variant("kind", [
    absent,
    v.strictObject({
      kind: v.literal("file"),
      text: v.optional(v.string()),
      base64: v.optional(v.pipe(v.string(), v.base64("not base64"))),
      mode: v.optional(v.union([v.strictObject({ created: fileMode }), v.strictObject({ exact: fileMode })])),
    }),
    v.strictObject({ kind: v.literal("link"), target: v.string() }),
  ]),
  section: v.optional(v.string()),
  removeFolders: v.array(absolutePath),
});

const document = v.looseObject({
  format_version: v.literal(1),
  name: v.string(),
  version: v.string(),
  from: v.nullable(v.string()),
  changed: v.number(),
  summary: v.record(v.picklist(verdicts), v.number()),
  entries: v.array(
    v.looseObject({ file: v.string(), key: v.string(), type: v.string(), verdict: v.picklist(verdicts) }),
  ),
  files: v.array(
    v.looseObject({ path: v.string(), action: v.picklist(["create", "modify", "delete", "none"]), diff: v.string() }),
  ),
  diagnostics: v.array(
    v.looseObject({ code: v.string(), severity: v.picklist(["error", "warning", "info"]), message: v.string() }),
  ),
});

/** What a plan was made from, to make it again. */
const planSource = v.strictObject({
  manifest: absolutePath,
  set: v.record(v.string(), v.string()),
  fromEnv: v.array(v.string()),
  prune: v.boolean(),
  unhold: v.boolean(),
  relocate: v.optional(v.boolean(), false),
});
export type PlanSource = Readonly<v.InferOutput<typeof planSource>>;

const savedPlan = v.strictObject({
  stet_plan: v.literal(1),
  /** Over the whole text, with `null` in this place. */
  seal: v.nullable(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "not a seal"))),
  source: v.nullable(planSource),
  document,
  seen: v.array(v.strictObject({ path: absolutePath, content })),
  transaction: v.strictObject({
    stateDir: absolutePath,
    name: v.pipe(v.string(), v.check(isOwnerName, "not a name for an owner")),
    changes: v.array(change),
    registry: v.strictObject({ path: absolutePath, before: v.optional(v.string()), after: v.optional(v.string()) }),
    generation: v.optional(v.strictObject({ version: v.string(), from: v.optional(v.string()), note: v.string() })),
  }),
});
type SavedPlan = v.InferOutput<typeof savedPlan>;

/**
 * The text of a plan. Without a key (a state directory that can't be written) it is planned again before it is applied.
 */
export function renderSavedPlan(plan: OwnerPlan, source: PlanSource | undefined, key: SealKey | undefined): string {
  const body = JSON.stringify({ stet_plan: 1, seal: null, source: source ?? null, ...planBody(plan) }, undefined, 2);
  const text = `${body}\n`;
  return key === undefined ? text : text.replace(unsealed, (_, head: string) => `${head}"${sealOf(key, text)}"`);
}

/** The seal's place, at the beginning: before anything else is believed. */
const sealed = /^(\{\n {2}"stet_plan": 1,\n {2}"seal": )"([0-9a-f]{64})"/;
const unsealed = /^(\{\n {2}"stet_plan": 1,\n {2}"seal": )null/;

function isSealed(text: string, key: SealKey | undefined): boolean {
  const seal = sealed.exec(text)?.[2];
  return key !== undefined && seal !== undefined && isSealOf(key, text.replace(sealed, "$1null"), seal);
}

function planBody({ document, seen, transaction }: OwnerPlan) {
  const changes = transaction.changes.map(({ before, after, ...change }) => {
    return { ...change, before: hashedContent(before), after: after.kind === "file" ? keptFile(after) : after };
  });
  return { document, seen, transaction: { ...transaction, changes } };
}

/** Text as it is, so that a person can read it; bytes that are none in the spelling that JSON has room for. */
function keptFile({ bytes, mode }: NextFile) {
  const buffer = Buffer.from(bytes);
  return {
    kind: "file",
    ...(isUtf8(bytes) ? { text: buffer.toString("utf8") } : { base64: buffer.toString("base64") }),
    mode,
  };
}

/** Whether a file is a plan; a manifest may be JSON, which is YAML as well, but none has this member. */
export function isSavedPlan(reader: Reader, path: string): boolean {
  if (reader.stat(reader.realPath(path))?.kind !== "file") return false;
  return looksLikePlan(reader.read(path)?.toString("utf8") ?? "");
}

function looksLikePlan(text: string): boolean {
  return text.startsWith("{") && text.slice(0, 100).includes('"stet_plan"');
}

/**
 * The plan in a file; undefined where the file is something else. One that this user's stet has not sealed on this
 * machine may say anything: it is made again from the pack that it names (`again`), and counts only where it is the
 * same.
 */
export async function readSavedPlan(
  machine: Machine,
  path: string,
  again: (source: PlanSource) => Promise<OwnerPlan>,
): Promise<OwnerPlan | undefined> {
  const { gate } = machine;
  if (!isSavedPlan(gate, path)) return undefined;
  refuseOthersFile(gate, path, (why) =>
    invalidPlan(path, `this plan ${why}, so anybody could have written it; plan again`),
  );
  return loadSavedPlan(machine, gate.read(path)?.toString("utf8") ?? "", path, again);
}

/** The same of a text. `file`: what messages call it. */
export async function loadSavedPlan(
  machine: Machine,
  text: string,
  file: string,
  again: (source: PlanSource) => Promise<OwnerPlan>,
): Promise<OwnerPlan> {
  const saved = checkedPlan(text, file);
  const { stateDir, name, registry } = saved.transaction;
  if (stateDir !== machine.stateDir || registry.path !== registryPath(stateDir, name)) {
    throw invalidPlan(
      file,
      `this plan was made for the state directory ${stateDir}; pass --state-dir ${stateDir}, or plan again`,
    );
  }
  refuseShared(machine.gate, stateDir);
  const refuseOwn = refuseOwnTargets(machine);
  for (const { path } of saved.transaction.changes) refuseOwn(path);
  refuseStrangeRecords(saved.transaction, file);
  if (!isSealed(text, readSealKey(machine.gate, stateDir))) return madeAgain(machine, saved, file, again);
  const { document, seen, transaction } = saved;
  return { document: document as PlanDocument, seen, places: [], transaction: withBytes(transaction) };
}

async function madeAgain(
  { gate }: Machine,
  { source, document, seen, transaction }: SavedPlan,
  file: string,
  again: (source: PlanSource) => Promise<OwnerPlan>,
): Promise<OwnerPlan> {
  const unsealed = "this plan was changed, or not made by you on this machine";
  if (source === null) throw invalidPlan(file, `${unsealed}, and it does not say from which pack; plan again`);
  for (const path of [source.manifest, join(source.manifest, "stet.yaml")])
    refuseOthersFile(gate, path, (why) =>
      invalidPlan(file, `${unsealed}, and its pack ${source.manifest} ${why}; plan again`),
    );
  const plan = await again(source);
  const text = (body: object) => canonicalText(JSON.parse(JSON.stringify(body)) as Value);
  if (text(planBody(plan)) === text({ document, seen, transaction })) return plan;
  throw invalidPlan(file, `${unsealed}, and planning ${source.manifest} again gives another result; plan again`);
}

function invalidPlan(file: string, message: string): InputError {
  return new InputError({ code: "invalid-plan", message, file });
}

/**
 * What it would write as records has to be records, and this owner's: nobody could read anything else afterwards, or
 * put it right.
 */
function refuseStrangeRecords({ name, registry }: SavedPlan["transaction"], file: string): void {
  if (registry.after === undefined) return;
  try {
    if (parseRegistry(registry.after, file).name === name) return;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  throw invalidPlan(
    file,
    `this is not a plan that this stet can apply (transaction.registry.after: not the records of ${name}); plan again`,
  );
}

function checkedPlan(text: string, file: string): SavedPlan {
  const refuse = (why: string) => invalidPlan(file, `this is not a plan that this stet can apply (${why}); plan again`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw refuse("no JSON");
  }
  const parsed = v.safeParse(savedPlan, data);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw refuse(`${v.getDotPath(issue) ?? "it"}: ${issueMessage(issue)}`);
}

function withBytes({ changes, ...transaction }: SavedPlan["transaction"]): OwnerPlan["transaction"] {
  const withContent = changes.map(({ after, ...change }): Change => {
    const next: NextContent =
      after.kind === "file" ? { kind: "file", bytes: bytesOf(after), mode: after.mode ?? { created: 0o666 } } : after;
    return { ...change, section: change.section, after: next };
  });
  const { registry, generation } = transaction;
  return {
    ...transaction,
    changes: withContent,
    registry: { ...registry, before: registry.before, after: registry.after },
    generation: generation && { ...generation, from: generation.from },
  };
}

function bytesOf({
  text,
  base64,
}: {
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
}): Buffer {
  return base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");
}

/**
 * What seals artefacts of this user on this machine: whoever can't read the state directory can't make or change one.
 */
export type SealKey = string & { readonly sealKey: true };

const shape = /^[0-9a-f]{64}\n$/;

/** The key of a state directory; undefined if there is none, or if others may know it. */
function readSealKey(reader: Reader & Pick<Gate, "userId">, stateDir: string): SealKey | undefined {
  const path = join(reader.realPath(stateDir), sealKeyName);
  const status = reader.stat(path);
  if (status?.kind !== "file") return undefined;
  if (reader.userId !== undefined && (status.uid !== reader.userId || (status.mode & 0o077) !== 0)) return undefined;
  const text = reader.read(path)?.toString("latin1") ?? "";
  return shape.test(text) ? (text as SealKey) : undefined;
}

/**
 * The same, made where there is none. Whoever makes one in the same moment makes the one that counts, or takes ours.
 */
export function sealKey(gate: Gate, stateDir: string): SealKey | undefined {
  const dir = prepareStateDir(gate, stateDir);
  if (gate.stat(join(dir, sealKeyName)) === undefined) {
    const temp = tempBeside(gate, join(dir, sealKeyName));
    gate.stage("begun");
    createVerified(gate, temp, Buffer.from(`${randomBytes(32).toString("hex")}\n`), "private");
    if (!gate.place(temp, join(dir, sealKeyName))) gate.remove(temp);
    gate.syncFolder(dir);
  }
  return readSealKey(gate, dir);
}

function sealOf(key: SealKey, text: string): string {
  return createHmac("sha256", key).update(text).digest("hex");
}

function isSealOf(key: SealKey, text: string, seal: string): boolean {
  return timingSafeEqual(Buffer.from(sealOf(key, text), "hex"), Buffer.from(seal, "hex"));
}
