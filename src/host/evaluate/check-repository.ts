import { diagnose, type HostDiagnostic, hasErrors, inOrder } from "../diagnostics.ts";
import { hostsFolder } from "../repository/repository-names.ts";
import type { Catalog } from "./catalog.ts";
import { evaluateHost } from "./evaluate.ts";
import type { Layout } from "./evaluation.ts";

export interface CheckedRepository {
  readonly hosts: readonly { readonly host: string; readonly services: readonly string[]; readonly files: number; readonly ok: boolean }[];
  /** Of all hosts together; what several of them share is said once. */
  readonly diagnostics: readonly HostDiagnostic[];
}

/** Every host of a repository, as a check before a commit is merged. */
export function checkRepository(catalog: Catalog, layout: Layout): CheckedRepository {
  if (catalog.hosts.length === 0) {
    const message = "has no host: a repository needs at least one hosts/<host>/host.yaml";
    return { hosts: [], diagnostics: [diagnose("unknown-host", { file: hostsFolder }, message)] };
  }
  const diagnostics: HostDiagnostic[] = [];
  // Of each host only the summary is kept: all their files together would be most of the memory, and of the time.
  const hosts = catalog.hosts.map((name) => {
    const { host, services, files, diagnostics: found } = evaluateHost(catalog, name, layout);
    for (const diagnostic of found) diagnostics.push(diagnostic);
    return { host, services, files: files.length, ok: !hasErrors(found) };
  });
  return { hosts, diagnostics: inOrder(diagnostics) };
}
