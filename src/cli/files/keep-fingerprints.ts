import { join, sep } from "node:path";
import { cacheFolder, type Machine } from "../../engine/machine.ts";
import { changesAnything, type OwnerPlan } from "../../engine/plan-owner.ts";
import { isSavedPlan } from "../../engine/saved-plan.ts";
import { readPack } from "../../files/manifest/load-manifest.ts";
import { planPack } from "../../files/plan.ts";
import { paint } from "../../report/colour.ts";
import { jsonText } from "../../report/json-text.ts";
import { maskPlan } from "../../report/mask/mask.ts";
import { planText } from "../../report/plan-text.ts";
import type { Tense } from "../../report/plan-view.ts";
import { sha256 } from "../../store/gate/content.ts";
import { ownersIn, registryPath } from "../../store/records/registry.ts";
import { makeFolders } from "../../store/records/state-dir.ts";
import {
  beginFingerprint,
  cachedFingerprintPath,
  type Fingerprint,
  fingerprintPath,
  isOwnCache,
  readFingerprint,
  stillHold,
  writeFingerprint,
} from "../../store/replay/fingerprint.ts";
import { type Budget, type Moment, ObservationRecorder } from "../../store/replay/record-observations.ts";
import {
  type KeptAnswer,
  type KeptRequest,
  type KeptText,
  keptRequest,
  sameRequest,
} from "../fast-path/kept-answer.ts";
import type { Io } from "../shell/io.ts";
import type { CommonValues } from "../shell/options.ts";
import { instancesOf, variablesFrom } from "./instances.ts";
import { strictExit } from "./show-plan.ts";

/** Planning once more is part of every run that changes something, so it is not done for what takes minutes. */
const maxBytesRead = 1 << 26;
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
 * manifest at hand, and for all that had a fingerprint, since owners see each other's records. Where there was nothing
 * to change, and no fingerprint said so, one is kept in the cache: the program is another, or somebody else did the
 * work. Never a reason to fail: without it the next run takes longer.
 */
export async function keepFingerprints(
  plans: readonly OwnerPlan[],
  machine: Machine,
  io: Io,
  named?: NamedManifest,
): Promise<void> {
  const { build } = io;
  if (build === undefined) return;
  try {
    const requests = new Map<string, KeptRequest>();
    if (named !== undefined) {
      const request = keptRequest(machine.gate, named.argument, {
        ...machine,
        project: machine.project?.root,
        cwd: io.cwd,
        set: named.set,
        fromEnv: named.fromEnv,
      });
      for (const { document } of plans) requests.set(document.name, request);
    }
    if (!plans.some(changesAnything)) {
      for (const [owner, request] of requests) await keepInCache(owner, request, machine, build);
      return;
    }
    if (isOwnCache(machine.gate, cacheFolder(machine), machine.gate.userId))
      for (const { document } of plans) machine.gate.remove(cachedPath(machine, document.name));
    for (const [owner, request] of keptRequests(machine, build)) if (!requests.has(owner)) requests.set(owner, request);
    const budget = budgetOf(machine);
    for (const [owner, request] of requests)
      await keepFingerprint(machine, owner, (since) => foresee(machine, request, build, budget, since));
  } catch {
    return;
  }
}

function budgetOf({ stateDir, project }: Machine): Budget {
  const records = [stateDir, join(project?.root ?? stateDir, ".stet")];
  return {
    bytes: maxBytesRead,
    mayBeLarge: (path) => records.some((folder) => path.startsWith(`${folder}${sep}`)),
  };
}

function cachedPath(machine: Machine, owner: string): string {
  return cachedFingerprintPath(cacheFolder(machine), machine.stateDir, owner, sha256);
}

/** Nothing is written where a fingerprint says all this already, or says that there can't be one. */
async function keepInCache(owner: string, request: KeptRequest, machine: Machine, build: string): Promise<void> {
  const { gate, stateDir, env } = machine;
  const { userId } = gate;
  const cache = cacheFolder(machine);
  if (!isOwnCache(gate, cache, userId)) return;
  const path = cachedPath(machine, owner);
  for (const each of [fingerprintPath(stateDir, owner), path]) {
    const { request: of, observations } = readFingerprint<KeptRequest, KeptAnswer>(gate, each, { build, userId }) ?? {};
    if (of === undefined || !sameRequest(of, request)) continue;
    if (observations === undefined || stillHold(observations, { reader: gate, env, hash: sha256 })) return;
  }
  makeFolders(gate, cache, 0o700);
  const since = await beginFingerprint(gate, path, path);
  const next = await foresee(machine, request, build, budgetOf(machine), since).catch(() => undefined);
  writeFingerprint(gate, path, next ?? { build, request });
}

/** Ends a run that settles entries by name, in the project around us or for the user. */
export async function keepFingerprintsHere(plans: readonly OwnerPlan[], values: CommonValues, io: Io): Promise<void> {
  for (const machine of instancesOf(values, io)) await keepFingerprints(plans, machine, io);
}

/** What was asked before, under this home: of another one this run knows too little. */
function keptRequests(machine: Machine, build: string): [string, KeptRequest][] {
  const { gate, stateDir, home, project } = machine;
  return (gate.list(stateDir) ?? []).flatMap((owner) => {
    const found = readFingerprint<KeptRequest, KeptAnswer>(gate, fingerprintPath(stateDir, owner), {
      build,
      userId: gate.userId,
    });
    const { request } = found ?? {};
    const isHere = request?.home === home && request.stateDir === stateDir && request.project === project?.root;
    return isHere ? [[owner, request]] : [];
  });
}

type KeptFingerprint = Fingerprint<KeptRequest, KeptAnswer>;

async function keepFingerprint(
  { gate, stateDir }: Machine,
  owner: string,
  foresee: (since: Moment) => Promise<KeptFingerprint | undefined>,
): Promise<void> {
  const path = fingerprintPath(stateDir, owner);
  const isThere = ownersIn(gate, stateDir).includes(owner);
  const since = isThere ? await beginFingerprint(gate, path, registryPath(stateDir, owner)) : undefined;
  const next = since && (await foresee(since).catch(() => undefined));
  if (next) writeFingerprint(gate, path, next);
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
  since: Moment,
): Promise<KeptFingerprint | undefined> {
  const recorder = new ObservationRecorder(machine.gate, machine.env, budget, since);
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
  const { program, home, project } = machine;
  const said = (tense: Tense, paints: boolean) =>
    planText(document, {
      verbose: false,
      diff: false,
      tense,
      program,
      home,
      project: project?.root,
      paint: paint(paints),
    });
  const saidBoth = (tense: Tense): KeptText => ({ plain: said(tense, false), coloured: said(tense, true) });
  const json = `${jsonText(document)}\n`;
  const observations = recorder.observations();
  const answer: KeptAnswer = {
    plan: saidBoth("plan"),
    apply: saidBoth("apply"),
    json: json.length > maxJsonLength ? undefined : json,
    strict: strictExit(document, true),
  };
  return observations && { build, request, observations, answer };
}

function noClock(): never {
  throw new Error("planning does not look at the clock");
}
