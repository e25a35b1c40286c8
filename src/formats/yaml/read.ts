import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isScalar,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLParseError,
} from "yaml";
import { Fault, unquoted } from "../fault.ts";
import type { Malformed } from "../format.ts";
import { maxDepth, readersDiffer, tooLong, tooMany } from "../limits.ts";
import { firstLine } from "../lines.ts";

/** What stands between two marks of a YAML stream, with the tokens it was made of. */
export interface Syntax {
  readonly text: string;
  /** Undefined where the document holds nothing: no content, no anchor, no tag. */
  readonly content: ParsedNode | undefined;
  /** Where the content may begin: behind a byte order mark, `---`, and the content's own anchor and tag. */
  readonly headEnd: number;
  /** Where the content must have ended: at `...`, or the end of the text. */
  readonly bodyEnd: number;
}

/**
 * The `failsafe` schema leaves every scalar a string: `scalar.ts` decides types. The library compares each key with
 * each to find doubles, minutes for a long map, so `tree.ts` does that.
 */
const options = {
  keepSourceTokens: true,
  prettyErrors: false,
  uniqueKeys: false,
  schema: "failsafe",
  resolveKnownTags: false,
} as const;

/** Why a text is refused before anything is made of it. */
export function refusedText(text: string): Malformed | undefined {
  return tooLong(text, "YAML") ?? tooMany(text, "yaml") ?? doubtful(text);
}

/** Throws a `Fault`. */
export function parseSyntax(text: string): Syntax {
  const refused = refusedText(text);
  if (refused !== undefined) throw new Fault(refused.message, refused.offset);
  const tokens: CST.Token[] = [];
  const deep = tokenise(text, tokens) ?? tooDeep(tokens);
  if (deep !== undefined) {
    const limit = `maps and lists are nested more than ${maxDepth} levels deep`;
    throw new Fault(`${limit}, which is refused; flatten the file, or edit it by hand`, deep);
  }
  const composer = new Composer({ ...options, logLevel: "silent" });
  const documents = [...composer.compose(tokens, false, text.length)] as Document.Parsed[];
  for (const { errors } of documents) {
    const error = errors.find((each) => !isFalseAlarm(each, text));
    if (error !== undefined) throw new Fault(`not valid YAML: ${unquoted(error.message)}`, error.pos[0]);
  }
  const [start, second] = tokens.filter((token): token is CST.Document => token.type === "document");
  if (second !== undefined) {
    const several = "the file holds several YAML documents (a second one begins here)";
    throw new Fault(`${several}; stet edits files with one, so split it`, second.offset);
  }
  const content = documents[0]?.contents ?? undefined;
  if (isIndentedMarker(content, start)) throw new Fault(readersDiffer("--- with blanks before it"), content!.range[0]);
  const head = start?.start.findLast(({ type }) => type === "doc-start" || type === "anchor" || type === "tag");
  return {
    text,
    content: content === undefined || isNothing(content) ? undefined : content,
    headEnd: head === undefined ? firstLine(text) : head.offset + head.source.length,
    bodyEnd: tokens.find((token) => token.type === "doc-end")?.offset ?? text.length,
  };
}

/** In a flow map the library does not count a line break as the blank before a comment that begins at the margin. */
function isFalseAlarm({ code, message, pos: [at] }: YAMLParseError, text: string): boolean {
  return (
    code === "MISSING_CHAR" &&
    message.startsWith("Comments must be separated") &&
    text[at] === "#" &&
    text[at - 1] === "\n"
  );
}

/** A plain text by the rules, which some readers take for a document mark. */
function isIndentedMarker(content: ParsedNode | undefined, start: CST.Document | undefined): boolean {
  if (!isScalar(content) || content.type !== "PLAIN" || !content.source?.startsWith("---")) return false;
  return start?.start.every((token) => token.type !== "doc-start") === true;
}

function isNothing(content: ParsedNode): boolean {
  if (isAlias(content) || isCollection(content) || content.anchor !== undefined || content.tag !== undefined)
    return false;
  return isScalar(content) && content.type === "PLAIN" && content.source === "";
}

/** What readers of YAML are known to take for different values. */
const doubts = [
  [/\r(?!\n)/, "a carriage return without a line feed"],
  [/(?:\n[ \t]*|^\ufeff[ \t]*|^[ \t]+)\ufeff/, "a byte order mark that is not at the start"],
] as const;

function doubtful(text: string): Malformed | undefined {
  for (const [pattern, what] of doubts) {
    const at = text.search(pattern);
    if (at !== -1) return { kind: "malformed", message: readersDiffer(what), offset: at };
  }
  return undefined;
}

/**
 * Cuts a text into tokens, and stops where they are certainly too deep (`tooDeep` looks closer): the library takes time
 * in the square of the depth.
 */
function tokenise(text: string, tokens: CST.Token[]): number | undefined {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > 2 * maxDepth + 10) return parser.offset;
  }
  tokens.push(...parser.end());
  return undefined;
}

/** Where the nesting passes the limit. Checked before composing, which recurses; this does not. */
function tooDeep(tokens: readonly CST.Token[]): number | undefined {
  const waiting: { token: CST.Token; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (depth > maxDepth) return token.offset;
    if (token.type === "document" && token.value !== undefined) waiting.push({ token: token.value, depth });
    if (token.type !== "block-map" && token.type !== "block-seq" && token.type !== "flow-collection") continue;
    for (const { key, value } of token.items) {
      if (isNested(key)) waiting.push({ token: key, depth: depth + 1 });
      if (isNested(value)) waiting.push({ token: value, depth: depth + 1 });
    }
  }
  return undefined;
}

function isNested(token: CST.Token | null | undefined): token is CST.Token {
  return token?.type === "block-map" || token?.type === "block-seq" || token?.type === "flow-collection";
}
