import parse from "semver/functions/parse.js";

/**
 * Whether version `a` is older than `b`, in the order of Semantic Versioning: numbers by size, a pre-release before its
 * release, build metadata ignored. A version may have fewer or more than three numbers. Versions that can't be read are
 * never older.
 */
export function isOlder(a: string, b: string): boolean {
  if (a === b) return false;
  const [x, y] = [partsOf(a), partsOf(b)];
  if (x === undefined || y === undefined) return false;
  const zero = parse("0.0.0")!;
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const order = (x[i] ?? zero).compare(y[i] ?? zero);
    if (order !== 0) return order < 0;
  }
  return false;
}

type Part = NonNullable<ReturnType<typeof parse>>;

/** A version as ones of three numbers each, so that `1.4` and `1.4.2.17` can be compared too. */
function partsOf(version: string): Part[] | undefined {
  const match = /^v?(\d+(?:\.\d+)*)(.*)$/s.exec(version);
  if (match === null) return undefined;
  // A date may be a version, and its numbers may begin with a zero.
  const [numbers, suffix] = [match[1]!.split(".").map((number) => number.replace(/^0+(?=\d)/, "")), match[2]!];
  const parts: Part[] = [];
  for (let i = 0; i < numbers.length; i += 3) {
    const three = [numbers[i], numbers[i + 1] ?? "0", numbers[i + 2] ?? "0"].join(".");
    const part = parse(i + 3 < numbers.length ? three : three + suffix);
    if (part === null) return undefined;
    parts.push(part);
  }
  return parts;
}
