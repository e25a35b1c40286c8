import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { type Machine, xdgFolder } from "../../engine/machine.ts";
import { type Layout, systemLayout } from "../../host/evaluate/evaluation.ts";
import type { SourceOptions } from "../../host/repository/source.ts";
import { type HostTarget, liesElsewhere, ownerName, takeOver } from "../../host/target.ts";
import type { Options } from "../shell/command.ts";
import type { Io } from "../shell/io.ts";
import { type CommonValues, machineOf, parseDuration } from "../shell/options.ts";

const [repository, destination, runs] = ["which repository, which host", "where it goes", "plan, apply, watch"];

/** Options that every host command takes, so that a set of them can be kept in one place and given to all. */
export const hostOptions = {
  repo: {
    type: "string",
    section: repository,
    value: "DIR|URL",
    help: "a folder, used as it is, or a Git remote: ssh, https, file (default: $STET_REPO, else .)",
  },
  rev: {
    type: "string",
    section: repository,
    value: "REV",
    help: "branch, tag or commit; refs/heads/X or refs/tags/X if X is both (default: $STET_REV, else the remote's head)",
  },
  host: {
    type: "string",
    section: repository,
    value: "NAME",
    help: "which host (default: $STET_HOST, else this machine's name)",
  },
  "ssh-key": { type: "string", section: repository, value: "FILE", help: "the key for an ssh remote" },
  "known-hosts": { type: "string", section: repository, value: "FILE", help: "the hosts that ssh trusts" },
  "token-file": { type: "string", section: repository, value: "FILE", help: "the token for an https remote" },
  "allowed-signers": {
    type: "string",
    section: repository,
    value: "FILE",
    help: "apply only commits signed by one of these ssh keys",
  },
  keyring: {
    type: "string",
    section: repository,
    value: "FILE",
    help: "apply only commits signed by one of these OpenPGP keys",
  },
  "allow-rewind": {
    type: "boolean",
    section: repository,
    help: "allow a commit that does not contain the one applied last",
  },
  "git-timeout": {
    type: "string",
    section: repository,
    value: "DURATION",
    help: "how long Git may take (default: 5m)",
  },
  root: {
    type: "string",
    section: destination,
    value: "DIR",
    help: "write into another root file system, and start nothing there",
  },
  activate: { type: "boolean", section: destination, help: "start and stop units even with --root" },
  "no-activate": { type: "boolean", section: destination, help: "write files, but touch no unit" },
  user: { type: "boolean", section: destination, help: "manage your own units instead of the system's" },
  "quadlet-dir": {
    type: "string",
    section: destination,
    value: "DIR",
    help: "where Quadlet files go (default: /etc/containers/systemd)",
  },
  "unit-dir": {
    type: "string",
    section: destination,
    value: "DIR",
    help: "where units go (default: /etc/systemd/system)",
  },
  diff: { type: "boolean", section: runs, help: "show the lines that change" },
  "exit-code": { type: "boolean", section: runs, help: "plan, status: exit 2 if an apply would change something" },
  "keep-drift": {
    type: "boolean",
    section: runs,
    help: "leave alone files that were edited on the host, and units that were stopped or disabled there",
  },
  recreate: {
    type: "boolean",
    section: runs,
    help: "recreate changed networks, and changed volumes without data: podman changes none in place",
  },
  "host-changed": { type: "boolean", section: runs, help: "go on although this machine was another host before" },
  unhold: { type: "boolean", section: runs, help: "apply this commit even if it was rolled back" },
  "rollback-on-failure": {
    type: "boolean",
    section: runs,
    help: "go back to the previous state if a unit does not come up",
  },
  wait: { type: "string", section: runs, value: "DURATION", help: "how long units may take to come up (default: 60s)" },
  strict: {
    type: "boolean",
    section: runs,
    help: "treat conflicting overlays and other warnings as errors; apply: exit 3 if edits were kept",
  },
  "no-audit": { type: "boolean", section: runs, help: "do not record the run in the journal" },
} as const satisfies Options;

export const exitCodes = `exit: 0 done; 1 an error, and nothing was changed; 2 see --exit-code; 3 see --strict;
4 applied, but a unit did not come up, or the commit was rolled back, is held, or waits for a pause to end`;

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

/** A run that is told to end records what it leaves before it does: signals are listened to here, and not below. */
function hostMachine(values: HostValues, io: Io): Machine {
  return machineOf(values, { ...io, onSignal: undefined });
}

export function hostTargetOf(values: HostValues, io: Io): HostTarget {
  const machine = hostMachine(values, io);
  const root = text(values, "root");
  const { stateDir, former } = stateDirsOf(values, io);
  return {
    root: root === undefined ? "/" : resolve(io.cwd, root),
    scope: values.user ? "user" : "system",
    layout: layoutOf(values, io),
    // Who only looks finds records where they are; who writes takes them over first.
    stateDir: former !== undefined && liesElsewhere(former, stateDir) ? former : stateDir,
    gate: machine.gate,
    program: io.program,
    now: io.now,
  };
}

const systemStateDir = "/var/lib/stet";

/**
 * The system's own records lie where the system keeps such things, unless told otherwise. `former`: where an older stet
 * kept them.
 */
function stateDirsOf(values: HostValues, io: Io): { readonly stateDir: string; readonly former: string | undefined } {
  const machine = hostMachine(values, io);
  const usual = join(machine.stateDir, "host");
  const isSystem = !values.user && values.root === undefined && machine.gate.userId === 0 && io.platform === "linux";
  const isChosen = Boolean(values["state-dir"] || io.env.STET_STATE_DIR);
  return isSystem && !isChosen
    ? { stateDir: join(systemStateDir, "host"), former: usual }
    : { stateDir: usual, former: undefined };
}

/** For commands that write: brings records to where they belong. */
export async function takeOverState(values: HostValues, io: Io): Promise<void> {
  const { stateDir, former } = stateDirsOf(values, io);
  if (former !== undefined) await takeOver(hostMachine(values, io).gate, former, stateDir);
}

/** For a user, `etc` of a payload is the folder for configuration. */
export function layoutOf(values: HostValues, io: Io): Layout {
  const base = values.user ? userLayout(values, io) : systemLayout;
  return {
    quadletFolder: absolute(text(values, "quadlet-dir"), io) ?? base.quadletFolder,
    unitFolder: absolute(text(values, "unit-dir"), io) ?? base.unitFolder,
    configFolder: base.configFolder,
    home: values.user ? hostMachine(values, io).home : "/root",
  };
}

function userLayout(values: HostValues, io: Io): Layout {
  const config = xdgFolder("CONFIG", hostMachine(values, io));
  return {
    quadletFolder: join(config, "containers/systemd"),
    unitFolder: join(config, "systemd/user"),
    configFolder: config,
  };
}

function absolute(path: string | undefined, io: Io): string | undefined {
  return path === undefined ? undefined : resolve(io.cwd, path);
}

export function repositoryFrom(values: HostValues, io: Io, target: HostTarget): SourceOptions {
  const repo = text(values, "repo") ?? (io.env.STET_REPO || ".");
  return {
    repo: /^[a-z][a-z0-9+.-]*:|^[\w.-]+@[\w.-]+:/i.test(repo) ? repo : resolve(io.cwd, repo),
    rev: text(values, "rev") ?? (io.env.STET_REV || undefined),
    access: {
      sshKey: absolute(text(values, "ssh-key"), io),
      knownHosts: absolute(text(values, "known-hosts"), io),
      tokenFile: absolute(text(values, "token-file"), io),
    },
    trust: {
      allowedSigners: absolute(text(values, "allowed-signers"), io),
      keyring: absolute(text(values, "keyring"), io),
    },
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
  return { ...repositoryFrom(values, io, hostTargetOf(values, io)), allowRewind: true };
}

/** Elsewhere nothing is started unless asked for; here it is, unless asked not to. */
export function activates(values: HostValues): boolean {
  if (values["no-activate"]) return false;
  return values.root === undefined || values.activate === true;
}
