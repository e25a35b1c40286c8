import { isList, isMap, type Value } from "../core/value.ts";
import type { Node } from "./format.ts";

/** A value that stands in no text (a template after substitution, data given by a program), seen as nodes. */
export function nodeOf(value: Value): Node {
  return new PlainNode(value);
}

/** A class, since there is one for each entry of a template. */
class PlainNode implements Node {
  readonly kind: Node["kind"];
  readonly #value: Value;

  constructor(value: Value) {
    this.kind = isMap(value) ? "map" : isList(value) ? "list" : "scalar";
    this.#value = value;
  }

  get ranges(): [] {
    return [];
  }

  get entryRanges(): [] {
    return [];
  }

  value(): Value {
    return this.#value;
  }

  get(name: string): Node | undefined {
    const value = this.#value;
    return isMap(value) && Object.hasOwn(value, name) ? nodeOf(value[name]!) : undefined;
  }

  names(): readonly string[] {
    return isMap(this.#value) ? Object.keys(this.#value) : [];
  }

  items(): readonly Node[] {
    return isList(this.#value) ? this.#value.map(nodeOf) : [];
  }

  comments(): [] {
    return [];
  }

  locked(): undefined {
    return undefined;
  }

  fixed(): undefined {
    return undefined;
  }
}
