// Not by its name: webpack would take a createRequire that it recognises for one that it can answer itself.
import Module from "node:module";

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
  loaded ??= load();
  return loaded;
}

/**
 * A program that bundles us may have moved us elsewhere, and its bundler may have written down where we were then, or
 * left no such name at all: so the package is looked for from here, from the program's own file, and beside an
 * executable.
 */
function load(): Native {
  let failure: unknown;
  for (const place of [() => import.meta.url, () => __filename, () => process.argv[1]!, () => process.execPath]) {
    try {
      return Module.createRequire(place())("fs-native-extensions");
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}
