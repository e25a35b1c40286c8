import { isAscii } from "node:buffer";
import { InputError } from "../core/diagnostic.ts";
import { firstReached } from "../core/search.ts";

/**
 * The text of a file, its byte-order mark kept: bytes that are no UTF-8 would come back changed, so they are refused.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  // Most files are, and then there is nothing to decode: several times as quick.
  if (isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { line, column } = firstBadByte(bytes);
    throw new InputError({
      code: "not-utf8",
      message: "this is not UTF-8 text; convert it, or take it out of the manifest",
      file,
      line,
      column,
    });
  }
}

/**
 * Found by halving: everything before the first bad byte decodes (streaming, so that a character cut in two is fine).
 */
function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const decodes = (length: number) => {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  const good = firstReached(bytes.length, (length) => !decodes(length)) - 1;
  const lines = new TextDecoder("utf-8").decode(bytes.subarray(0, good)).split("\n");
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}
