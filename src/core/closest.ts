/**
 * The candidate that `word` was probably meant to be, for "did you mean"; undefined where none is near enough to be
 * worth naming.
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const limit = word.length <= 3 ? 1 : word.length <= 7 ? 2 : 3;
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean X?)`, or nothing: to be put behind what was not found. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const found = closest(word, candidates);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}

/**
 * How many letters have to be added, dropped, changed or swapped with their neighbour. Stops counting at `limit`: a
 * long list of long keys must not cost more than a glance.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(changed, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, beforeLast[j - 2]! + 1);
    }
    if (Math.min(...row) >= limit) return limit;
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
