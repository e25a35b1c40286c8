import type { RuntimeUnit } from "../evaluate/find-conflicts.ts";
import { compareBytes, isTemplate, templateOf, type UnitName } from "./unit-kind.ts";
import type { EffectiveUnit } from "./unit-text.ts";

/** In the order in which a run does them. */
export const unitVerbs = [
  "stop",
  "disable",
  "enable",
  "daemon-reload",
  "recreate",
  "restart",
  "try-restart",
  "start",
] as const;
export type UnitVerb = (typeof unitVerbs)[number];

export function isUnitVerb(text: unknown): text is UnitVerb {
  return unitVerbs.includes(text as UnitVerb);
}

/** One thing to do to a unit, and why. */
export interface UnitAction {
  readonly action: UnitVerb;
  /** `systemd` itself for a reload; a network's or volume's file for `recreate`. */
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
  /**
   * The unit that should be running for it: itself, or the default instance of a template; undefined where it is left
   * to others.
   */
  readonly runs: string | undefined;
  /** Its container has a health check. */
  readonly health: boolean;
}

export interface UnitChanges {
  readonly wanted: readonly WantedUnit[];
  /** Units on record that are no longer wanted, with their file's extension. */
  readonly gone: readonly { readonly runtime: string; readonly unit: UnitName }[];
  /** Runtime units that are not on record yet. */
  readonly fresh: ReadonlySet<string>;
  /** Runtime units of which a file changes, with the path of one. */
  readonly changed: ReadonlyMap<string, string>;
  /** Runtime units that use a file which changes, with the path of one. */
  readonly reconfigured: ReadonlyMap<string, string>;
  /** Files of networks and volumes that podman has to make anew. */
  readonly recreated?: ReadonlySet<string> | undefined;
}

/** Exactly what has to happen to units when these files change. Nothing changed: nothing to do. */
export function planUnitActions(changes: UnitChanges): UnitAction[] {
  const wanted = indexUnits(changes.wanted);
  const actions = [
    ...changes.gone.flatMap((gone) => removal(gone)),
    ...reload(changes),
    ...changes.wanted.flatMap((unit) =>
      changes.fresh.has(unit.runtime) ? arrival(unit) : alteration(unit, changes, wanted),
    ),
    ...recreation(changes),
  ];
  const byUnit = new Map<string, UnitAction>();
  // A service that its socket has us stop, and that changed itself, is stopped and started once.
  for (const action of actions)
    if (!byUnit.has(`${action.unit}\n${action.action}`)) byUnit.set(`${action.unit}\n${action.action}`, action);
  return actionsInOrder(
    [...byUnit.values()],
    new Map([...changes.gone, ...changes.wanted].map((unit) => [unit.runtime, unit.unit])),
  );
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

export function triggeredUnits<U extends Pick<WantedUnit, "triggers">>(wanted: readonly U[]): Map<string, U> {
  return new Map(wanted.flatMap((unit) => unit.triggers.map((started) => [started, unit] as const)));
}

/** Once for all of them, however many units change; never for config alone. */
function reload({ gone, fresh, changed }: UnitChanges): UnitAction[] {
  if (gone.length === 0 && fresh.size === 0 && changed.size === 0) return [];
  return [{ action: "daemon-reload", unit: "systemd", reason: "units changed" }];
}

/** Data outlives its unit: stopping a volume's or network's service removes neither. */
function removal({ runtime, unit }: { runtime: string; unit: UnitName }): UnitAction[] {
  if (isTemplate(unit)) return [{ action: "stop", unit: unitInstances(runtime), reason: "no longer wanted" }];
  const stop: UnitAction = { action: "stop", unit: runtime, reason: "no longer wanted" };
  return unit.family === "native" ? [stop, { action: "disable", unit: runtime, reason: "no longer wanted" }] : [stop];
}

function arrival(unit: WantedUnit): UnitAction[] {
  const enable: UnitAction[] = needsEnabling(unit) ? [{ action: "enable", unit: unit.runtime, reason: "new" }] : [];
  return unit.runs === undefined ? enable : [...enable, { action: "start", unit: unit.runs, reason: "new" }];
}

/** What podman will not change in place: whatever uses it makes way, it goes, and all of it comes back. */
function recreation({ wanted, recreated }: UnitChanges): UnitAction[] {
  const objects = wanted.filter((unit) => recreated?.has(unit.unit.name));
  return objects.flatMap(({ unit, runtime }): UnitAction[] => {
    const users = wanted.filter((other) => other.runs !== undefined && usesObject(other, unit.name));
    const reason = `${unit.name} is recreated`;
    return [
      ...users.map((user): UnitAction => ({ action: "stop", unit: user.runs!, reason })),
      { action: "recreate", unit: unit.name, reason: "podman does not change it in place" },
      { action: "restart", unit: runtime, reason },
      ...users.map((user): UnitAction => ({ action: "start", unit: user.runs!, reason })),
    ];
  });
}

/**
 * Whether a unit names a network's or volume's file: `Network=net.network:ip=…`, `Volume=data.volume:/data`,
 * `Mount=…,source=data.volume`.
 */
export function usesObject({ effective }: Pick<WantedUnit, "effective">, name: string): boolean {
  const lines = effective.sections.flatMap(({ lines }) => lines);
  return lines.some(
    ({ key, value }) => ["Network", "Volume", "Mount"].includes(key) && value.split(/[:,=]/).includes(name),
  );
}

function alteration(unit: WantedUnit, changes: UnitChanges, wanted: WantedIndex): UnitAction[] {
  const template = templateChange(unit, changes, wanted);
  const path = changes.changed.get(unit.runtime) ?? template;
  const config = changes.reconfigured.get(unit.runtime);
  if (path === undefined && config === undefined) return [];
  const reason = path === undefined ? `config changed: ${config}` : `changed: ${path}`;
  // Creating them is idempotent and never alters an existing one: a restart would change nothing.
  if (unit.unit.family === "quadlet" && (unit.unit.type === "volume" || unit.unit.type === "network")) return [];
  if (unit.unit.type === "target") return [];
  const enable: UnitAction[] =
    path !== undefined && needsEnabling(unit) ? [{ action: "enable", unit: unit.runtime, reason }] : [];
  if (isTemplate(unit.unit)) {
    const start: UnitAction[] = unit.runs === undefined ? [] : [{ action: "start", unit: unit.runs, reason }];
    return [...enable, { action: "try-restart", unit: unitInstances(unit.runtime), reason }, ...start];
  }
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
    ...services
      .filter((unit) => unit.installed)
      .map((unit): UnitAction => ({ action: "start", unit: unit.runtime, reason: why })),
  ];
}

function templateChange(unit: WantedUnit, changes: UnitChanges, wanted: WantedIndex): string | undefined {
  const source = wanted.byName.get(templateOf(unit.unit) ?? "");
  return source && changes.changed.get(source.runtime);
}

/** `systemctl` takes a pattern for the instances that are loaded. */
export function unitInstances(runtime: string): string {
  return runtime.replace("@.", "@*.");
}

/** Generated services are wired up by the generator; systemd's own units have to be told. */
export function needsEnabling(unit: WantedUnit): boolean {
  return unit.unit.family === "native" && unit.installed && (!isTemplate(unit.unit) || unit.runs !== undefined);
}

/** Left to its socket, timer or path: to be inactive is how it should be. */
export function isStartedByAnother(
  unit: Pick<WantedUnit, "installed" | "runtime">,
  triggered: ReadonlyMap<string, unknown>,
): boolean {
  return !unit.installed && triggered.has(unit.runtime);
}

export function runsPrograms(unit: UnitName): boolean {
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
 * Stop, while what is to be stopped is still known; disable, while its file is still there; then, with the new files in
 * place, enable, and only then reload, so that one reload sees it all; start and restart last.
 */
const phases: Readonly<Record<UnitVerb, number>> = {
  stop: 0,
  disable: 1,
  enable: 2,
  "daemon-reload": 3,
  recreate: 4,
  restart: 5,
  "try-restart": 5,
  start: 5,
};

/** The order in which actions are done, whoever decided them. `units`: what kind of unit a name stands for. */
export function actionsInOrder(actions: readonly UnitAction[], units: ReadonlyMap<string, UnitName>): UnitAction[] {
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
