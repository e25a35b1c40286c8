import { resolve } from "node:path";
import { manifestFile } from "../../files/manifest/pack.ts";
import type { Reader } from "../../store/gate/gate.ts";

/** What a fingerprint of `plan` and `apply` is about. Options that only choose how to print are no part of it. */
export interface KeptRequest {
  /** The manifest itself, also where its folder was named. */
  readonly manifest: string;
  readonly home: string;
  readonly stateDir: string;
  /** The folder of the project that a pack is installed in; the state directory is then the project's own. */
  readonly project?: string | undefined;
  /** As `--set` gave them, in order. */
  readonly set: readonly string[];
  /** As `--from-env` named them. */
  readonly fromEnv: readonly string[];
}

/** What `plan` and `apply` say while there is nothing to do, secrets masked. */
export interface KeptAnswer {
  readonly plan: KeptText;
  readonly apply: KeptText;
  /** Undefined where it is too long to be kept. */
  readonly json?: string | undefined;
  /** The exit code of `apply --strict`. */
  readonly strict: number;
}

/** For lines of the usual width. */
export interface KeptText {
  readonly plain: string;
  readonly coloured: string;
}

export function keptRequest(
  reader: Reader,
  argument: string | undefined,
  given: {
    readonly cwd: string;
    readonly home: string;
    readonly stateDir: string;
    readonly project?: string | undefined;
    readonly set: readonly string[] | undefined;
    readonly fromEnv: readonly string[] | undefined;
  },
): KeptRequest {
  const { cwd, home, stateDir, project, set = [], fromEnv = [] } = given;
  return { manifest: manifestFile(reader, resolve(cwd, argument ?? ".")), home, stateDir, project, set, fromEnv };
}

export function sameRequest(a: KeptRequest, b: KeptRequest): boolean {
  const same = (one: readonly string[], other: readonly string[]) => one.join("\0") === other.join("\0");
  return (
    a.manifest === b.manifest &&
    a.home === b.home &&
    a.stateDir === b.stateDir &&
    a.project === b.project &&
    same(a.set, b.set) &&
    same(a.fromEnv, b.fromEnv)
  );
}
