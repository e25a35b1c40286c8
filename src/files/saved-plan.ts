import { InputError } from "../core/diagnostic.ts";
import type { PlanDocument } from "../core/plan-document.ts";
import type { Reader } from "../store/gate.ts";
import type { Change, Transaction } from "../store/transaction.ts";
import type { FilesPlan } from "./plan.ts";

/** A plan in a file: an artefact, with every byte it would write, for its owner's eyes only. */
interface SavedPlan {
  readonly stet_plan: 1;
  readonly document: PlanDocument;
  readonly transaction: Omit<Transaction, "time" | "changes"> & { readonly changes: readonly SavedChange[] };
}

type SavedChange = Omit<Change, "after"> & {
  readonly after:
    | { readonly kind: "absent" }
    | { readonly kind: "file"; readonly text: string; readonly mode: { readonly created: number } };
};

export function renderSavedPlan({ document, transaction }: FilesPlan): string {
  const changes = transaction.changes.map(({ after, ...change }): SavedChange => {
    if (after.kind !== "file") return { ...change, after: { kind: "absent" } };
    return { ...change, after: { kind: "file", text: Buffer.from(after.bytes).toString("utf8"), mode: { created: 0o666 } } };
  });
  const saved: SavedPlan = { stet_plan: 1, document, transaction: { ...transaction, changes } };
  return `${JSON.stringify(saved, undefined, 2)}\n`;
}

/** The plan in a file; undefined where the file is something else (a manifest, a folder). */
export function readSavedPlan(reader: Reader, path: string): FilesPlan | undefined {
  if (reader.stat(reader.realPath(path))?.kind !== "file" || /\.ya?ml$/.test(path)) return undefined;
  const text = reader.read(path)?.toString("utf8") ?? "";
  if (!text.startsWith("{")) return undefined;
  let data: Partial<SavedPlan>;
  try {
    data = JSON.parse(text) as Partial<SavedPlan>;
  } catch {
    throw new InputError({ code: "invalid-plan", message: "this is neither a manifest nor a saved plan", file: path });
  }
  if (data.stet_plan !== 1 || !data.document || !data.transaction)
    throw new InputError({ code: "invalid-plan", message: "this is not a plan that this stet can apply; plan again", file: path });
  const changes = data.transaction.changes.map(({ after, ...change }): Change => {
    return { ...change, after: after.kind === "absent" ? after : { kind: "file", bytes: Buffer.from(after.text), mode: after.mode } };
  });
  return { document: data.document, places: [], transaction: { ...data.transaction, changes } };
}
