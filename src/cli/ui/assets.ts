/** The page as the build makes it: what the browser loads, and nothing from elsewhere. */
export interface Assets {
  readonly html: string;
  readonly script: string;
  readonly style: string;
}

/** Put in by `scripts/bundle.mjs`, as JSON. */
declare const STET_UI: string | undefined;

/** Undefined where the program runs from its sources. */
export const assets: Assets | undefined = typeof STET_UI === "undefined" ? undefined : JSON.parse(STET_UI);
