import type { ContainerNode, Section } from "./tree.ts";

/** A text as it was scanned: its sections and comments, in the order they stand. */
export interface Source {
  readonly text: string;
  readonly sections: Section[];
  readonly comments: Comment[];
}

export interface Comment {
  readonly start: number;
  readonly end: number;
  /** The array or inline table it stands in; undefined for one between or behind lines. */
  within: ContainerNode | undefined;
}
