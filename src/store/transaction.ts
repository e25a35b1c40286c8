/** What planning saw at a place, or what is to stand there. Files by the sha256 of their bytes, in hexadecimal. */
export type Seen =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly sha256: string }
  | { readonly kind: "link"; readonly target: string };

export type After =
  | { readonly kind: "absent" }
  | {
      readonly kind: "file";
      readonly bytes: Uint8Array;
      /** `created`: for a new file, less the umask; one that exists keeps its own. `exact`: this, whatever was there. */
      readonly mode: { readonly created: number } | { readonly exact: number };
    }
  | { readonly kind: "link"; readonly target: string };

export interface Change {
  /** As the user says it; for messages and the history. */
  readonly path: string;
  /** Where it really is: `placeOf`. */
  readonly real: string;
  readonly before: Seen;
  readonly after: After;
  /** The member of the registry's `files` that records this file. It stays as it was if the file has to be left alone. */
  readonly section: string | undefined;
  /** Folders to take away afterwards if nothing is left in them, innermost first. */
  readonly removeFolders: readonly string[];
}

export interface Transaction {
  readonly stateDir: string;
  /** The owner: its registry and generations are in this folder of the state directory. */
  readonly name: string;
  /** When, ISO 8601: the clock is the caller's. */
  readonly time: string;
  readonly changes: readonly Change[];
  readonly registry: {
    readonly path: string;
    /** The text that planning saw; undefined: there was none. */
    readonly before: string | undefined;
    /** undefined: delete it. */
    readonly after: string | undefined;
  };
  /** What the history says about it. Needed wherever files change; undefined for changes of records that nobody wants to roll back. */
  readonly generation: { readonly version: string; readonly from: string | undefined; readonly note: string } | undefined;
}

export type CommitResult =
  /** `left`: files (as the user says them) that changed at the last moment and were left alone; plan again for them. */
  | { readonly kind: "committed"; readonly generation: number | undefined; readonly left: readonly string[] }
  /** There was nothing to do, and nothing was written. */
  | { readonly kind: "unchanged" }
  /** These are not what the plan saw (as the user says them): nothing was written, plan again. */
  | { readonly kind: "stale"; readonly paths: readonly string[] };
