import { basename } from "node:path";
import { diagnose, type HostDiagnostic } from "../diagnostics.ts";
import type { EvaluatedFile, Evaluation } from "../evaluate/evaluation.ts";

/**
 * What podman's generator complained about, as diagnostics: our files with their place in the repository, others with
 * theirs on the host.
 */
export function generatorComplaints(
  log: string,
  stage: string,
  evaluation: Evaluation,
  quadletFolder: string,
): HostDiagnostic[] {
  return log.split("\n").flatMap((line) => {
    const complaint = line
      .replace(/^quadlet-generator\[\d+\]: /, "")
      .replaceAll(`${stage}/`, "")
      .trim();
    if (complaint === "" || /^(Loading|Warning|No files parsed)/.test(complaint)) return [];
    const ours = aboutOurs(complaint, evaluation, "podman's generator");
    return ours.length > 0 ? ours : aboutStrangers(complaint, quadletFolder);
  });
}

/**
 * systemd-analyze also tells what it thinks of the machine's other units: only ours count, and only what keeps them
 * from starting.
 */
export function analyzeComplaints(log: string, stage: string, evaluation: Evaluation): HostDiagnostic[] {
  return log
    .split("\n")
    .filter((line) =>
      /bad unit file|has a bad|Failed to (load|create)|is not executable|refusing|Invalid|not valid/i.test(line),
    )
    .flatMap((line) => aboutOurs(line.replaceAll(`${stage}/`, "").trim(), evaluation, "systemd-analyze"));
}

function aboutOurs(complaint: string, evaluation: Evaluation, who: string): HostDiagnostic[] {
  const file = evaluation.files.find((each) => each.unit !== undefined && mentions(complaint, shortName(each)));
  return file === undefined
    ? []
    : [diagnose("invalid-unit", { file: file.origin.at(-1)! }, `${who} says: ${complaint}`)];
}

/**
 * One file that podman can't even load, and it makes no unit at all, ours included: the next reload would take them
 * away.
 */
function aboutStrangers(complaint: string, quadletFolder: string): HostDiagnostic[] {
  const name = /^error loading "([^"]+)"/.exec(complaint)?.[1];
  if (name === undefined) return [];
  const message = `is not ours, and podman can't read it, so that it would make no units at all: repair or remove it (${complaint})`;
  return [diagnose("foreign-file", { file: `${quadletFolder}/${name}` }, message)];
}

function shortName(file: EvaluatedFile): string {
  return file.kind.endsWith("dropin") ? `${file.unit!.name}.d/${basename(file.path)}` : file.unit!.name;
}

/**
 * The whole name, not a part of a longer one: `web.container` stands neither in `myweb.container` nor in
 * `web.container.d`.
 */
function mentions(text: string, name: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[A-Za-z0-9_\\@-]/.test(character);
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after, next] = [text[at - 1], text[at + name.length], text[at + name.length + 1]];
    if (!isWord(before) && before !== "." && !isWord(after) && !(after === "." && isWord(next))) return true;
  }
  return false;
}
