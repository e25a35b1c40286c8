import { asErrors, diagnose, type HostDiagnostic, hasErrors, inOrder } from "../diagnostics.ts";
import { hostsFolder } from "../repository/repository-names.ts";
import type { Catalog } from "./catalog.ts";
import { evaluateHost } from "./evaluate.ts";
import { type Content, type Evaluation, isPayload, type Layout } from "./evaluation.ts";

export interface CheckedRepository {
  readonly hosts: readonly { readonly host: string; readonly services: readonly string[]; readonly files: number; readonly ok: boolean }[];
  /** Of all hosts together; what several of them share is said once. */
  readonly diagnostics: readonly HostDiagnostic[];
}

export interface Checking {
  /** Warnings count as errors. */
  readonly strict: boolean;
  /** What podman itself says about a host's units. */
  verify(evaluation: Evaluation): Promise<readonly HostDiagnostic[]>;
}

/** Every host of a repository, as a check before a commit is merged. */
export async function checkRepository(catalog: Catalog, layout: Layout, checking: Checking): Promise<CheckedRepository> {
  if (catalog.hosts.length === 0) {
    const message = "has no host: a repository needs at least one hosts/<host>/host.yaml";
    return { hosts: [], diagnostics: [diagnose("unknown-host", { file: hostsFolder }, message)] };
  }
  const verify = oncePerUnits(checking);
  const diagnostics: HostDiagnostic[] = [];
  const hosts: CheckedRepository["hosts"][number][] = [];
  // Of each host only the summary is kept: all their files together would be most of the memory, and of the time.
  for (const name of catalog.hosts) {
    const evaluation = evaluateHost(catalog, name, layout);
    const evaluated = checking.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
    const found = hasErrors(evaluated) ? evaluated : [...evaluated, ...(await verify(evaluation))];
    for (const diagnostic of found) diagnostics.push(diagnostic);
    hosts.push({ host: evaluation.host, services: evaluation.services, files: evaluation.files.length, ok: !hasErrors(found) });
  }
  return { hosts, diagnostics: inOrder(diagnostics) };
}

/** Most hosts of a fleet have the same units: the generator, a program of its own, is asked once about each set of them. */
function oncePerUnits({ verify }: Checking): Checking["verify"] {
  const answers = new Map<string, Promise<readonly HostDiagnostic[]>>();
  const numbers = new Map<Uint8Array | string, number>();
  // Shared files are the same object for every host, so that comparing them costs nothing.
  const numberOf = (content: Content): number => {
    const identity = content.kind === "file" ? content.bytes : content.target;
    const number = numbers.get(identity) ?? numbers.size;
    numbers.set(identity, number);
    return number;
  };
  return (evaluation) => {
    const units = evaluation.files.filter(({ kind }) => !isPayload(kind));
    const key = units.map(({ path, content }) => `${path}\0${numberOf(content)}`).join("\n");
    const answer = answers.get(key) ?? verify(evaluation);
    answers.set(key, answer);
    return answer;
  };
}
