const ascii = /^[\0-\x7f]*$/;

/**
 * The order of the UTF-8 bytes, which is what systemd, podman and Git sort names by. JavaScript's own order differs
 * beyond U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (ascii.test(a) && ascii.test(b)) return a < b ? -1 : 1;
  return Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
