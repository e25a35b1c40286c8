import type { Machine } from "../../engine/machine.ts";
import { changesAnything, type OwnerPlan } from "../../engine/plan-owner.ts";
import { isSavedPlan } from "../../engine/saved-plan.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import { planPack } from "../../files/plan.ts";
import { paint } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { planText } from "../../report/plan-text.ts";
import { ownersIn } from "../../store/records/registry.ts";
import {
  type Fingerprint,
  fingerprintPath,
  readFingerprint,
  writeFingerprint,
} from "../../store/replay/fingerprint.ts";
import { type Budget, ObservationRecorder } from "../../store/replay/record-observations.ts";
import { type KeptAnswer, type KeptRequest, keptRequest } from "../fast-path/kept-answer.ts";
import type { Io } from "../shell/io.ts";
import { variablesFrom } from "../shell/options.ts";
import { strictExit } from "./show-plan.ts";

/** Planning once more is part of every run that changes something, so it is done for what is quickly planned. */
const maxBytesRead = 1 << 20;
/** A document that is printed every time is worth keeping; one of a huge plan takes the long way. */
const maxJsonLength = 1 << 18;

/** A manifest as a command line names it. */
export interface NamedManifest {
  readonly argument: string | undefined;
  readonly set: readonly string[] | undefined;
  readonly fromEnv: readonly string[] | undefined;
}

/**
 * Ends a run that writes. Where it changed something, what `plan` says from now on is found out and kept: for the
 * manifest at hand, and for all that had a fingerprint, since owners see each other's records. Never a reason to fail:
 * without it the next run takes longer.
 */
export async function keepFingerprints(
  plans: readonly OwnerPlan[],
  machine: Machine,
  io: Io,
  named?: NamedManifest,
): Promise<void> {
  const { build } = io;
  // A project's answer would depend on where it is asked.
  if (build === undefined || machine.project !== undefined || !plans.some(changesAnything)) return;
  try {
    const requests = new Map<string, KeptRequest>();
    if (named !== undefined) {
      const request = keptRequest(machine.gate, named.argument, {
        ...machine,
        cwd: io.cwd,
        set: named.set,
        fromEnv: named.fromEnv,
      });
      for (const { document } of plans) requests.set(document.name, request);
    }
    for (const [owner, request] of keptRequests(machine, build)) if (!requests.has(owner)) requests.set(owner, request);
    const budget: Budget = { bytes: maxBytesRead };
    for (const [owner, request] of requests)
      await keepFingerprint(machine, owner, () => foresee(machine, request, build, budget));
  } catch {
    return;
  }
}

/** What was asked before, under this home: of another one this run knows too little. */
function keptRequests(machine: Machine, build: string): [string, KeptRequest][] {
  const { gate, stateDir, home } = machine;
  return (gate.list(stateDir) ?? []).flatMap((owner) => {
    const found = readFingerprint<KeptRequest, KeptAnswer>(gate, fingerprintPath(stateDir, owner), {
      build,
      userId: gate.userId,
    });
    return found && found.request.home === home && found.request.stateDir === stateDir ? [[owner, found.request]] : [];
  });
}

type Standing = Fingerprint<KeptRequest, KeptAnswer>;

async function keepFingerprint(
  { gate, stateDir }: Machine,
  owner: string,
  foresee: () => Promise<Standing | undefined>,
): Promise<void> {
  const path = fingerprintPath(stateDir, owner);
  const standing = ownersIn(gate, stateDir).includes(owner) ? await foresee().catch(() => undefined) : undefined;
  if (standing) writeFingerprint(gate, path, standing);
  else gate.remove(path);
}

/**
 * The next plan, with everything it looks at; undefined where it would change something, or is too much to plan now.
 */
async function foresee(
  machine: Machine,
  request: KeptRequest,
  build: string,
  budget: Budget,
): Promise<Standing | undefined> {
  const recorder = new ObservationRecorder(machine.gate, machine.env, budget);
  const observed: Machine = { ...machine, gate: recorder.gate, env: recorder.env, now: noClock };
  // What `apply` asks first of a path that it is given.
  if (isSavedPlan(observed.gate, request.manifest)) return undefined;
  const pack = readPack(observed.gate, request.manifest, {
    vars: variablesFrom(request.set),
    fromEnv: request.fromEnv,
  });
  const planned = await planPack(pack, observed);
  if (changesAnything(planned) || planned.document.changed > 0) return undefined;
  const document = maskPlan(planned.document);
  const shown = { verbose: false, diff: false, tense: "plan", program: machine.program, home: machine.home } as const;
  const json = `${jsonText(document)}\n`;
  const observations = recorder.observations();
  const answer: KeptAnswer = {
    text: planText(document, { ...shown, paint: paint(false) }),
    coloured: planText(document, { ...shown, paint: paint(true) }),
    json: json.length > maxJsonLength ? undefined : json,
    strict: strictExit(document, true),
  };
  return observations && { build, request, observations, answer };
}

function noClock(): never {
  throw new Error("planning does not look at the clock");
}
