import { createRequire } from "node:module";

/**
 * The part of fs-native-extensions we use. Node itself has neither locks nor extended attributes, and can't exchange
 * two files.
 */
interface Native {
  tryLock(fd: number, offset: number, length: number): boolean;
  swapSync(from: string, to: string): void;
  listAttrsSync(fd: number): readonly string[];
  getAttrSync(fd: number, name: string): Buffer | null;
  setAttrSync(fd: number, name: string, value: Buffer): void;
  removeAttrSync(fd: number, name: string): void;
}

let loaded: Native | undefined;

/** Loaded when first needed: a command that writes nothing does not pay for it. */
export function native(): Native {
  loaded ??= createRequire(import.meta.url)("fs-native-extensions") as Native;
  return loaded;
}
