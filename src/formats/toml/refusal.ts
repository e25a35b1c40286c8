/** Thrown while edits are planned and caught in `edit`, which returns it as `refused`. */
export class Refusal extends Error {
  readonly offset: number;
  constructor(message: string, offset: number) {
    super(message);
    this.name = "Refusal";
    this.offset = offset;
  }
}
