/** Collections inside collections, before a file is refused. Both readers recurse. */
export const maxDepth = 100;

/** Values that a file may hold once its aliases are followed: more is taken for an alias bomb and refused. */
export const maxExpandedValues = 1_000_000;

/** A key that does not begin with `?` must end within 1024 characters of its line. */
export const maxKeyLength = 1000;

/** Why a text is refused that two readers are known to take for different values. */
export function readersDiffer(what: string): string {
  return `${what} means different things to different readers of YAML; take it out`;
}
