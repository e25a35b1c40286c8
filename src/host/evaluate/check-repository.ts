import { asErrors, diagnose, diagnosticsInOrder, type HostDiagnostic, hasErrors } from "../diagnostics.ts";
import { hostsFolder } from "../repository/tree.ts";
import { evaluateFor } from "./evaluate.ts";
import type { DeliveredContent, EvaluatedFile, EvaluatedHost, Layout } from "./evaluation.ts";
import type { Catalog } from "./service.ts";

export interface CheckedRepository {
  readonly hosts: readonly {
    readonly host: string;
    readonly services: readonly string[];
    readonly files: number;
    readonly ok: boolean;
  }[];
  /** Of all hosts together; what several of them share is said once. */
  readonly diagnostics: readonly HostDiagnostic[];
}

export interface Checking {
  /** Warnings count as errors. */
  readonly strict: boolean;
  /** What podman itself says about a set of units. */
  verify(evaluation: EvaluatedHost): Promise<readonly HostDiagnostic[]>;
}

/** Every host of a repository, as a check before a commit is merged. */
export async function checkHosts(catalog: Catalog, layout: Layout, checking: Checking): Promise<CheckedRepository> {
  if (catalog.hosts.length === 0) {
    const message = "has no host: a repository needs at least one hosts/<host>/host.yaml";
    return { hosts: [], diagnostics: [diagnose("unknown-host", { file: hostsFolder }, message)] };
  }
  const diagnostics: HostDiagnostic[] = [];
  const variants = new UnitVariants();
  // Of each host only the summary is kept: all their files together would be most of the memory, and of the time.
  const hosts = catalog.hosts.map((name) => {
    const evaluation = evaluateFor(catalog, name, layout);
    const { host, services, files } = evaluation;
    const found = checking.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
    for (const diagnostic of found) diagnostics.push(diagnostic);
    const ok = !hasErrors(found);
    if (ok) variants.add(evaluation);
    return { host, services, files: files.length, ok };
  });
  const verified = await variants.verify(checking);
  const all = diagnosticsInOrder([...diagnostics, ...verified.diagnostics]);
  return {
    hosts: hosts.map((each) => ({ ...each, ok: each.ok && !verified.refused.has(each.host) })),
    diagnostics: all,
  };
}

interface Variant {
  /** A unit's own file and its drop-ins. */
  readonly files: readonly EvaluatedFile[];
  readonly hosts: string[];
}

/**
 * The units of a whole fleet, each with the drop-ins that some host has for it. podman's generator, a program of its
 * own, is asked about all units at once, and again only for as many variants as there are of one of them: a handful of
 * times for a thousand hosts.
 */
class UnitVariants {
  private readonly byUnit = new Map<string, Map<string, Variant>>();
  private readonly numbers = new Map<Uint8Array | string, number>();

  add({ host, files }: EvaluatedHost): void {
    for (const [unit, parts] of quadletParts(files)) {
      const key = parts.map(({ path, content }) => `${path}\0${this.numberOf(content)}`).join("\n");
      const known = this.byUnit.get(unit) ?? new Map<string, Variant>();
      this.byUnit.set(unit, known);
      const variant = known.get(key) ?? { files: parts, hosts: [] };
      known.set(key, variant);
      variant.hosts.push(host);
    }
  }

  async verify({ verify }: Checking): Promise<{ diagnostics: HostDiagnostic[]; refused: ReadonlySet<string> }> {
    const units = [...this.byUnit.values()].map((variants) => [...variants.values()]);
    const rounds = Math.max(0, ...units.map((variants) => variants.length));
    const diagnostics: HostDiagnostic[] = [];
    const refused = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const chosen = units.map((variants) => variants[round] ?? variants[0]!);
      const said = await verify({
        host: "",
        services: [],
        files: chosen.flatMap(({ files }) => files),
        diagnostics: [],
      });
      diagnostics.push(...said);
      for (const { severity, file } of said) {
        const concerned =
          severity === "error" ? chosen.filter(({ files }) => files.some(({ origin }) => origin.at(-1) === file)) : [];
        for (const host of concerned.flatMap(({ hosts }) => hosts)) refused.add(host);
      }
    }
    return { diagnostics, refused };
  }

  /** Shared files are the same object for every host, so that comparing them costs nothing. */
  private numberOf(content: DeliveredContent): number {
    const identity = content.kind === "file" ? content.bytes : content.target;
    const number = this.numbers.get(identity) ?? this.numbers.size;
    this.numbers.set(identity, number);
    return number;
  }
}

function quadletParts(files: readonly EvaluatedFile[]): Map<string, EvaluatedFile[]> {
  const parts = new Map<string, EvaluatedFile[]>();
  for (const file of files) {
    if (file.kind !== "quadlet" && file.kind !== "quadlet-dropin") continue;
    const known = parts.get(file.unit!.name);
    if (known) known.push(file);
    else parts.set(file.unit!.name, [file]);
  }
  return parts;
}
