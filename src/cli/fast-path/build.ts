/** Put in by `scripts/bundle.mjs`: a hash of all sources. */
declare const STET_BUILD: string | undefined;

/** What tells this program, and what it runs on, from any other; undefined where it runs from its sources. */
export const build: string | undefined =
  typeof STET_BUILD === "string" ? `${STET_BUILD} ${process.version} ${process.platform} ${process.arch}` : undefined;
