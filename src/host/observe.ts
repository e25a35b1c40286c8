import type { Value } from "../core/value.ts";
import { observe as observePlace, type Seen } from "../store/content.ts";
import type { Reader } from "../store/gate.ts";
import type { Content } from "./evaluation.ts";
import { contentHash, contentMode } from "./evaluation-document.ts";
import { realPlace } from "./target.ts";

/** What stands on the host at one of our paths. */
export interface Observed {
  readonly path: string;
  readonly real: string;
  readonly seen: Seen | { readonly kind: "other" };
  /** As it is compared; undefined where nothing stands. */
  readonly value: Value | undefined;
}

export function observe(reader: Reader, root: string, path: string): Observed {
  const real = realPlace(reader, root, path);
  const seen = observePlace(reader, real);
  return { path, real, seen, value: seenValue(reader, real, seen) };
}

function seenValue(reader: Reader, real: string, seen: Observed["seen"]): Value | undefined {
  if (seen.kind === "absent") return undefined;
  if (seen.kind === "link") return { link: seen.target };
  if (seen.kind === "other") return { other: reader.stat(real)?.kind ?? "other" };
  return { sha256: seen.sha256, mode: (reader.stat(real)?.mode ?? 0).toString(8).padStart(4, "0") };
}

/** The same for what shall stand there. */
export function contentValue(content: Content): Value {
  return content.kind === "symlink" ? { link: content.target } : { sha256: contentHash(content), mode: contentMode(content) };
}
