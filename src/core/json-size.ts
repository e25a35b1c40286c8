const quote = 0x22;
const backslash = 0x5c;

/**
 * Whether a JSON text has more values than this, by its brackets and commas and without building any of them: `{},` ten
 * million times is a short text, and takes all the memory there is. Comments count as text, so they may add to it. A
 * text so short that it can't have as many is not looked at.
 */
export function hasMoreValues(text: string, limit: number): boolean {
  // A value and what parts it from the next take two characters.
  if (text.length / 2 <= limit) return false;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfString(text, at);
    else if (isOpening(sign) || sign === 0x2c) values++;
    if (values > limit) return true;
  }
  return false;
}

/** `{` and `[`. */
function isOpening(sign: number): boolean {
  return sign === 0x7b || sign === 0x5b;
}

/** Of its closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
