import { join } from "node:path";
import { type Diagnostic, InputError } from "../core/diagnostic.ts";
import { type Machine, xdgFolder } from "../engine/machine.ts";
import type { EvaluationDocument, Layout } from "../host/evaluate/evaluation.ts";
import type { SourceOptions } from "../host/repository/source.ts";
import { insistOnText } from "./arguments.ts";
import { type MachineOptions, machineFrom } from "./machine.ts";

/** A repository of services and hosts, and how it is read. */
export interface RepositoryOptions {
  /** A folder as it is, or a Git remote (ssh, https, file). */
  readonly repo: string;
  /** A branch, tag or commit. Default: the folder as it is, or the remote's head. */
  readonly rev?: string | undefined;
  /** The user's own units instead of the system's. */
  readonly user?: boolean | undefined;
  /** Default: `/etc/containers/systemd`, or the user's. */
  readonly quadletDir?: string | undefined;
  /** Default: `/etc/systemd/system`, or the user's. */
  readonly unitDir?: string | undefined;
  /** Warnings are errors. */
  readonly strict?: boolean | undefined;
  readonly sshKey?: string | undefined;
  readonly knownHosts?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Commits must be signed by one of these (ssh). */
  readonly allowedSigners?: string | undefined;
  /** Commits must be signed by one of these (OpenPGP). */
  readonly keyring?: string | undefined;
}

/** What `stet host evaluate --json` prints, and what each file holds. */
export interface HostEvaluation extends EvaluationDocument {
  /** By path, the bytes of every file; a link has none. */
  readonly contents: Readonly<Record<string, Uint8Array>>;
}

/**
 * The desired state of one host: every file with where it comes from. Looks at no host and writes nothing there. Where a
 * diagnostic is an error, nothing may be done with the files.
 *
 * @example
 * import { evaluateHost, thisMachine } from "stet";
 * import { mkdirSync, writeFileSync } from "node:fs";
 *
 * mkdirSync("services/web/quadlet", { recursive: true });
 * mkdirSync("hosts/kadath", { recursive: true });
 * writeFileSync("services/web/quadlet/web.container", "[Container]\nImage=docker.io/library/caddy:2\n");
 * writeFileSync("hosts/kadath/host.yaml", "host: kadath\nservices: [web]\n");
 * const { files } = await evaluateHost("kadath", { ...thisMachine(), repo: process.cwd() });
 * console.log(files[0].path); // /etc/containers/systemd/web.container
 */
export async function evaluateHost(host: string, options: MachineOptions & RepositoryOptions): Promise<HostEvaluation> {
  const [{ openCatalog }, evaluating, { evaluationDocument }, { openSource }, { asErrors }] = await Promise.all([
    import("../host/evaluate/service.ts"),
    import("../host/evaluate/evaluate.ts"),
    import("../host/evaluate/evaluation.ts"),
    import("../host/repository/source.ts"),
    import("../host/diagnostics.ts"),
  ]);
  insistOnText(host, "evaluateHost: the host's name");
  const machine = machineFrom(options);
  const source = await openSource(sourceFrom(options, machine));
  const evaluation = evaluating.evaluateFor(openCatalog(source.tree), host, layoutFrom(options, machine));
  const found = options.strict ? asErrors(evaluation.diagnostics) : evaluation.diagnostics;
  const contents = evaluation.files.flatMap(({ path, content }) =>
    content.kind === "file" ? [[path, content.bytes] as const] : [],
  );
  return {
    ...evaluationDocument(evaluation, source.rev),
    diagnostics: [...source.diagnostics, ...found],
    contents: Object.fromEntries(contents),
  };
}

/** What `stet host check --json` prints. */
export interface RepositoryCheck {
  readonly rev: string | null;
  readonly hosts: readonly CheckedHost[];
  /** Of all hosts together; what several of them share is said once. */
  readonly diagnostics: readonly Diagnostic[];
}

export interface CheckedHost {
  readonly host: string;
  readonly services: readonly string[];
  readonly files: number;
  readonly ok: boolean;
}

/**
 * Every host of a repository, as a check before a commit is merged. Podman's generator is asked too, where `env` leads
 * to one.
 *
 * @example
 * import { checkRepository, thisMachine } from "stet";
 * import { mkdirSync, writeFileSync } from "node:fs";
 *
 * mkdirSync("hosts/kadath", { recursive: true });
 * writeFileSync("hosts/kadath/host.yaml", "host: kadath\nservices: [nothing]\n");
 * const { hosts, diagnostics } = await checkRepository({ ...thisMachine(), repo: process.cwd() });
 * console.log(hosts[0].ok, diagnostics[0].code); // false unknown-service
 */
export async function checkRepository(options: MachineOptions & RepositoryOptions): Promise<RepositoryCheck> {
  const [{ findGenerator }, { openCatalog }, checking, { openSource }, { verifyEvaluation }] = await Promise.all([
    import("../host/effects/podman.ts"),
    import("../host/evaluate/service.ts"),
    import("../host/evaluate/all-hosts.ts"),
    import("../host/repository/source.ts"),
    import("../host/units/verify-units.ts"),
  ]);
  const machine = machineFrom(options);
  const source = await openSource(sourceFrom(options, machine));
  const layout = layoutFrom(options, machine);
  const scope = options.user ? "user" : "system";
  const verifying = { generator: findGenerator(scope, machine.env), env: machine.env };
  const { hosts, diagnostics } = await checking.checkHosts(openCatalog(source.tree), layout, {
    strict: options.strict === true,
    verify: (evaluation) => verifyEvaluation(evaluation, { layout, scope }, verifying),
  });
  return { rev: source.rev ?? null, hosts, diagnostics: [...source.diagnostics, ...diagnostics] };
}

function layoutFrom({ user, quadletDir, unitDir }: RepositoryOptions, machine: Machine): Layout {
  const config = user ? xdgFolder("CONFIG", machine) : "/etc";
  return {
    quadletFolder: quadletDir ?? join(config, "containers/systemd"),
    unitFolder: unitDir ?? join(config, user ? "systemd/user" : "systemd/system"),
    configFolder: config,
    home: user ? machine.home : "/root",
  };
}

/** Nothing is applied, so that an old revision is as good as any. */
function sourceFrom(options: RepositoryOptions, { env, gate, stateDir }: Machine): SourceOptions {
  const { repo, rev, sshKey, knownHosts, tokenFile, allowedSigners, keyring } = options;
  if (typeof repo !== "string") {
    throw new InputError({ code: "no-repository", message: "pass { repo }, a folder or a Git remote" });
  }
  return {
    repo,
    rev,
    access: { sshKey, knownHosts, tokenFile },
    trust: { allowedSigners, keyring },
    allowRewind: true,
    owner: "library",
    mirrors: join(stateDir, "host", "mirrors"),
    env,
    gate,
    timeoutMs: 5 * 60_000,
  };
}
