import { readQuoted } from "./keys.ts";
import type { RuleStep } from "./rule.ts";

/** Reads the `at` of a rule, such as `hooks.{event}[].hooks[]`. A string says what is wrong with it. */
export function parseRulePath(text: string): readonly RuleStep[] | string {
  const steps: RuleStep[] = [];
  let start = 0;
  // The root itself may be a list.
  for (; text.startsWith("[]", start); start += 2) steps.push({ kind: "items" });
  if (start > 0 && start === text.length) return steps;
  if (start > 0 && text.charAt(start) !== ".")
    return `a dot or [] is expected before ${JSON.stringify(text.slice(start))}`;
  for (let at = start > 0 ? start + 1 : 0; ; at++) {
    const read = readStep(text, at);
    if (typeof read === "string") return read;
    const { step } = read;
    if (step.kind === "capture" && steps.some((other) => other.kind === "capture" && other.name === step.name)) {
      return `{${step.name}} is captured twice`;
    }
    steps.push(step);
    at = read.end;
    for (; text.startsWith("[]", at); at += 2) steps.push({ kind: "items" });
    if (at === text.length) return steps;
    if (text.charAt(at) !== ".") return `a dot or [] is expected before ${JSON.stringify(text.slice(at))}`;
  }
}

function readStep(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  if (text.charAt(at) === '"') {
    const read = readQuoted(text, at);
    return typeof read === "string" ? read : { step: { kind: "name", name: read.segment.text }, end: read.end };
  }
  return text.charAt(at) === "{" ? readCapture(text, at) : readName(text, at);
}

function readCapture(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  const close = text.indexOf("}", at);
  if (close === -1) return "a { is not closed";
  const name = text.slice(at + 1, close);
  if (!/^[A-Za-z_][\w-]*$/.test(name)) return `a capture is named by a word, not ${JSON.stringify(name)}`;
  if (name === "value") return "a capture can't be named value, which means the item itself";
  return { step: { kind: "capture", name }, end: close + 1 };
}

function readName(text: string, at: number): { readonly step: RuleStep; readonly end: number } | string {
  const rest = text.slice(at);
  const end = at + (rest.search(/[.[\]{}"]/) === -1 ? rest.length : rest.search(/[.[\]{}"]/));
  if (end === at) return 'a name is missing; an odd name is written in quotes, an empty one as ""';
  return { step: { kind: "name", name: text.slice(at, end) }, end };
}
