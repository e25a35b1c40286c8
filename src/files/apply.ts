import { InputError } from "../core/diagnostic.ts";
import { hashedContent, observe, sameContent } from "../store/gate/content.ts";
import { finishInterrupted } from "../store/transaction/interrupted.ts";
import { defaultWaitMs, withStateLock } from "../store/transaction/lock.ts";
import { type CommitResult, commit, commitLocked, type Transaction } from "../store/transaction/transaction.ts";
import type { Machine } from "./machine.ts";
import type { Pack } from "./manifest/pack.ts";
import { changesAnything, type FilesPlan, type PlanOptions, planPack } from "./plan.ts";

/** Plan and make it true. Whatever changes underneath is planned again; what can't be written leaves everything as it was. */
export function applyPack(pack: Pack, machine: Machine, options: PlanOptions = {}): Promise<FilesPlan> {
  return applyPlanned(machine, () => planPack(pack, machine, options));
}

/** How often to plan again under the lock, when only programs that take no lock can be in the way. */
const attempts = 8;

/** Make true what `plan` says, and ask it again whenever the files are no longer as it saw them. */
export async function applyPlanned(machine: Machine, plan: () => Promise<FilesPlan>): Promise<FilesPlan> {
  const planned = await plan();
  const nothing: CommitResult = { kind: "unchanged" };
  const result = changesAnything(planned) ? await commit(machine.gate, transactionOf(planned, machine)) : nothing;
  if (result.kind === "unchanged") await finishInterrupted(machine.gate, machine.stateDir, defaultWaitMs);
  return isDone(result) ? planned : applyLocked(machine, plan);
}

/** Planned and written under one lock: however many others are at work here, each gets its turn. */
function applyLocked(machine: Machine, plan: () => Promise<FilesPlan>): Promise<FilesPlan> {
  return withStateLock(machine.gate, machine.stateDir, defaultWaitMs, async (state) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const planned = await plan();
      if (!changesAnything(planned) || isDone(await commitLocked(machine.gate, state, transactionOf(planned, machine)))) return planned;
    }
    const message = "the files keep changing while stet works on them; nothing was lost, stop the program that writes them and run again";
    throw new InputError({ code: "keeps-changing", message });
  });
}

function isDone(result: CommitResult): boolean {
  return result.kind === "unchanged" || (result.kind === "committed" && result.left.length === 0);
}

function transactionOf({ transaction }: FilesPlan, machine: Machine): Transaction {
  return { ...transaction, time: machine.now().toISOString() };
}

/** A saved plan decides nothing anew: it is applied to just what it saw, or not at all. */
export async function applySaved(machine: Machine, planned: FilesPlan): Promise<FilesPlan> {
  const stale = staleSince(machine, planned);
  if (stale.length > 0) throw stalePlan(stale);
  if (!changesAnything(planned)) return planned;
  const result = await commit(machine.gate, transactionOf(planned, machine));
  if (result.kind !== "stale") return planned;
  throw stalePlan(result.paths);
}

/** All that a plan looked at has to be as it was, also what it leaves alone: it is what the plan was made by. */
function staleSince({ gate }: Machine, { transaction, seen }: FilesPlan): string[] {
  const { path, before } = transaction.registry;
  const looked = [...transaction.changes.map((change) => ({ path: change.path, content: hashedContent(change.before) })), ...seen];
  const changed = looked.filter((file) => !sameContent(observe(gate, gate.realPath(file.path)), file.content)).map((file) => file.path);
  return gate.read(path)?.toString("utf8") === before ? changed : [...changed, path];
}

function stalePlan(paths: readonly string[]): InputError {
  const message = `this plan is out of date: ${paths.join(", ")} changed since it was made; nothing was changed, plan again`;
  return new InputError({ code: "stale-plan", message });
}
