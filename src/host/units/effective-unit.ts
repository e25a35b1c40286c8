import type { Assignment } from "../../formats/unit/unit.ts";
import { splitWords } from "./split-words.ts";
import { clearsTogether, type KeyRule, quadletKeyRule, systemdKeyRule } from "./unit-keys.ts";
import type { UnitName } from "./unit-kind.ts";
import { dialectOf, scanBytes } from "./unit-text.ts";

/** A file of a unit in the order in which it is read: the unit itself, then its drop-ins. */
export interface UnitSource {
  readonly source: string;
  readonly bytes: Uint8Array;
}

export interface EffectiveLine extends Assignment {
  readonly source: string;
}

export interface EffectiveUnit {
  readonly sections: readonly { readonly name: string; readonly lines: readonly EffectiveLine[] }[];
}

/**
 * The unit that counts after all drop-ins, merged by the rules of the program that reads it; every line knows its file.
 */
export function effectiveUnit(unit: UnitName, sources: readonly UnitSource[]): EffectiveUnit {
  const sections = new Map<string, EffectiveLine[]>();
  for (const { source, bytes } of sources) {
    const scanned = scanBytes(bytes, dialectOf(unit));
    for (const { name } of scanned.sections) if (!sections.has(name)) sections.set(name, []);
    for (const assignment of scanned.assignments) sections.get(assignment.section)!.push({ ...assignment, source });
  }
  return { sections: [...sections].map(([name, lines]) => ({ name, lines: effectiveLines(unit, lines) })) };
}

export function keyRule(unit: UnitName, section: string, key: string): KeyRule {
  return unit.family === "quadlet" ? quadletKeyRule(unit.type, section, key) : systemdKeyRule(section, key);
}

/** The value of a single-value key, or of the last assignment of a list. */
export function effectiveValue(unit: EffectiveUnit, section: string, key: string): EffectiveLine | undefined {
  return unit.sections.find(({ name }) => name === section)?.lines.findLast((line) => line.key === key);
}

/** The lines of a key that set something. */
export function setLines(unit: EffectiveUnit, section: string, key: string): readonly EffectiveLine[] {
  const lines = unit.sections.find(({ name }) => name === section)?.lines ?? [];
  return lines.filter((line) => line.key === key && line.value !== "");
}

/** From the last line to the first: a line counts unless something behind it replaces or clears it. */
function effectiveLines(unit: UnitName, lines: readonly EffectiveLine[]): EffectiveLine[] {
  const replaced = new Set<string>();
  const cleared = new Set<string>();
  const named = new Map<string, Set<string>>();
  const kept: EffectiveLine[] = [];
  for (const line of lines.toReversed()) {
    const rule = keyRule(unit, line.section, line.key);
    if (rule === "last") {
      if (!replaced.has(line.key)) kept.push(line);
      replaced.add(line.key);
    } else if (rule === "dependency") {
      if (line.value !== "") kept.push(line);
    } else {
      const family = familyOf(unit, line);
      if (cleared.has(family)) continue;
      if (line.value === "") cleared.add(family);
      else if (rule !== "names" || namesNothingNew(line, named) === false) kept.push(line);
    }
  }
  return kept.reverse();
}

function familyOf(unit: UnitName, line: EffectiveLine): string {
  return unit.family === "quadlet" && line.section !== "Unit" ? line.key : clearsTogether(line.section, line.key);
}

/** Whether every NAME=value of the line is set again further down. Notes the names for the lines above. */
function namesNothingNew(line: EffectiveLine, named: Map<string, Set<string>>): boolean {
  const seen = named.get(line.key) ?? new Set<string>();
  named.set(line.key, seen);
  const names = splitWords(line.value)?.map((word) =>
    word.includes("=") ? word.slice(0, word.indexOf("=")) : undefined,
  );
  // What we can't split, or a word that sets nothing, is left to the program that reads it.
  if (names === undefined || names.length === 0 || names.includes(undefined)) return false;
  const nothingNew = names.every((name) => seen.has(name!));
  for (const name of names) seen.add(name!);
  return nothingNew;
}

/** As a unit file: what a person would have had to write to get the same without drop-ins. */
export function renderUnit(unit: EffectiveUnit): string {
  return unit.sections
    .map(({ name, lines }) => `[${name}]\n${lines.map((line) => `${line.key}=${line.value}\n`).join("")}`)
    .join("\n");
}
