import { parseRegistry, renderRegistry } from "../../store/records/registry.ts";
import type { Change, Transaction } from "../../store/transaction/transaction.ts";
import { ancestorsOf } from "../observe.ts";
import type { HostPlan } from "../plan.ts";
import type { HostRegistry } from "../registry.ts";

/**
 * Where a file becomes a folder, or a folder a file, what goes has to be gone before what comes can be written. That
 * takes a transaction of its own, after which the rest is planned anew; a crash in between leaves what a smaller commit
 * would have left. Undefined where one step will do.
 */
export function removalsFirst(plan: HostPlan): Omit<Transaction, "time"> | undefined {
  const { changes, registry } = plan.transaction;
  const removals = changes.filter((change) => change.after.kind === "absent");
  const writes = changes.filter((change) => change.after.kind !== "absent");
  if (registry.before === undefined || !meet(removals, writes)) return undefined;
  const before = parseRegistry(registry.before, registry.path) as HostRegistry;
  const gone = new Set(removals.map((change) => change.section));
  const files = Object.fromEntries(Object.entries(before.files).filter(([path]) => !gone.has(path)));
  const after: HostRegistry = { ...before, files, pending: plan.registry?.pending };
  return { ...plan.transaction, changes: removals, registry: { ...registry, after: renderRegistry(after) } };
}

/** Whether a path of one list lies below a path of the other. */
function meet(removals: readonly Change[], writes: readonly Change[]): boolean {
  const [going, coming] = [
    new Set(removals.map(({ section }) => section)),
    new Set(writes.map(({ section }) => section)),
  ];
  const below = (paths: ReadonlySet<string | undefined>, others: ReadonlySet<string | undefined>) =>
    [...paths].some((path) => path !== undefined && ancestorsOf(path).some((ancestor) => others.has(ancestor)));
  return below(coming, going) || below(going, coming);
}
