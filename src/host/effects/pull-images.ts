import { InputError } from "../../core/diagnostic.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import type { Evaluation } from "../evaluate/evaluation.ts";
import type { HostPlan } from "../plan.ts";
import type { UnitAction } from "../units/unit-actions.ts";
import { wantedUnits } from "../units/wanted-units.ts";
import { imageToPull, type Podman, secretsOf } from "./podman.ts";

/**
 * Fetches the images of everything that a change is about to start. One that can't be fetched stops the run while all
 * still stands. What is started for another reason has run before: systemd deals with it, and it keeps nothing else
 * from being changed.
 */
export async function pullImages(plan: HostPlan, podman: Podman): Promise<void> {
  const isStarted = ({ action, unit }: UnitAction) =>
    (action === "start" || action === "restart") && plan.touched.has(unit);
  const starting = new Set(plan.actions.filter(isStarted).map(({ unit }) => unit));
  for (const image of imagesOf(plan.evaluation, starting)) {
    const pulled = await podman.pull(image);
    if (pulled.kind === "no-podman") return;
    if (pulled.kind === "failed")
      throw new InputError({ code: "image-unavailable", message: `${pulled.message}; nothing was changed` });
  }
}

function imagesOf(evaluation: Evaluation, starting: ReadonlySet<string>): ReadonlySet<string> {
  const units = wantedUnits(evaluation.files).filter(
    (unit) => unit.unit.family === "quadlet" && starting.has(unit.runtime),
  );
  const images = units.map((unit) => imageToPull(unit.unit.type, unit.effective));
  return new Set(images.filter((image) => image !== undefined));
}

/** Containers that name a podman secret which this host does not have would not start. */
export async function findMissingSecrets(evaluation: Evaluation, podman: Podman): Promise<HostDiagnostic[]> {
  const needed = wantedUnits(evaluation.files).flatMap((unit) => secretsOf(unit.unit.type, unit.effective));
  if (needed.length === 0) return [];
  const present = await podman.secrets();
  if (present === undefined) return [];
  return needed
    .filter((secret) => !present.has(secret.name))
    .map(({ name, source, line }) =>
      diagnose(
        "missing-secret",
        { file: source, line },
        `needs the podman secret ${name}, which this host does not have: podman secret create ${name} FILE`,
      ),
    );
}
