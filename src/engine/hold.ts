import type { Registry } from "../core/records.ts";
import { isOlder } from "../core/version.ts";

type Held = Pick<Registry, "held" | "also_held">;

/** Versions that were rolled back from, the newest first: none of them is applied again by itself. */
export function heldVersions({ held, also_held: more = [] }: Held): readonly string[] {
  return held === undefined ? [] : [held, ...more];
}

export interface Holding {
  /** The version that counts from now on. It is wanted, so it is not held. */
  readonly version: string;
  /** A version to hold from now on. */
  readonly hold?: string | undefined;
  readonly unhold?: boolean | undefined;
}

/** What is held once a version is in place: a newer one lifts everything. */
export function heldAfter(registry: Held | undefined, { version, hold, unhold }: Holding): Held {
  const before = registry === undefined || unhold ? [] : heldVersions(registry);
  const lifted = hold === undefined && before.every((each) => isOlder(each, version));
  const all = new Set([...(hold === undefined ? [] : [hold]), ...(lifted ? [] : before)]);
  if (hold !== version) all.delete(version);
  const [held, ...more] = [...all].sort((a, b) => (isOlder(a, b) ? 1 : isOlder(b, a) ? -1 : 0));
  return { held, also_held: more.length > 0 ? more : undefined };
}
