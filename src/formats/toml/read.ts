import { Fault } from "../fault.ts";
import type { Range } from "../format.ts";
import { firstLine, skipBlanks } from "../lines.ts";
import { endOfPlainLines, isBareKeyCode } from "./plain-lines.ts";
import { bareKind, decodeString, isControl, scanString } from "./scalar.ts";
import {
  ArrayNode,
  type ContainerNode,
  definePair,
  type Flow,
  type Header,
  type KeyPart,
  type LeafNode,
  maxTableDepth,
  openElement,
  openTable,
  type Pair,
  ScalarNode,
  type Source,
  TableNode,
  TomlSection,
} from "./tree.ts";

const comma = 0x2c;
const dot = 0x2e;
const equals = 0x3d;
const openList = 0x5b;
const closeList = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** One pass over the text. Reads TOML 1.1, a superset of the 1.0 that is written. Throws `Fault`. */
export function scan(text: string): TableNode {
  const source: Source = { text, sections: [], readLines: (section, lines) => scanner.lines(section, lines) };
  const root = new TableNode(source, "root");
  const scanner = new Scanner(source, root);
  scanner.document();
  return root;
}

class Scanner {
  readonly #source: Source;
  /** With a character behind the end: looking beyond a string is several times as slow. */
  readonly #text: string;
  readonly #end: number;
  readonly #root: TableNode;
  #section: TomlSection;
  #at: number;

  constructor(source: Source, root: TableNode) {
    this.#source = source;
    this.#text = `${source.text}\0`;
    this.#end = source.text.length;
    this.#root = root;
    this.#section = new TomlSection(root, undefined);
    this.#at = firstLine(source.text);
  }

  document(): void {
    this.#lines(this.#end);
    while (this.#at < this.#end) {
      this.#header();
      this.#endOfLine();
      const start = this.#at;
      const plainEnd = this.#section.table.isNew ? endOfPlainLines(this.#text, start) : undefined;
      if (plainEnd === undefined) this.#lines(this.#end);
      else {
        this.#section.unread = { start, end: plainEnd };
        this.#at = plainEnd;
      }
    }
  }

  /** Reads the lines of a section that was passed over, maybe while a later header that leads through it is read. */
  lines(section: TomlSection, { start, end }: Range): void {
    const [before, at] = [this.#section, this.#at];
    this.#section = section;
    this.#at = start;
    this.#lines(end);
    this.#section = before;
    this.#at = at;
  }

  /** Pairs, up to the next header or the end. */
  #lines(end: number): void {
    for (this.#skipToContent(); this.#at < end && this.#code() !== openList; this.#skipToContent()) {
      const pair = this.#pair(this.#section, 1);
      this.#section.pairs.push(pair);
      definePair(this.#section.table, pair);
      this.#endOfLine();
    }
  }

  #header(): void {
    const start = this.#at;
    const array = this.#text.charCodeAt(start + 1) === openList;
    this.#at += array ? 2 : 1;
    const keys = this.#key();
    const closed = this.#code() === closeList && (!array || this.#text.charCodeAt(this.#at + 1) === closeList);
    if (!closed) this.#fail(`this header needs ${array ? "]]" : "]"} at its end`);
    this.#at += array ? 2 : 1;
    const header: Header = { start, end: this.#at, keys };
    this.#section = new TomlSection(array ? openElement(this.#root, header) : openTable(this.#root, header), header);
  }

  #pair(host: Pair["host"], depth: number): Pair {
    const start = this.#at;
    const keys = this.#key();
    if (this.#code() !== equals) this.#fail("expected a = after this name");
    this.#at++;
    this.#skipBlanks();
    const value = this.#value(depth + keys.length);
    return { start, end: this.#at, keys, value, host, comma: -1 };
  }

  /** `a . "b".c`, with the blanks behind it. */
  #key(): KeyPart[] {
    // Most names have one part: a list that starts with it takes a tenth of the memory of one that grows.
    const keys = [this.#keyPart()];
    while (this.#code() === dot) {
      this.#at++;
      keys.push(this.#keyPart());
    }
    if (keys.length > maxTableDepth) throw new Fault("this name has too many parts", keys[0]!.start);
    return keys;
  }

  /** One part, and the blanks around it. */
  #keyPart(): KeyPart {
    this.#skipBlanks();
    const text = this.#text;
    const start = this.#at;
    const first = text.charCodeAt(start);
    let end = start;
    if (isQuote(first)) end = scanString(text, start, "refused");
    else while (isBareKeyCode(text.charCodeAt(end))) end++;
    if (end === start) this.#fail("expected a name here (one with other characters than A-Z a-z 0-9 _ - needs quotes)");
    this.#at = end;
    this.#skipBlanks();
    const written = text.slice(start, end);
    return { start, end, name: isQuote(first) ? decodeString(written) : written };
  }

  #value(depth: number): LeafNode {
    if (depth > maxTableDepth) this.#fail("this is nested too deeply");
    const first = this.#code();
    if (first === openList) return this.#array(depth);
    if (first === openBrace) return this.#inlineTable(depth);
    const start = this.#at;
    if (isQuote(first)) this.#at = scanString(this.#text, start, "allowed");
    else this.#bare();
    return new ScalarNode(this.#source, start, this.#at);
  }

  #bare(): void {
    const start = this.#at;
    while (isBareValueCode(this.#text.charCodeAt(this.#at))) this.#at++;
    // A date and a time may be held together by a space.
    if (
      this.#code() === 0x20 &&
      this.#at - start === 10 &&
      /^\d\d$/.test(this.#text.slice(this.#at + 1, this.#at + 3))
    ) {
      this.#at++;
      while (isBareValueCode(this.#text.charCodeAt(this.#at))) this.#at++;
    }
    const text = this.#text.slice(start, this.#at);
    if (bareKind(text) !== undefined) return;
    // Not repeated: it may be a password that somebody forgot to quote.
    throw new Fault(text === "" ? "expected a value here" : "this is no TOML value (a string needs quotes)", start);
  }

  #array(depth: number): ArrayNode {
    const flow: Flow & { end: number } = { kind: "flow", start: this.#at, end: 0, slots: [] };
    const node = new ArrayNode(this.#source, flow);
    this.#between(node, flow, closeList, () => {
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
    this.#between(node, flow, closeBrace, () => {
      const pair = this.#pair(flow, depth + 1);
      definePair(node, pair);
      return pair;
    });
    return node;
  }

  /** What stands between two brackets: slots with a comma behind each, and maybe behind the last. */
  #between(
    node: ContainerNode,
    flow: Flow & { end: number },
    close: number,
    readSlot: () => Flow["slots"][number],
  ): void {
    const { comments } = this.#section;
    const firstComment = comments.length;
    this.#at++;
    for (this.#skipToContent(); this.#code() !== close; this.#skipToContent()) {
      this.#needMore(flow.start, close);
      const slot = readSlot();
      flow.slots.push(slot);
      this.#skipToContent();
      this.#needMore(flow.start, close);
      if (this.#code() === comma) slot.comma = this.#at++;
      else if (this.#code() !== close) this.#fail(`expected , or ${String.fromCharCode(close)} here`);
    }
    this.#at++;
    flow.end = this.#at;
    for (let i = firstComment; i < comments.length; i++) comments[i]!.within ??= node;
  }

  #needMore(start: number, close: number): void {
    if (this.#at >= this.#end) throw new Fault(`this has no ${String.fromCharCode(close)} at its end`, start);
  }

  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  #skipBlanks(): void {
    this.#at = skipBlanks(this.#text, this.#at);
  }

  /** Over blanks, line breaks and comments. */
  #skipToContent(): void {
    for (;;) {
      const code = this.#code();
      if (code === 0x20 || code === 0x09 || code === 0x0a) this.#at++;
      else if (code === 0x0d && this.#text.charCodeAt(this.#at + 1) === 0x0a) this.#at += 2;
      else if (code === 0x23) this.#comment();
      else return;
    }
  }

  #endOfLine(): void {
    this.#skipBlanks();
    if (this.#code() === 0x23) this.#comment();
    if (!this.#isAtLineEnd()) this.#fail("expected the end of the line here");
  }

  #comment(): void {
    const start = this.#at;
    let at = start;
    // What stands behind the end is a control character.
    while (!isControl(this.#text.charCodeAt(at))) at++;
    this.#at = at;
    if (!this.#isAtLineEnd()) this.#fail("a comment can't hold this control character");
    this.#section.comments.push({ start, end: at, within: undefined });
  }

  #isAtLineEnd(): boolean {
    const code = this.#code();
    return this.#at >= this.#end || code === 0x0a || (code === 0x0d && this.#text.charCodeAt(this.#at + 1) === 0x0a);
  }

  #fail(message: string): never {
    throw new Fault(message, this.#at);
  }
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}

/** Letters, digits and `_ - + . :`. */
function isBareValueCode(code: number): boolean {
  return isBareKeyCode(code) || code === 0x2b || code === 0x2e || code === 0x3a;
}
