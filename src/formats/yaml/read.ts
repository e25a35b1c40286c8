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
import { unquoted } from "../fault.ts";
import type { Malformed } from "../format.ts";
import { maxDepth, readersDiffer, tooLong, tooMany } from "../limits.ts";

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

export type SyntaxResult = { readonly kind: "parsed"; readonly syntax: Syntax } | Malformed;

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

export function parseSyntax(text: string): SyntaxResult {
  const refused = refusedText(text);
  if (refused !== undefined) return refused;
  const tokens: CST.Token[] = [];
  const deep = tokenise(text, tokens) ?? tooDeep(tokens);
  if (deep !== undefined)
    return malformed(
      `collections are nested more than ${maxDepth} deep, which is refused; flatten the file, or edit it by hand`,
      deep,
    );
  const documents = [
    ...new Composer({ ...options, logLevel: "silent" }).compose(tokens, false, text.length),
  ] as Document.Parsed[];
  for (const { errors } of documents) {
    const error = errors.find((each) => !isFalseAlarm(each, text));
    if (error !== undefined) return malformed(`not valid YAML: ${unquoted(error.message)}`, error.pos[0]);
  }
  const starts = tokens.filter((token): token is CST.Document => token.type === "document");
  if (starts[1] !== undefined)
    return malformed(
      "the file holds several YAML documents (a second one begins here); stet edits files with one, so split it",
      starts[1].offset,
    );
  const content = documents[0]?.contents ?? undefined;
  if (isIndentedMarker(content, starts[0]))
    return malformed(readersDiffer("--- with blanks before it"), content!.range[0]);
  return { kind: "parsed", syntax: syntaxOf(text, tokens, starts[0], content) };
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

/** By the rules a plain text like any other; some readers take it for the mark that it looks like. */
function isIndentedMarker(content: ParsedNode | undefined, start: CST.Document | undefined): boolean {
  if (!isScalar(content) || content.type !== "PLAIN" || !content.source?.startsWith("---")) return false;
  return start?.start.every((token) => token.type !== "doc-start") === true;
}

function syntaxOf(
  text: string,
  tokens: readonly CST.Token[],
  start: CST.Document | undefined,
  content: ParsedNode | undefined,
): Syntax {
  const bom = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const head = start?.start.findLast(
    (token) => token.type === "doc-start" || token.type === "anchor" || token.type === "tag",
  );
  const end = tokens.find((token) => token.type === "doc-end");
  return {
    text,
    content: content === undefined || isNothing(content) ? undefined : content,
    headEnd: head === undefined ? bom : head.offset + head.source.length,
    bodyEnd: end === undefined ? text.length : end.offset,
  };
}

function isNothing(content: ParsedNode): boolean {
  if (isAlias(content) || isCollection(content) || content.anchor !== undefined || content.tag !== undefined)
    return false;
  return isScalar(content) && content.type === "PLAIN" && content.source === "";
}

/** Where readers of YAML are known to take one text for different values, nobody can say what it means. */
const doubts = [
  [/\r(?!\n)/, "a carriage return without a line feed"],
  [/(?:\n[ \t]*|^\ufeff[ \t]*|^[ \t]+)\ufeff/, "a byte order mark that is not at the start"],
] as const;

function doubtful(text: string): Malformed | undefined {
  for (const [pattern, what] of doubts) {
    const at = text.search(pattern);
    if (at !== -1) return malformed(readersDiffer(what), at);
  }
  return undefined;
}

function malformed(message: string, offset: number): Malformed {
  return { kind: "malformed", message, offset };
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
