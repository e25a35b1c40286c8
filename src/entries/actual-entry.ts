import type { Value } from "../core/value.ts";
import type { Node, Path } from "../formats/format.ts";
import type { GroupStep } from "../identity/rules/identified.ts";
import type { FileActual } from "./file-entry.ts";

/** What makes spellings equal that do not matter. */
export interface Normaliser {
  normalise(type: string, value: Value): Value;
}

/** An entry in a file. Values are read when asked for: of most entries only the key matters. */
export class ActualEntry implements FileActual {
  readonly key: string;
  readonly match: string;
  readonly pair: string | undefined;
  readonly type: string;
  readonly path: Path;
  readonly steps: readonly GroupStep[];
  readonly node: Node;
  readonly joining = "fields";
  readonly #reading: Normaliser;
  #value: Value | undefined;
  #normal: Value | undefined;

  constructor(
    keys: Pick<FileActual, "key" | "match" | "pair" | "type">,
    at: Pick<FileActual, "path" | "steps" | "node">,
    reading: Normaliser,
  ) {
    this.key = keys.key;
    this.match = keys.match;
    this.pair = keys.pair;
    this.type = keys.type;
    this.path = at.path;
    this.steps = at.steps;
    this.node = at.node;
    this.#reading = reading;
  }

  get value(): Value {
    this.#value ??= this.node.value();
    return this.#value;
  }

  get normal(): Value {
    this.#normal ??= this.#reading.normalise(this.type, this.value);
    return this.#normal;
  }

  get comments(): ReturnType<Node["comments"]> {
    return this.node.comments();
  }

  get locked(): string | undefined {
    return this.node.locked();
  }

  get fixed(): string | undefined {
    return this.node.fixed();
  }
}
