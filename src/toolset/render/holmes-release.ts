/** The HolmesGPT that a text is written for. */
export interface HolmesRelease {
  readonly major: number;
  readonly minor: number;
}

/**
 * `0.31.1`, `v0.31`, or an image's tag with more behind it; undefined where it says no release (`latest`, a hash, a
 * branch).
 */
export function parseRelease(text: string): HolmesRelease | undefined {
  const match = /^v?(\d{1,4})\.(\d{1,4})(?:[.+-]|$)/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

/** The release that the tag of a container image names; undefined where it names none. */
export function releaseOfImage(image: string): HolmesRelease | undefined {
  const name = image.split("@", 1)[0]!;
  const tag = name.slice(name.lastIndexOf("/") + 1).split(":")[1];
  return tag === undefined ? undefined : parseRelease(tag);
}

/** Whether it is known to be older than `0.minor`. An unknown release is taken for a newer one. */
export function isEarlierRelease(release: HolmesRelease | undefined, minor: number): boolean {
  return release !== undefined && release.major === 0 && release.minor < minor;
}

export function releaseText({ major, minor }: HolmesRelease): string {
  return `${major}.${minor}`;
}
