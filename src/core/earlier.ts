import { withFieldsOf } from "./decide.ts";
import type { Actual, Recorded } from "./entry.ts";
import { type Policy, rulingsFor } from "./policy.ts";
import { equalValues } from "./value.ts";

/** What an earlier release shipped for one place, from before there were records. */
export interface Release<R extends Recorded> {
  /**
   * What the manifest's own test says: whether it was installed here. Undefined where there is no test, and its entries
   * tell.
   */
  readonly installed: boolean | undefined;
  readonly entries: readonly R[];
  /** Of its entries, those that only this owner would write. */
  readonly own: ReadonlySet<R>;
}

/**
 * The records that an install without records would have, had it kept any. A release is recognised by the manifest's
 * test, or by an entry of its own that stands there as shipped; otherwise its values mean nothing, since anybody may
 * have written them.
 *
 * Of the recognised releases, what stands there as one of them shipped it counts as recorded. What the release that
 * fits best shipped and is missing counts as recorded too: the user deleted it, or changed its key.
 */
export function earlierRecords<R extends Recorded>(
  releases: readonly Release<R>[],
  actual: readonly Actual[],
  policies: readonly Policy[],
): R[] {
  const there = new Map<string, Actual[]>();
  for (const entry of actual) there.set(entry.match, [...(there.get(entry.match) ?? []), entry]);
  const stands = (entry: R) => {
    const { ignore: ignored } = rulingsFor(entry.key, policies);
    // An installer leaves modes to the umask: a file is known by its bytes.
    const ignore = entry.joining === "file" || entry.joining === "whole-file" ? [...ignored, "mode"] : ignored;
    return (there.get(entry.match) ?? []).some(({ normal }) =>
      equalValues(normal, withFieldsOf(entry.normal, normal, ignore)),
    );
  };
  const recognised = releases.filter(({ installed, own }) => installed ?? [...own].some(stands));
  const best = bestFit(recognised, stands, (entry) => !there.has(entry.match));
  if (best === undefined) return [];
  const records = new Map<string, R>();
  for (const { entries } of [best, ...recognised]) {
    for (const entry of entries) if (!records.has(entry.match) && stands(entry)) records.set(entry.match, entry);
  }
  for (const entry of best.entries) if (!there.has(entry.match)) records.set(entry.match, entry);
  return [...records.values()];
}

/** The release of which most stands, then the one of which least is missing; of several, the last. */
function bestFit<R extends Recorded>(
  releases: readonly Release<R>[],
  stands: (entry: R) => boolean,
  isMissing: (entry: R) => boolean,
): Release<R> | undefined {
  const fits = releases.map((release) => ({
    release,
    standing: release.entries.filter(stands).length,
    missing: release.entries.filter(isMissing).length,
  }));
  fits.sort((a, b) => a.standing - b.standing || b.missing - a.missing);
  return fits.at(-1)?.release;
}
