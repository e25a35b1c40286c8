/** Whether version `a` is older than `b`: numbers by size, a pre-release before its release. Versions we can't read are never older. */
export function isOlder(a: string, b: string): boolean {
  const [x, y] = [parse(a), parse(b)];
  if (x === undefined || y === undefined) return false;
  for (let i = 0; i < Math.max(x.numbers.length, y.numbers.length); i++) {
    const difference = (x.numbers[i] ?? 0) - (y.numbers[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  if (x.suffix === y.suffix) return false;
  if (x.suffix === "" || y.suffix === "") return y.suffix === "";
  return x.suffix < y.suffix;
}

function parse(version: string): { numbers: number[]; suffix: string } | undefined {
  const match = /^v?(\d+(?:\.\d+)*)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?$/.exec(version);
  return match ? { numbers: match[1]!.split(".").map(Number), suffix: match[2] ?? "" } : undefined;
}
