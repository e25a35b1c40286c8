import {
  type Assignment,
  type ScannedUnit,
  scanUnit,
  type UnitDialect,
  type UnitProblem,
} from "../../formats/unit/unit.ts";
import type { RepositoryPlace } from "../diagnostics.ts";
import { clearsTogether, type KeyRule, quadletKeyRule, quadletSectionOf, systemdKeyRule } from "./unit-keys.ts";
import type { UnitName } from "./unit-kind.ts";

/** Who reads a unit's own file and its drop-ins. */
export function dialectOf(unit: UnitName): UnitDialect {
  return unit.family === "quadlet" ? "quadlet" : "systemd";
}

/** A shared file is scanned once, however many hosts use it. */
const scans: Readonly<Record<UnitDialect, WeakMap<Uint8Array, ScannedUnit>>> = {
  quadlet: new WeakMap(),
  systemd: new WeakMap(),
};

export function scanBytes(bytes: Uint8Array, dialect: UnitDialect): ScannedUnit {
  let scanned = scans[dialect].get(bytes);
  if (scanned === undefined) {
    scanned = decodeAndScan(bytes, dialect);
    scans[dialect].set(bytes, scanned);
  }
  return scanned;
}

function decodeAndScan(bytes: Uint8Array, dialect: UnitDialect): ScannedUnit {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const scanned = scanUnit(text, dialect);
  const invalid = firstInvalid(bytes, text);
  return invalid === undefined ? scanned : { ...scanned, problems: [...scanned.problems, invalid] };
}

/** A unit is text. What is not UTF-8 shows as a replacement character that the file itself does not hold. */
function firstInvalid(bytes: Uint8Array, text: string): UnitProblem | undefined {
  if (text.includes("\0")) return problemAt(text, text.indexOf("\0"), "contains a zero byte, but a unit is text");
  if (!text.includes("\u{fffd}") || Buffer.from(text).equals(bytes)) return undefined;
  return problemAt(text, text.indexOf("\u{fffd}"), "is not UTF-8, but a unit is text");
}

function problemAt(text: string, offset: number, message: string): UnitProblem {
  const before = text.slice(0, offset);
  return { message, line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** The last `ServiceName=` counts, as of any key with one value. Hardly a unit has one. */
export function serviceNameIn(unit: UnitName, parts: readonly Uint8Array[]): string | undefined {
  if (unit.family === "native") return undefined;
  const section = quadletSectionOf(unit.type);
  const isName = (assignment: Assignment) => assignment.key === "ServiceName" && assignment.section === section;
  return parts.flatMap((bytes) => scanBytes(bytes, "quadlet").assignments.findLast(isName) ?? []).at(-1)?.value;
}

/**
 * The words of a value as systemd and podman split them: at spaces, with quotes around a word or a part of it.
 * Undefined where a quote stays open or an escape is used: those are not ours to read.
 */
export function splitWords(value: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of value) {
    if (character === "\\") return undefined;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

/** A file of a unit in the order in which it is read: the unit itself, then its drop-ins. */
export interface UnitSource {
  readonly source: string;
  readonly bytes: Uint8Array;
}

export interface EffectiveLine extends Assignment {
  readonly source: string;
}

/** Where a line stands. */
export function placeOf({ source, line, column }: EffectiveLine): RepositoryPlace {
  return { file: source, line, column };
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
