/**
 * The words of a value as systemd and podman split them: at spaces, with quotes around a word or a part of it.
 * Undefined where a quote stays open or an escape is used: those are not ours to read.
 */
export function splitWords(value: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (const character of value) {
    if (character === "\\") return undefined;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
