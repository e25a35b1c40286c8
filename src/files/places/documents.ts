import { InputError } from "../../core/diagnostic.ts";
import type { PlaceRecord } from "../../core/records.ts";
import { field, isList, type Value } from "../../core/value.ts";
import { type DocumentSelector, documentLabel } from "../../formats/format.ts";
import type { Rule } from "../../identity/rules/rule.ts";
import { isSelectors, type ReadingData } from "../../readings/reading-data.ts";
import type { Template } from "../../readings/template.ts";
import type { PackFile } from "../manifest/pack.ts";

/** Two files of a manifest that mean different documents of one target are one file with several documents. */
export function joinDocuments(one: PackFile, other: PackFile, path: string): PackFile {
  const [a, b] = [inDocument(one), inDocument(other)];
  const labels = [a, b].map((file) => file?.in.map(documentLabel) ?? []);
  if (a === undefined || b === undefined || labels[1]!.some((label) => labels[0]!.includes(label))) {
    const message = `two files of the manifest have the target ${path}`;
    throw new InputError({ code: "duplicate-target", message });
  }
  const rules = new Map([...a.rules, ...b.rules].map((rule) => [JSON.stringify(rule), rule]));
  return {
    ...a,
    in: [...a.in, ...b.in],
    rules: [...rules.values()],
    also: [...(a.also ?? []), b.template, ...(b.also ?? [])],
  };
}

/** A file whose templates say which document they are for; undefined where it is for none. */
function inDocument(file: PackFile): (PackFile & { readonly in: readonly DocumentSelector[] }) | undefined {
  const { in: selected } = file;
  if (selected === undefined) return undefined;
  if (isSelectors(selected)) return { ...file, in: selected };
  const label = documentLabel(selected);
  const labelled = (template: Template): Template =>
    template.kind === "text" || template.kind === "data" ? { ...template, in: label } : template;
  return { ...file, in: [selected], template: labelled(file.template), also: file.also?.map(labelled) };
}

/** What a release shipped for the documents that a file is read for. */
export function templatesFor(then: PackFile, read: PackFile["in"]): readonly Template[] {
  const all = (file: PackFile) => [file.template, ...(file.also ?? [])];
  if (read === undefined || then.in === undefined) return read === then.in ? all(then) : [];
  const labels = (isSelectors(read) ? read : [read]).map(documentLabel);
  const labelOf = (template: Template) =>
    template.kind === "text" || template.kind === "data" ? template.in : undefined;
  const meant = all(inDocument(then)!).filter((template) => labels.includes(labelOf(template) ?? ""));
  return isSelectors(read) ? meant : meant.map((template) => ({ ...template, in: undefined }));
}

/** A rule for every document of a file: an item's key says which one it stands in. */
export function inEachDocument(rule: Rule): Rule {
  const at = `{document}${rule.at.startsWith("[") ? "" : "."}${rule.at}`;
  return { ...rule, at, key: ["document", ...rule.key], ...(rule.pair && { pair: ["document", ...rule.pair] }) };
}

/** Whether what is on record for the one can be found in the other: not where their fields contradict each other. */
export function isSameDocument(former: ReadingData["in"], now: ReadingData["in"]): boolean {
  if (isSelectors(former) || isSelectors(now)) return isSelectors(former) === isSelectors(now);
  return Object.entries(former ?? {}).every(([path, value]) => now?.[path] === undefined || now[path] === value);
}

/**
 * Documents that earlier releases had entries in, on record or not, are still looked at: what is no longer wanted there goes, and what
 * people changed of it stays on record.
 */
export function withKnownDocuments(
  wanted: PackFile["in"],
  before: PlaceRecord | undefined,
  earlier: readonly { readonly file: PackFile }[],
): ReadingData["in"] {
  if (!isSelectors(wanted)) return wanted;
  const recorded = field(before?.reading as Value | undefined, "in");
  const known = [
    ...wanted,
    ...(isList(recorded) ? (recorded as readonly DocumentSelector[]) : []),
    ...earlier.flatMap(({ file }) => inDocument(file)?.in ?? []),
  ];
  return [...new Map(known.map((selector) => [documentLabel(selector), selector] as const)).values()];
}
