/**
 * The order of the UTF-8 bytes, which is what systemd, podman and Git sort names by. JavaScript's own order differs
 * beyond U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rank(x) < rank(y) ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}

/** Halves of what is beyond U+FFFF come last. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
