import { InputError } from "../../core/diagnostic.ts";
import { type Machine, pathContext } from "../../engine/machine.ts";
import { readRecords } from "../../engine/records.ts";
import { generationNumbers, listGenerations, readObject } from "../../store/records/generations.ts";
import { registryPath } from "../../store/records/registry.ts";
import { isOwnerName, ownerFolder } from "../../store/records/state-dir.ts";
import { pendingJournal } from "../../store/transaction/pending.ts";
import { projectsOf } from "../project.ts";
import type { Finding } from "./doctor.ts";

/** What the state directory as a whole says. */
export function stateFindings(machine: Machine): Finding[] {
  return [...unfinished(machine), ...leftHistories(machine), ...goneProjects(machine)];
}

function unfinished({ gate, stateDir, program }: Machine): Finding[] {
  const pending = pendingJournal(gate, stateDir);
  if (pending === undefined) return [];
  const what = pending.kind === "undo" ? "taken back" : "completed";
  const message = `a run was interrupted while writing ${pending.paths.join(", ") || "records"}`;
  return [{ code: "unfinished-run", severity: "warning", message, fix: `it is ${what} by the next ${program} apply` }];
}

/**
 * Projects that were moved or deleted: what a run there kept can't be of use to anybody but a copy that comes back to
 * its place.
 */
function goneProjects(machine: Machine): Finding[] {
  return projectsOf(machine)
    .filter(({ isThere }) => !isThere)
    .map(({ root, folder }) => ({
      code: "project-gone",
      severity: "info",
      file: root,
      message: "this project is gone, but what stet keeps about it on this machine is still there",
      fix: `remove ${folder}`,
    }));
}

/** Owners that are gone and left their history behind: kept for a rollback that nobody may want any more. */
function leftHistories({ gate, stateDir, program }: Machine): Finding[] {
  const gone = (gate.list(stateDir) ?? []).filter(
    (name) =>
      isOwnerName(name) &&
      gate.stat(registryPath(stateDir, name)) === undefined &&
      generationNumbers(gate, stateDir, name).length > 0,
  );
  return gone.map((owner) => ({
    code: "stale-history",
    severity: "info",
    owner,
    message: `${owner} is no longer installed, but its history is still kept`,
    fix: `go back with ${program} rollback ${owner}, or remove ${ownerFolder(stateDir, owner)}`,
  }));
}

/** Whether everything an owner could go back to is still whole, and only ours to read. */
export function historyFindings(owner: string, machine: Machine): Finding[] {
  const { gate, stateDir, program } = machine;
  const registry = readRecords(gate, machine, owner, pathContext(machine, []));
  const findings = [...damaged(owner, machine)];
  if (registry?.held !== undefined) {
    const message = `you went back from ${owner} ${registry.held}, so it is held`;
    findings.push({
      code: "held",
      severity: "info",
      owner,
      message,
      fix: `wait for a newer version; to apply it again: ${program} apply --unhold`,
    });
  }
  const path = registryPath(stateDir, owner);
  const mode = gate.stat(path)?.mode ?? 0;
  if (gate.userId !== undefined && (mode & 0o077) !== 0) {
    const message = "others on this machine can read the registry, which holds values from your files";
    findings.push({
      code: "open-permissions",
      severity: "warning",
      owner,
      file: path,
      message,
      fix: `chmod 600 ${path}`,
    });
  }
  return findings;
}

function damaged(owner: string, { gate, stateDir }: Machine): Finding[] {
  try {
    const wanted = listGenerations(gate, stateDir, owner).flatMap(({ files, registryBefore }) => [
      ...files.flatMap(({ before }) => (before.kind === "file" ? [before.sha256] : [])),
      ...(registryBefore === null ? [] : [registryBefore]),
    ]);
    for (const hash of new Set(wanted)) readObject(gate, stateDir, owner, hash);
    return [];
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, file } = error.diagnostic;
    const fix =
      "everything works except going back beyond this point; if you need that, restore the folder from a backup";
    return [{ code: "damaged-history", severity: "warning", owner, file, message, fix }];
  }
}
