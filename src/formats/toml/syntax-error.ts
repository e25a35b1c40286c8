/**
 * Thrown while scanning and caught in `read`: a malformed text is a result, not an exception, to everybody outside this
 * folder.
 */
export class TomlSyntaxError extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = "TomlSyntaxError";
    this.offset = offset;
  }
}
