import type { Reconciled } from "../../host/reconcile.ts";
import { maskLines } from "../../report/mask/mask.ts";
import { defineCommand } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { exitCodes, type HostValues, hostOptions } from "./options.ts";
import { painter, printDiagnostics, printJson, refuse, shownPlan } from "./output.ts";
import { audit, oneRun } from "./run.ts";
import { untilSignal } from "./signals.ts";
import { failureText, hostPlanText, short } from "./text.ts";

export const command = defineCommand({
  name: "host apply",
  usage: "",
  argument: "nothing",
  most: 0,
  about: "Makes the host what the repository says: files first, then units.",
  options: { "dry-run": { type: "boolean", help: "only plan" }, ...hostOptions },
  notes: exitCodes,
  example: "stet host apply --repo ssh://git@git.example.org/homelab.git",
  async run({ values }, io, args) {
    if (values["dry-run"])
      return (await import("./plan.ts")).command.run(
        args.filter((arg) => arg !== "--dry-run"),
        io,
      );
    return untilSignal(io, values.json === true, async (interrupt) => {
      const { record, done } = await oneRun(values, io, { interrupt });
      await audit(record, values, io);
      if (done instanceof Error) throw done;
      show(done, values, io);
      return exitCode(done, values.strict === true);
    });
  },
});

export function exitCode(done: Reconciled, strict: boolean): number {
  if (done.kind === "refused") return 1;
  if (done.failed.length > 0 || done.actions.some(({ outcome }) => outcome === "failed")) return 4;
  if (done.document.held !== null || done.document.waiting.length > 0) return 4;
  return strict && done.document.entries.some(({ verdict }) => verdict === "keep") ? 3 : 0;
}

export function show(done: Reconciled, values: HostValues, io: Io): void {
  if (done.kind === "refused") {
    refuse(io, values, done.diagnostics, { rev: done.rev });
    return;
  }
  const document = shownPlan(values, done.document);
  const { actions, rolledBack, generation } = done;
  // The last words of a unit are what a program of somebody's said.
  const failed = values["show-secrets"]
    ? done.failed
    : done.failed.map((unit) => ({ ...unit, log: unit.log.map(maskLines) }));
  if (values.json)
    printJson(io, { ...document, actions, failed, rolled_back: rolledBack, generation: generation ?? null });
  else if (!values.quiet)
    io.out(hostPlanText(document, { paint: painter(values, io), diff: values.diff === true, tense: "apply" }));
  printDiagnostics(io, values, document.diagnostics);
  io.err(failureText(failed, actions));
  if (rolledBack)
    io.err(`${io.program}: ${short(document.version)} was rolled back and is held; the state before it runs again\n`);
}
