import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { xdgFolder } from "../../files/machine.ts";
import { type Layout, systemLayout } from "../../host/evaluate/evaluation.ts";
import type { SourceOptions } from "../../host/repository/source.ts";
import { type HostTarget, ownerName } from "../../host/target.ts";
import { parseDuration } from "../shell/duration.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf, type Parsed, parseOptions } from "../shell/options.ts";

/** Options that more than one sub-command takes. */
export const hostOptions = {
  repo: { type: "string" },
  rev: { type: "string" },
  host: { type: "string" },
  root: { type: "string" },
  user: { type: "boolean" },
  "quadlet-dir": { type: "string" },
  "unit-dir": { type: "string" },
  activate: { type: "boolean" },
  "no-activate": { type: "boolean" },
  "keep-drift": { type: "boolean" },
  unhold: { type: "boolean" },
  "rollback-on-failure": { type: "boolean" },
  wait: { type: "string" },
  "ssh-key": { type: "string" },
  "known-hosts": { type: "string" },
  "token-file": { type: "string" },
  "allowed-signers": { type: "string" },
  keyring: { type: "string" },
  "allow-rewind": { type: "boolean" },
  "git-timeout": { type: "string" },
  diff: { type: "boolean" },
  "exit-code": { type: "boolean" },
  "no-audit": { type: "boolean" },
  strict: { type: "boolean" },
} as const;

export function parseHostOptions<T extends Record<string, { type: "string" | "boolean" }>>(
  args: readonly string[],
  own: T,
  io: Io,
  name: string,
): Parsed<typeof hostOptions & T> {
  return parseOptions(args, { ...hostOptions, ...own }, io, `host ${name}`);
}

/** What the options above are after parsing. */
export type HostValues = CommonValues & { readonly [name in keyof typeof hostOptions]?: string | boolean | undefined };

function text(values: HostValues, name: keyof typeof hostOptions): string | undefined {
  const value = values[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A name that tells a machine apart from others; what systemd falls back to does not. */
export function hostIdentity(values: HostValues, io: Io): string | undefined {
  const given = text(values, "host") ?? (io.env.STET_HOST || undefined);
  if (given !== undefined) return given;
  const name = hostname();
  return name === "" || name === "localhost" || name === "(none)" ? undefined : name;
}

export function targetOf(values: HostValues, io: Io): HostTarget {
  const machine = machineOf(values, io);
  const root = text(values, "root");
  return {
    root: root === undefined ? "/" : resolve(io.cwd, root),
    scope: values.user ? "user" : "system",
    layout: layoutOf(values, io),
    stateDir: join(machine.stateDir, "host"),
    gate: machine.gate,
    program: io.program,
    now: io.now,
  };
}

/** For a user, `etc` of a payload is the folder for configuration. */
export function layoutOf(values: HostValues, io: Io): Layout {
  const base = values.user ? userLayout(values, io) : systemLayout;
  return {
    quadletFolder: absolute(text(values, "quadlet-dir"), io) ?? base.quadletFolder,
    unitFolder: absolute(text(values, "unit-dir"), io) ?? base.unitFolder,
    configFolder: base.configFolder,
  };
}

function userLayout(values: HostValues, io: Io): Layout {
  const config = xdgFolder("CONFIG", machineOf(values, io));
  return { quadletFolder: join(config, "containers/systemd"), unitFolder: join(config, "systemd/user"), configFolder: config };
}

function absolute(path: string | undefined, io: Io): string | undefined {
  return path === undefined ? undefined : resolve(io.cwd, path);
}

export function sourceOf(values: HostValues, io: Io, target: HostTarget): SourceOptions {
  const repo = text(values, "repo") ?? (io.env.STET_REPO || ".");
  return {
    repo: /^[a-z][a-z0-9+.-]*:|^[\w.-]+@[\w.-]+:/i.test(repo) ? repo : resolve(io.cwd, repo),
    rev: text(values, "rev") ?? (io.env.STET_REV || undefined),
    access: {
      sshKey: absolute(text(values, "ssh-key"), io),
      knownHosts: absolute(text(values, "known-hosts"), io),
      tokenFile: absolute(text(values, "token-file"), io),
    },
    trust: { allowedSigners: absolute(text(values, "allowed-signers"), io), keyring: absolute(text(values, "keyring"), io) },
    allowRewind: values["allow-rewind"] === true,
    owner: ownerName(target),
    mirrors: join(target.stateDir, "mirrors"),
    env: io.env,
    gate: target.gate,
    timeoutMs: parseDuration("git-timeout", text(values, "git-timeout") ?? "5m"),
  };
}

/** For commands that only look: an old revision is as good as any. */
export function lookingOf(values: HostValues, io: Io): SourceOptions {
  return { ...sourceOf(values, io, targetOf(values, io)), allowRewind: true };
}

/** Elsewhere nothing is started unless asked for; here it is, unless asked not to. */
export function activates(values: HostValues): boolean {
  if (values["no-activate"]) return false;
  return values.root === undefined || values.activate === true;
}
