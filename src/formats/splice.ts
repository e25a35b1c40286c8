/** Replace what stands from `start` to `end` (nothing where they are equal) by `text`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type Spliced =
  | { readonly kind: "spliced"; readonly text: string }
  | { readonly kind: "overlap"; readonly offset: number };

/**
 * All splices in one pass. Those that start at one place stay in the order given; two that share a character are
 * refused.
 */
export function splice(text: string, splices: readonly Splice[]): Spliced {
  const ordered = [...splices].sort((a, b) => a.start - b.start || a.end - b.end);
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end, text: replacement } of ordered) {
    if (start < at) return { kind: "overlap", offset: start };
    pieces.push(text.slice(at, start), replacement);
    at = end;
  }
  pieces.push(text.slice(at));
  return { kind: "spliced", text: pieces.join("") };
}
