import { isUtf8 } from "node:buffer";
import { isAbsolute, resolve } from "node:path";
import * as v from "valibot";
import type { NextContent, NextFile } from "../core/content.ts";
import { InputError } from "../core/diagnostic.ts";
import { verdicts } from "../core/entry.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import { issueMessage } from "../core/schema-issue.ts";
import { hashedContent } from "../store/gate/content.ts";
import { parseRegistry, registryPath } from "../store/records/registry.ts";
import { isOwnerName } from "../store/records/state-dir.ts";
import type { Change } from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import type { OwnerPlan } from "./plan-owner.ts";

/** A plan in a file: an artefact, with every byte it would write, for its owner's eyes only. What it names is checked before it is believed. */
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
  entries: v.array(v.looseObject({ file: v.string(), key: v.string(), type: v.string(), verdict: v.picklist(verdicts) })),
  files: v.array(v.looseObject({ path: v.string(), action: v.picklist(["create", "modify", "delete", "none"]), diff: v.string() })),
  diagnostics: v.array(v.looseObject({ code: v.string(), severity: v.picklist(["error", "warning", "info"]), message: v.string() })),
});

const savedPlan = v.strictObject({
  stet_plan: v.literal(1),
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

export function renderSavedPlan({ document, seen, transaction }: OwnerPlan): string {
  const changes = transaction.changes.map(({ before, after, ...change }) => {
    return { ...change, before: hashedContent(before), after: after.kind === "file" ? keptFile(after) : after };
  });
  return `${JSON.stringify({ stet_plan: 1, document, seen, transaction: { ...transaction, changes } }, undefined, 2)}\n`;
}

/** Text as it is, so that a person can read it; bytes that are none in the spelling that JSON has room for. */
function keptFile({ bytes, mode }: NextFile) {
  const buffer = Buffer.from(bytes);
  return { kind: "file", ...(isUtf8(bytes) ? { text: buffer.toString("utf8") } : { base64: buffer.toString("base64") }), mode };
}

/** The plan in a file; undefined where the file is something else (a manifest, a folder). */
export function readSavedPlan(machine: Machine, path: string): OwnerPlan | undefined {
  const { gate } = machine;
  if (gate.stat(gate.realPath(path))?.kind !== "file") return undefined;
  const text = gate.read(path)?.toString("utf8") ?? "";
  // A manifest may be JSON, which is YAML as well; but none has this member.
  if (!text.startsWith("{") || !text.slice(0, 100).includes('"stet_plan"')) return undefined;
  const { transaction, ...plan } = checkedPlan(text, path);
  const { stateDir, name, registry } = transaction;
  if (stateDir !== machine.stateDir || registry.path !== registryPath(stateDir, name)) {
    const message = `this plan was made for the state directory ${stateDir}; pass --state-dir ${stateDir}, or plan again`;
    throw new InputError({ code: "invalid-plan", message, file: path });
  }
  refuseStrangeRecords(transaction, path);
  return { ...plan, document: plan.document as PlanDocument, places: [], transaction: withBytes(transaction) };
}

/** What it would write as records has to be records, and this owner's: nobody could read anything else afterwards, or put it right. */
function refuseStrangeRecords({ name, registry }: SavedPlan["transaction"], file: string): void {
  if (registry.after === undefined) return;
  try {
    if (parseRegistry(registry.after, file).name === name) return;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  const message = `this is not a plan that this stet can apply (transaction.registry.after: not the records of ${name}); plan again`;
  throw new InputError({ code: "invalid-plan", message, file });
}

function checkedPlan(text: string, file: string): SavedPlan {
  const refuse = (why: string) =>
    new InputError({ code: "invalid-plan", message: `this is not a plan that this stet can apply (${why}); plan again`, file });
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

function bytesOf({ text, base64 }: { readonly text?: string | undefined; readonly base64?: string | undefined }): Buffer {
  return base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");
}
