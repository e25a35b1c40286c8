import { definePair, maxDepth, newSection, openElement, openTable } from "./define.ts";
import { firstLine } from "./lines.ts";
import { bareKind } from "./scalar.ts";
import type { Source } from "./source.ts";
import { decodeString, isControl, scanString } from "./string-literal.ts";
import { TomlSyntaxError } from "./syntax-error.ts";
import {
  ArrayNode,
  type ContainerNode,
  type Flow,
  type Header,
  type KeyPart,
  type LeafNode,
  type Pair,
  ScalarNode,
  TableNode,
} from "./tree.ts";

/**
 * One pass over the text. It reads TOML 1.1 (newlines, comments and a last comma in inline tables; `\e`, `\x`; times without seconds),
 * a superset of 1.0: what is written is always 1.0. Throws `TomlSyntaxError`.
 */
export function scan(text: string): TableNode {
  const source: Source = { text, sections: [], comments: [] };
  const root = new TableNode(source, "root");
  new Scanner(source, root).document();
  return root;
}

class Scanner {
  readonly #source: Source;
  readonly #text: string;
  readonly #root: TableNode;
  #at: number;

  constructor(source: Source, root: TableNode) {
    this.#source = source;
    this.#text = source.text;
    this.#root = root;
    this.#at = firstLine(source.text);
  }

  document(): void {
    let section = newSection(this.#root, undefined);
    for (this.#skipToContent(); this.#at < this.#text.length; this.#skipToContent()) {
      if (this.#peek() === "[") section = this.#header();
      else {
        const pair = this.#pair(section, 1);
        section.pairs.push(pair);
        definePair(section.table, pair);
      }
      this.#endOfLine();
    }
  }

  #header() {
    const start = this.#at;
    const array = this.#text.startsWith("[[", start);
    this.#at += array ? 2 : 1;
    const keys = this.#key();
    if (!this.#text.startsWith(array ? "]]" : "]", this.#at)) this.#fail(`this header needs ${array ? "]]" : "]"} at its end`);
    this.#at += array ? 2 : 1;
    const header: Header = { start, end: this.#at, keys };
    return newSection(array ? openElement(this.#root, header) : openTable(this.#root, header), header);
  }

  #pair(host: Pair["host"], depth: number): Pair {
    const start = this.#at;
    const keys = this.#key();
    if (this.#peek() !== "=") this.#fail("expected a = behind this name");
    this.#at++;
    this.#skipBlanks();
    const value = this.#value(depth + keys.length);
    return { start, end: this.#at, keys, value, host, comma: -1 };
  }

  /** `a . "b".c`, with the blanks behind it. */
  #key(): KeyPart[] {
    const keys: KeyPart[] = [];
    for (;;) {
      this.#skipBlanks();
      keys.push(this.#keyPart());
      this.#skipBlanks();
      if (this.#peek() !== ".") break;
      this.#at++;
    }
    if (keys.length > maxDepth) throw new TomlSyntaxError("this name has too many parts", keys[0]!.start);
    return keys;
  }

  #keyPart(): KeyPart {
    const start = this.#at;
    const first = this.#peek();
    if (first === '"' || first === "'") {
      this.#at = scanString(this.#text, start, "refused");
      return { start, end: this.#at, name: decodeString(this.#text.slice(start, this.#at)) };
    }
    while (isBareKeyCode(this.#text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) this.#fail("expected a name here (one with other characters than A-Z a-z 0-9 _ - needs quotes)");
    return { start, end: this.#at, name: this.#text.slice(start, this.#at) };
  }

  #value(depth: number): LeafNode {
    if (depth > maxDepth) this.#fail("this is nested too deeply");
    const first = this.#peek();
    if (first === "[") return this.#array(depth);
    if (first === "{") return this.#inlineTable(depth);
    const start = this.#at;
    if (first === '"' || first === "'") this.#at = scanString(this.#text, start, "allowed");
    else this.#bare();
    return new ScalarNode(this.#source, start, this.#at);
  }

  #bare(): void {
    const start = this.#at;
    while (isBareValueCode(this.#text.charCodeAt(this.#at))) this.#at++;
    // A date and a time may be held together by a space.
    if (this.#peek() === " " && this.#at - start === 10 && isDigits(this.#text.slice(this.#at + 1, this.#at + 3))) {
      this.#at++;
      while (isBareValueCode(this.#text.charCodeAt(this.#at))) this.#at++;
    }
    const text = this.#text.slice(start, this.#at);
    if (bareKind(text) === undefined) throw new TomlSyntaxError(notAValue(text), start);
  }

  #array(depth: number): ArrayNode {
    const flow: Flow & { end: number } = { kind: "flow", start: this.#at, end: 0, slots: [] };
    const node = new ArrayNode(this.#source, flow);
    this.#between(node, flow, "]", () => {
      const start = this.#at;
      const element = this.#value(depth + 1);
      element.adopt(node, node.elements.length);
      node.elements.push(element);
      return { start, end: this.#at, comma: -1 };
    });
    return node;
  }

  #inlineTable(depth: number): TableNode {
    const flow: Flow & { end: number } = { kind: "flow", start: this.#at, end: 0, slots: [] };
    const node = new TableNode(this.#source, "inline", flow);
    this.#between(node, flow, "}", () => {
      const pair = this.#pair(flow, depth + 1);
      definePair(node, pair);
      return pair;
    });
    return node;
  }

  /** What stands between two brackets: slots with a comma behind each, and maybe behind the last. */
  #between(node: ContainerNode, flow: Flow & { end: number }, close: string, readSlot: () => Flow["slots"][number]): void {
    const firstComment = this.#source.comments.length;
    this.#at++;
    for (this.#skipToContent(); this.#peek() !== close; this.#skipToContent()) {
      this.#needMore(flow.start, close);
      const slot = readSlot();
      flow.slots.push(slot);
      this.#skipToContent();
      this.#needMore(flow.start, close);
      if (this.#peek() === ",") slot.comma = this.#at++;
      else if (this.#peek() !== close) this.#fail(`expected , or ${close} here`);
    }
    this.#at++;
    flow.end = this.#at;
    for (let i = firstComment; i < this.#source.comments.length; i++) this.#source.comments[i]!.within ??= node;
  }

  #needMore(start: number, close: string): void {
    if (this.#at >= this.#text.length) throw new TomlSyntaxError(`this has no ${close} at its end`, start);
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #skipBlanks(): void {
    while (this.#peek() === " " || this.#peek() === "\t") this.#at++;
  }

  /** Over blanks, line breaks and comments. */
  #skipToContent(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x09 || code === 0x0a) this.#at++;
      else if (code === 0x0d && this.#text.charCodeAt(this.#at + 1) === 0x0a) this.#at += 2;
      else if (code === 0x23) this.#comment();
      else return;
    }
  }

  #endOfLine(): void {
    this.#skipBlanks();
    if (this.#peek() === "#") this.#comment();
    if (this.#at >= this.#text.length || this.#peek() === "\n" || this.#text.startsWith("\r\n", this.#at)) return;
    this.#fail("expected the end of the line here");
  }

  #comment(): void {
    const start = this.#at;
    let code = this.#text.charCodeAt(this.#at);
    while (this.#at < this.#text.length && !isControl(code)) code = this.#text.charCodeAt(++this.#at);
    const atEnd = this.#at >= this.#text.length || code === 0x0a || this.#text.startsWith("\r\n", this.#at);
    if (!atEnd) this.#fail("a comment can't hold this control character");
    this.#source.comments.push({ start, end: this.#at, within: undefined });
  }

  #fail(message: string): never {
    throw new TomlSyntaxError(message, this.#at);
  }
}

function notAValue(text: string): string {
  return text === "" ? "expected a value here" : `"${text.slice(0, 40)}" is no TOML value (a string needs quotes)`;
}

function isDigits(text: string): boolean {
  return /^\d\d$/.test(text);
}

function isBareKeyCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d
  );
}

/** Letters, digits and `_ - + . :`. */
function isBareValueCode(code: number): boolean {
  return isBareKeyCode(code) || code === 0x2b || code === 0x2e || code === 0x3a;
}
