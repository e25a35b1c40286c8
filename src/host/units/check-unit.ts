import { didYouMean } from "../../core/diagnostic.ts";
import { addTo } from "../../core/lists.ts";
import type { Assignment, SectionHeader } from "../../formats/unit/unit.ts";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import { checkQuadletRules } from "./quadlet-rules.ts";
import { type Reference, referencesOf } from "./references.ts";
import { isKnownQuadletKey, isReadSection, quadletKeysIn, quadletSectionOf, systemdKeysIn } from "./unit-keys.ts";
import type { QuadletType, UnitName } from "./unit-kind.ts";
import {
  dialectOf,
  type EffectiveLine,
  type EffectiveUnit,
  effectiveUnit,
  effectiveValue,
  keyRule,
  placeOf,
  scanBytes,
  type UnitSource,
} from "./unit-text.ts";

/** One file of a unit, and who put it there. */
export interface UnitPart extends UnitSource {
  readonly layer: "unit" | "base" | "host";
}

export interface CheckedUnit {
  readonly diagnostics: readonly HostDiagnostic[];
  /** What it needs besides itself; undefined where it can't be read. */
  readonly references: readonly Reference[] | undefined;
}

/** What is wrong with a unit and its drop-ins, taken together as they will be read, and what they need. */
export function checkUnit(unit: UnitName, parts: readonly UnitPart[]): CheckedUnit {
  const broken = parts.flatMap((part) => checkPart(unit, part));
  if (broken.length > 0) return { diagnostics: broken, references: undefined };
  const effective = effectiveUnit(unit, parts);
  const [{ source }] = parts as [UnitPart];
  const diagnostics = [
    ...checkRequired(unit, effective, source),
    ...checkQuadletRules(unit, effective, source),
    ...repeatedKeys(unit, parts),
    ...overriddenKeys(unit, parts),
  ];
  return { diagnostics, references: referencesOf(unit, effective) };
}

/** What the program that reads this file would refuse or silently skip. */
export function checkPart(unit: UnitName, part: UnitSource): HostDiagnostic[] {
  const scanned = scanBytes(part.bytes, dialectOf(unit));
  const place = (at: { line: number; column: number }) => ({ file: part.source, line: at.line, column: at.column });
  const problems = scanned.problems.map((problem) => diagnose("invalid-unit", place(problem), problem.message));
  const unread = scanned.sections
    .filter(({ name }) => !isReadSection(unit, name))
    .map((section) => unreadSection(unit, part.source, section));
  const unknown = scanned.assignments.flatMap((assignment) => {
    const message = unknownKey(unit, assignment);
    return message === undefined ? [] : [diagnose("invalid-unit", place(assignment), message)];
  });
  return [...problems, ...unread, ...unknown];
}

/**
 * A key that nobody knows: podman refuses the unit for it, and systemd passes it over, so that what was meant never
 * happens.
 */
function unknownKey(unit: UnitName, { section, key }: Assignment): string | undefined {
  if (unit.family === "quadlet") {
    const isKnown = isKnownQuadletKey(unit.type, section, key);
    if (isKnown === true) return undefined;
    if (isKnown === false) {
      const meant = didYouMean(key, quadletKeysIn(unit.type, section));
      return `podman knows no ${key}= in [${section}]${meant} and refuses the unit (PodmanArgs= takes any option)`;
    }
  }
  const keys = isReadSection(unit, section) ? systemdKeysIn(section) : undefined;
  if (keys === undefined || keys.has(key) || key.startsWith("X-")) return undefined;
  return `systemd knows no ${key}= in [${section}]${didYouMean(key, keys)} and would ignore the line (X-${key}= is for other programs)`;
}

function unreadSection(unit: UnitName, file: string, { name, line }: SectionHeader): HostDiagnostic {
  const message = `nothing reads [${name}] in a .${unit.type}: systemd skips its lines (sections for other programs begin with X-)`;
  return diagnose("invalid-unit", { file, line, column: 1 }, message);
}

/** Keys without which podman makes no service. Any one of a row will do. */
const required: Readonly<Record<QuadletType, readonly string[]>> = {
  container: ["Image", "Rootfs"],
  kube: ["Yaml"],
  image: ["Image"],
  build: ["ImageTag"],
  artifact: ["Artifact"],
  volume: [],
  network: [],
  pod: [],
};

function checkRequired(unit: UnitName, effective: EffectiveUnit, file: string): HostDiagnostic[] {
  if (unit.family === "native") return [];
  const keys = required[unit.type];
  const section = quadletSectionOf(unit.type);
  if (keys.length === 0 || keys.some((key) => effectiveValue(effective, section, key)?.value)) return [];
  const message = `needs ${keys.map((key) => `${key}=`).join(" or ")} in [${section}], and no drop-in sets it`;
  return [diagnose("invalid-unit", { file, line: 1, column: 1 }, message)];
}

/**
 * The assignments of single-value keys with a value, by section and key. An empty one is a reset, and resetting before
 * setting is fine.
 */
function singleValues(unit: UnitName, parts: readonly UnitPart[]): Map<string, EffectiveLine[]> {
  const byKey = new Map<string, EffectiveLine[]>();
  for (const part of parts) {
    for (const assignment of scanBytes(part.bytes, dialectOf(unit)).assignments) {
      if (assignment.value === "" || keyRule(unit, assignment.section, assignment.key) !== "last") continue;
      addTo(byKey, `${assignment.section}\n${assignment.key}`, { ...assignment, source: part.source });
    }
  }
  return byKey;
}

/** Two values for one key in one layer: nobody can have meant both. */
function repeatedKeys(unit: UnitName, parts: readonly UnitPart[]): HostDiagnostic[] {
  return (["unit", "base", "host"] as const).flatMap((layer) => {
    const values = singleValues(
      unit,
      parts.filter((part) => part.layer === layer),
    );
    return [...values.values()].flatMap((assignments) => {
      const last = assignments.at(-1)!;
      const other = assignments.findLast((assignment) => assignment.value !== last.value);
      if (other === undefined) return [];
      const message = `sets ${said(last)} for ${unit.name}, but ${other.source}:${other.line} sets ${said(other)}; the last one counts`;
      return [diagnose("conflicting-keys", placeOf(last), message)];
    });
  });
}

/**
 * Where a host changes what the shared files say: meant so, and worth saying. In place of a shared file it is read before
 * the shared files behind that, and what they say counts.
 */
function overriddenKeys(unit: UnitName, parts: readonly UnitPart[]): HostDiagnostic[] {
  const shared = singleValues(
    unit,
    parts.filter((part) => part.layer !== "host"),
  );
  const host = singleValues(
    unit,
    parts.filter((part) => part.layer === "host"),
  );
  const all = singleValues(unit, parts);
  return [...host].flatMap(([id, assignments]) => {
    const last = assignments.at(-1)!;
    const base = shared.get(id)?.at(-1);
    if (base === undefined || base.value === last.value) return [];
    if (all.get(id)!.at(-1)!.source !== last.source) {
      const message = `sets ${said(last)} for ${unit.name}, but ${base.source}:${base.line} is read later and sets ${said(base)}, which counts`;
      return [diagnose("conflicting-keys", placeOf(last), message)];
    }
    const message = `sets ${said(last)} for ${unit.name} in place of ${said(base)} (${base.source}:${base.line})`;
    return [diagnose("host-override", placeOf(last), message)];
  });
}

/** Keys whose values are secrets: they are named, not shown. */
const secretKeys = new Set(["Creds", "DecryptionKey"]);

function said({ key, value }: Assignment): string {
  return secretKeys.has(key) ? `${key}=***` : `${key}=${value.length > 100 ? `${value.slice(0, 97)}...` : value}`;
}
