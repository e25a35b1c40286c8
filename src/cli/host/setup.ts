import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { findGenerator, podman } from "../../host/effects/podman.ts";
import { systemctl } from "../../host/effects/systemd.ts";
import { setOwners } from "../../host/effects/tmpfiles.ts";
import type { Reconciling } from "../../host/reconcile.ts";
import { verifyUnits } from "../../host/units/verify-units.ts";
import { parseDuration } from "../shell/duration.ts";
import type { Io } from "../shell/io.ts";
import { activates, type HostValues, hostIdentity, sourceOf, targetOf } from "./options.ts";

const settleMs = 2000;
const pullTimeoutMs = 30 * 60_000;

export interface RunOptions {
  /** Ends the run early. */
  readonly interrupt?: AbortSignal | undefined;
  /** Start units at once that failed before: a person who calls wants to see it. */
  readonly retryNow?: boolean | undefined;
}

/** Everything a run needs, from the command line and the outside. */
export function reconcilingOf(
  values: HostValues,
  io: Io,
  { interrupt, retryNow = true }: RunOptions = {},
): Reconciling {
  const target = targetOf(values, io);
  const activate = activates(values);
  const waitMs = parseDuration("wait", typeof values.wait === "string" ? values.wait : "60s");
  const env = target.scope === "user" ? userEnv(io) : io.env;
  const generator = findGenerator(target.scope, env);
  return {
    host: hostIdentity(values, io),
    source: sourceOf(values, io, target),
    target,
    effects: {
      manager: activate
        ? systemctl({ scope: target.scope, env, timeoutMs: waitMs + 5 * 60_000, interrupt })
        : undefined,
      podman: podman({ env, timeoutMs: pullTimeoutMs, interrupt }),
      // systemd-analyze knows this machine's programs and units, not those of another root.
      verify: (plan) => verifyUnits(plan, target, { generator, analyze: activate && target.root === "/", env }),
      setOwners: (plan) => setOwners(plan, target, io.env),
      interrupt,
      lingers: target.scope === "user" && activate ? lingers() : undefined,
      waiting: { waitMs, settleMs: Math.min(settleMs, waitMs) },
    },
    options: {
      keepDrift: values["keep-drift"] === true,
      activate,
      retryNow,
      recreate: values.recreate === true,
      hostChanged: values["host-changed"] === true,
    },
    unhold: values.unhold === true,
    rollbackOnFailure: values["rollback-on-failure"] === true,
    strict: values.strict === true,
  };
}

/** A user's systemd is found by its sockets; from cron, sudo or a unit of the system nobody has said where they are. */
function userEnv(io: Io): Io["env"] {
  const usual = `/run/user/${process.getuid?.()}`;
  return io.env.XDG_RUNTIME_DIR || !existsSync(usual) ? io.env : { ...io.env, XDG_RUNTIME_DIR: usual };
}

/**
 * Whether this user's units go on when nobody is logged in: systemd-logind keeps a file for each user for whom they do.
 */
function lingers(): boolean {
  return existsSync(`/var/lib/systemd/linger/${userInfo().username}`);
}
