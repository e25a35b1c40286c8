/** The first of so many positions that has been reached, by halving. Once one has been, all behind it have. */
export function firstReached(count: number, isReached: (position: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
