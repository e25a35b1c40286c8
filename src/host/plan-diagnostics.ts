import { extname } from "node:path";
import { changesBytes } from "../core/plan-document.ts";
import { equalValues } from "../core/value.ts";
import { diagnose, type HostDiagnostic } from "./diagnostics.ts";
import type { EvaluatedHost } from "./evaluate/evaluation.ts";
import type { HostObservation } from "./observe.ts";
import { type HostFileDecision, pathOf } from "./plan-files.ts";
import { type HostRegistry, memoryOf } from "./registry.ts";
import { placeUnder } from "./target.ts";

/** Files that somebody else put where ours shall go. Equal ones are taken over; for others a person has to decide. */
export function findForeign(
  evaluation: EvaluatedHost,
  observed: Pick<HostObservation, "files">,
  root: string,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  return evaluation.files.flatMap((file): HostDiagnostic[] => {
    const place = placeUnder(root, file.path);
    const from = { file: file.origin.at(-1)! };
    const { content, leavesRoot, value, wanted } = observed.files.get(file.path)!;
    if (leavesRoot)
      return [diagnose("unsafe-path", from, `would be written to ${place}, but links there lead out of ${root}`)];
    if (content.kind === "other")
      return [
        diagnose(
          "foreign-file",
          from,
          `can't be written to ${place}, where something stands that is no file; move it away`,
        ),
      ];
    if (value === undefined || value === wanted || registry?.files[file.path] !== undefined) return [];
    const message = `can't be written to ${place}, where a file stands that is not ours; move it away, or make it equal to be taken over`;
    return [diagnose("foreign-file", from, message)];
  });
}

/** What a person should hear about decisions: edits that are undone, files that are kept, data that stays. */
export function diagnoseDecisions(
  decisions: readonly HostFileDecision[],
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  return [...decisions.flatMap(tellDrift), ...keptData(decisions, evaluation, registry)];
}

function tellDrift(decision: HostFileDecision): HostDiagnostic[] {
  const { actual, recorded, outcome } = decision;
  const path = pathOf(decision);
  if (outcome.verdict === "restore")
    return [diagnose("edited-on-host", { file: path }, "was deleted on this host and is put back")];
  if (recorded === undefined || actual === undefined || equalValues(actual.value, recorded.value)) return [];
  if (outcome.verdict === "keep")
    return [diagnose("edited-on-host", { file: path }, "was edited on this host and stays so (--keep-drift)")];
  if (!changesBytes(decision)) return [];
  const what =
    outcome.verdict === "remove"
      ? "it goes, as the repository no longer has it"
      : "what the repository says is put back";
  const message = `was edited on this host; ${what}, and the edited file is kept in the history`;
  return [diagnose("edited-on-host", { file: path }, message)];
}

/** A volume or network outlives its unit. A renamed one looks like lost data: say so before anybody is frightened. */
function keptData(
  decisions: readonly HostFileDecision[],
  evaluation: EvaluatedHost,
  registry: HostRegistry | undefined,
): HostDiagnostic[] {
  const isData = (path: string) => path.endsWith(".volume") || path.endsWith(".network");
  const services = new Map(evaluation.files.map((file) => [file.path, file.service]));
  // The first that a service gets of each kind.
  const added = new Map<string, string>();
  for (const { outcome, desired } of decisions) {
    if (outcome.verdict !== "create" || !desired || !isData(desired.match)) continue;
    const id = `${services.get(desired.match)}\n${extname(desired.match)}`;
    if (!added.has(id)) added.set(id, desired.match);
  }
  return decisions
    .filter(({ outcome, recorded }) => outcome.verdict === "remove" && recorded && isData(recorded.match))
    .map((decision) => {
      const path = decision.recorded!.match;
      const place = registry?.files[path];
      const service = place && memoryOf(place)?.service;
      const what = path.endsWith(".volume") ? "volume" : "network";
      const successor = added.get(`${service}\n.${what}`);
      const renamed = successor
        ? `; ${successor} makes a new, empty one, so move the data over if it is the same by another name`
        : "";
      return diagnose(
        "data-kept",
        { file: path },
        `goes, but the ${what} itself and its data stay: remove it with podman ${what} rm when it is no longer needed${renamed}`,
      );
    });
}
