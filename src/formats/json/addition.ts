import type { Value } from "../../core/value.ts";
import { skipBlanks } from "../lines.ts";
import type { JsonNode } from "./node.ts";
import { endOfComment, isBreak } from "./tokens.ts";

export interface Addition {
  readonly name: string | undefined;
  readonly value: Value;
  /**
   * Where several meet between two members: those behind the one come first, then those before the other, then those
   * for the end.
   */
  readonly order: 0 | 1 | 2;
}

export interface InsertContext {
  readonly container: JsonNode;
  /** The author ends this container in a comma: so does what we add at its end. */
  readonly endsInComma: boolean;
  /** The slot whose group will stand last, if one will. */
  readonly lastSlot: number | undefined;
}

interface LineEnd {
  /** What comes behind the comments on the line: its end, the container's end, or another entry. */
  readonly kind: "break" | "close" | "entry";
  /** Behind the comments and, where the line ends, behind its blanks. */
  readonly at: number;
  readonly commentEnd: number;
  /** Whether a `//` comment forbids going on in this line. */
  readonly forced: boolean;
}

export function endOfLine(container: JsonNode, from: number): LineEnd {
  const { text } = container.scan;
  let commentEnd = from;
  for (let at = skipBlanks(text, from); ; at = skipBlanks(text, commentEnd)) {
    if (isBreak(text, at)) return { kind: "break", at, commentEnd, forced: false };
    if (at === container.end - 1) return { kind: "close", at: commentEnd, commentEnd, forced: false };
    if (text[at] !== "/") return { kind: "entry", at: from, commentEnd, forced: false };
    commentEnd = endOfComment(text, at);
    if (text[at + 1] === "/") return { kind: "break", at: commentEnd, commentEnd, forced: true };
  }
}
