import type { RuntimeUnit } from "../evaluate/find-conflicts.ts";
import { compareBytes } from "./byte-order.ts";
import type { EffectiveUnit } from "./effective-unit.ts";
import { isTemplate, templateOf, type UnitName } from "./unit-kind.ts";

/** In the order in which a run does them. */
export const unitVerbs = ["stop", "disable", "enable", "daemon-reload", "restart", "try-restart", "start"] as const;
export type UnitVerb = (typeof unitVerbs)[number];

export function isUnitVerb(text: unknown): text is UnitVerb {
  return unitVerbs.includes(text as UnitVerb);
}

/** One thing to do to a unit, and why. */
export interface UnitAction {
  readonly action: UnitVerb;
  /** `systemd` itself for a reload. */
  readonly unit: string;
  readonly reason: string;
}

/** A unit of the desired state, with what decides how it is handled. */
export interface WantedUnit extends RuntimeUnit {
  /** Has an [Install] section with something in it. */
  readonly installed: boolean;
  /** The units that a socket, timer or path starts. */
  readonly triggers: readonly string[];
  /** What counts after all its drop-ins. */
  readonly effective: EffectiveUnit;
}

export interface UnitChanges {
  readonly wanted: readonly WantedUnit[];
  /** Units on record that are no longer wanted, with their file's extension. */
  readonly gone: readonly { readonly runtime: string; readonly unit: UnitName }[];
  /** Runtime units that are not on record yet. */
  readonly fresh: ReadonlySet<string>;
  /** Runtime units of which a file changes, with the path of one. */
  readonly changed: ReadonlyMap<string, string>;
  /** Services whose config changes, with the path of one file. */
  readonly reconfigured: ReadonlyMap<string, string>;
}

/** Exactly what has to happen to units when these files change. Nothing changed: nothing to do. */
export function planUnitActions(changes: UnitChanges): UnitAction[] {
  const wanted = indexUnits(changes.wanted);
  const actions = [
    ...changes.gone.flatMap((gone) => removal(gone)),
    ...reload(changes),
    ...changes.wanted.flatMap((unit) =>
      changes.fresh.has(unit.runtime) ? arrival(unit, wanted.triggered) : alteration(unit, changes, wanted),
    ),
  ];
  const byUnit = new Map<string, UnitAction>();
  // A service that its socket has us stop, and that changed itself, is stopped and started once.
  for (const action of actions) if (!byUnit.has(`${action.unit}\n${action.action}`)) byUnit.set(`${action.unit}\n${action.action}`, action);
  return inOrder([...byUnit.values()], new Map([...changes.gone, ...changes.wanted].map((unit) => [unit.runtime, unit.unit])));
}

/** The wanted units by what others call them, so that a host of ten thousand units is planned in one pass. */
interface WantedIndex {
  readonly byName: ReadonlyMap<string, WantedUnit>;
  readonly byRuntime: ReadonlyMap<string, WantedUnit>;
  /** What a socket, timer or path starts, with one that does. */
  readonly triggered: ReadonlyMap<string, WantedUnit>;
}

function indexUnits(wanted: readonly WantedUnit[]): WantedIndex {
  return {
    byName: new Map(wanted.map((unit) => [unit.unit.name, unit])),
    byRuntime: new Map(wanted.map((unit) => [unit.runtime, unit])),
    triggered: triggeredUnits(wanted),
  };
}

export function triggeredUnits(wanted: readonly WantedUnit[]): Map<string, WantedUnit> {
  return new Map(wanted.flatMap((unit) => unit.triggers.map((started) => [started, unit] as const)));
}

/** Once for all of them, however many units change; never for config alone. */
function reload({ gone, fresh, changed }: UnitChanges): UnitAction[] {
  if (gone.length === 0 && fresh.size === 0 && changed.size === 0) return [];
  return [{ action: "daemon-reload", unit: "systemd", reason: "units changed" }];
}

/** Data outlives its unit: stopping a volume's or network's service removes neither. */
function removal({ runtime, unit }: { runtime: string; unit: UnitName }): UnitAction[] {
  if (isTemplate(unit)) return [{ action: "stop", unit: instancesOf(runtime), reason: "no longer wanted" }];
  const stop: UnitAction = { action: "stop", unit: runtime, reason: "no longer wanted" };
  return unit.family === "native" ? [stop, { action: "disable", unit: runtime, reason: "no longer wanted" }] : [stop];
}

function arrival(unit: WantedUnit, triggered: ReadonlyMap<string, WantedUnit>): UnitAction[] {
  const enable: UnitAction[] = needsEnabling(unit) ? [{ action: "enable", unit: unit.runtime, reason: "new" }] : [];
  if (isTemplate(unit.unit) || isStartedByAnother(unit, triggered)) return enable;
  return [...enable, { action: "start", unit: unit.runtime, reason: "new" }];
}

function alteration(unit: WantedUnit, changes: UnitChanges, wanted: WantedIndex): UnitAction[] {
  const template = templateChange(unit, changes, wanted);
  const path = changes.changed.get(unit.runtime) ?? template;
  const config = runsPrograms(unit.unit) ? changes.reconfigured.get(unit.file.service) : undefined;
  if (path === undefined && config === undefined) return [];
  const reason = path === undefined ? `config changed: ${config}` : `changed: ${path}`;
  // Creating them is idempotent and never alters an existing one: a restart would change nothing.
  if (unit.unit.family === "quadlet" && (unit.unit.type === "volume" || unit.unit.type === "network")) return [];
  if (unit.unit.type === "target") return [];
  const enable: UnitAction[] = path !== undefined && needsEnabling(unit) ? [{ action: "enable", unit: unit.runtime, reason }] : [];
  if (isTemplate(unit.unit)) return [...enable, { action: "try-restart", unit: instancesOf(unit.runtime), reason }];
  // All running instances are restarted with their template: this one only has to be among them.
  if (template !== undefined) return [...enable, { action: "start", unit: unit.runtime, reason }];
  if (unit.unit.type === "socket") return [...enable, ...aroundSocket(unit, changes, wanted, reason)];
  const verb = isStartedByAnother(unit, wanted.triggered) ? "try-restart" : "restart";
  return [...enable, { action: verb, unit: unit.runtime, reason }];
}

/** A socket refuses to start while its service runs: the service makes way, and comes back after it. */
function aroundSocket(socket: WantedUnit, changes: UnitChanges, wanted: WantedIndex, reason: string): UnitAction[] {
  const services = socket.triggers
    .flatMap((started) => wanted.byRuntime.get(started) ?? [])
    .filter((unit) => !changes.fresh.has(unit.runtime));
  const why = `its socket ${socket.runtime} changed`;
  return [
    ...services.map((unit): UnitAction => ({ action: "stop", unit: unit.runtime, reason: why })),
    { action: "restart", unit: socket.runtime, reason },
    ...services.filter((unit) => unit.installed).map((unit): UnitAction => ({ action: "start", unit: unit.runtime, reason: why })),
  ];
}

function templateChange(unit: WantedUnit, changes: UnitChanges, wanted: WantedIndex): string | undefined {
  const source = wanted.byName.get(templateOf(unit.unit) ?? "");
  return source && changes.changed.get(source.runtime);
}

/** `systemctl` takes a pattern for the instances that are loaded. */
export function instancesOf(runtime: string): string {
  return runtime.replace("@.", "@*.");
}

/** Generated services are wired up by the generator; systemd's own units have to be told. */
function needsEnabling(unit: WantedUnit): boolean {
  return unit.unit.family === "native" && unit.installed && !isTemplate(unit.unit);
}

/** Left to its socket, timer or path: to be inactive is how it should be. */
export function isStartedByAnother(unit: WantedUnit, triggered: ReadonlyMap<string, WantedUnit>): boolean {
  return !unit.installed && triggered.has(unit.runtime);
}

function runsPrograms(unit: UnitName): boolean {
  return unit.type === "container" || unit.type === "kube" || unit.type === "pod" || unit.type === "service";
}

/** What others need comes first when starting. */
const startRank: Readonly<Record<UnitName["type"], number>> = {
  volume: 0,
  network: 0,
  image: 0,
  artifact: 0,
  build: 1,
  mount: 1,
  target: 2,
  pod: 3,
  socket: 4,
  container: 5,
  kube: 5,
  service: 5,
  timer: 6,
  path: 6,
};

/** When stopping it goes last, and what could start a unit again goes before it. */
function stopRank(type: UnitName["type"]): number {
  return type === "socket" || type === "timer" || type === "path" ? 0 : 10 - startRank[type];
}

/**
 * Stop, while what is to be stopped is still known; disable, while its file is still there; then, with the new files in place, enable, and only
 * then reload, so that one reload sees it all; start and restart last.
 */
const phases: Readonly<Record<UnitVerb, number>> = {
  stop: 0,
  disable: 1,
  enable: 2,
  "daemon-reload": 3,
  restart: 4,
  "try-restart": 4,
  start: 4,
};

/** The order in which actions are done, whoever decided them. `units`: what kind of unit a name stands for. */
export function inOrder(actions: readonly UnitAction[], units: ReadonlyMap<string, UnitName>): UnitAction[] {
  const rankOf = ({ action, unit }: UnitAction) => {
    const type = units.get(unit)?.type ?? "service";
    return action === "stop" ? stopRank(type) : startRank[type];
  };
  return [...actions].sort(
    (a, b) =>
      phases[a.action] - phases[b.action] ||
      rankOf(a) - rankOf(b) ||
      unitVerbs.indexOf(a.action) - unitVerbs.indexOf(b.action) ||
      compareBytes(a.unit, b.unit),
  );
}
