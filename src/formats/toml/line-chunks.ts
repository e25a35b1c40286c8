import type { Range, Trace } from "../format.ts";
import { offsetAbove, offsetBelow } from "./line-removal.ts";
import { firstLine, isBlankLine, lineStart } from "./lines.ts";
import { compareRanks, type Rank, type Splices } from "./splices.ts";
import type { TableNode } from "./tree.ts";

/** Whole lines that come at one place: pairs of a section, or sections. */
export interface Chunk {
  readonly at: number;
  readonly rank: Rank;
  readonly lines: string[];
  readonly kind: "pairs" | "sections";
  /** A blank line to either side, where something else stands there. */
  readonly spaced: boolean;
  /**
   * A header (at the top: a gap) made only for these pairs; or the trace of such a one, where pairs come to stand below
   * it later.
   */
  readonly ownHeader: boolean | Trace;
  /** The positions of the edits it is for. */
  readonly edits: number[];
}

export class LineChunks {
  readonly #text: string;
  readonly #eol: string;
  readonly #chunks: Chunk[] = [];
  readonly #headers = new Map<TableNode, Chunk>();

  constructor(text: string, eol: string) {
    this.#text = text;
    this.#eol = eol;
  }

  add(chunk: Chunk): void {
    this.#chunks.push(chunk);
  }

  /** The new place for pairs of a table that had none, made when first asked for. */
  header(table: TableNode, make: () => Chunk): Chunk {
    let chunk = this.#headers.get(table);
    if (chunk === undefined) {
      chunk = make();
      this.#headers.set(table, chunk);
      this.add(chunk);
    }
    return chunk;
  }

  /**
   * Writes all, given the parts that go, and says for each edit what came along with it. Each chunk that is set off
   * brings one blank line, wherever there is something to set it off from: above it or, behind a gap, below it.
   */
  write(gone: readonly Range[], splices: Splices): Map<number, Trace> {
    const traces = new Map<number, Trace>();
    const ordered = this.#belowRoot().sort((a, b) => a.at - b.at || compareRanks(a.rank, b.rank));
    let gapsAbove = false;
    for (const [i, chunk] of ordered.entries()) {
      const previous = touching(ordered[i - 1], chunk, gone) ? ordered[i - 1] : undefined;
      const next = touching(chunk, ordered[i + 1], gone) ? ordered[i + 1] : undefined;
      if (previous?.spaced !== true) gapsAbove = previous !== undefined || this.#contentAbove(chunk.at, gone);
      const before = chunk.spaced && gapsAbove ? 1 : 0;
      const after =
        chunk.spaced && (next === undefined ? this.#contentBelow(chunk.at, gone) : next.spaced && !gapsAbove) ? 1 : 0;
      splices.insert(chunk.at, this.#render(chunk, previous, { before, after }, gone), chunk.rank);
      for (const edit of chunk.edits) traces.set(edit, traceOf(chunk, before + after));
    }
    return traces;
  }

  /** Pairs of the root that come below the comment which opens the file: sections that come above it follow them. */
  #belowRoot(): Chunk[] {
    const root = [...this.#headers].find(([table]) => table.style === "root")?.[1];
    if (root === undefined) return this.#chunks;
    return this.#chunks.map((chunk) => (chunk.at < root.at ? { ...chunk, at: root.at } : chunk));
  }

  #render(
    chunk: Chunk,
    previous: Chunk | undefined,
    blank: { before: 0 | 1; after: 0 | 1 },
    gone: readonly Range[],
  ): string {
    const lines = [...Array<string>(blank.before).fill(""), ...chunk.lines, ...Array<string>(blank.after).fill("")];
    const text = lines.join(this.#eol);
    if (!this.#unterminated(chunk.at, gone)) return text + this.#eol;
    // The last line has no line break: it gets one, and the new last line none.
    const first = previous === undefined && offsetAbove(gone, chunk.at) === firstLine(this.#text);
    return first ? text : this.#eol + text;
  }

  #unterminated(at: number, gone: readonly Range[]): boolean {
    return (
      offsetBelow(gone, at) === this.#text.length &&
      this.#text.length > firstLine(this.#text) &&
      !this.#text.endsWith("\n")
    );
  }

  #contentAbove(offset: number, gone: readonly Range[]): boolean {
    const at = offsetAbove(gone, offset);
    if (at === firstLine(this.#text)) return false;
    // At the start of a line the one above counts, else (behind an unterminated line) this one.
    return !isBlankLine(this.#text, lineStart(this.#text, at === lineStart(this.#text, at) ? at - 1 : at));
  }

  #contentBelow(offset: number, gone: readonly Range[]): boolean {
    const at = offsetBelow(gone, offset);
    return at < this.#text.length && !isBlankLine(this.#text, at);
  }
}

function traceOf({ ownHeader }: Chunk, blanks: number): Trace {
  if (typeof ownHeader === "object") return ownHeader;
  return ownHeader ? { blanks, header: 1 } : { blanks };
}

/** Whether nothing that stays is between two chunks. */
function touching(a: Chunk | undefined, b: Chunk | undefined, gone: readonly Range[]): boolean {
  return a !== undefined && b !== undefined && offsetBelow(gone, a.at) >= b.at;
}
