import type { Trace } from "../format.ts";
import { FlowEdit } from "./flow-edit.ts";
import { LineChunks } from "./line-chunks.ts";
import { type LineRemoval, widenRemovals } from "./line-removal.ts";
import { lineBreakOf, lineStart, nextLine, restIsBlank, skipBlanks } from "./lines.ts";
import { sectionRuns } from "./pieces.ts";
import type { Source } from "./source.ts";
import { Splices } from "./splices.ts";
import type { ContainerNode, Flow, Pair, Section, TableNode, TomlNode } from "./tree.ts";

/** All edits of one call, gathered before a byte moves: what one of them leaves behind depends on the others. */
export class Draft {
  readonly source: Source;
  readonly eol: "\n" | "\r\n";
  readonly splices = new Splices();
  readonly chunks: LineChunks;
  readonly removedNodes = new Set<TomlNode>();
  /** Containers that get something new. */
  readonly grown = new Set<ContainerNode>();
  /** By position of the edit. */
  readonly traces = new Map<number, Trace>();
  readonly inners = new Map<number, string>();
  readonly #flows = new Map<Flow, FlowEdit>();
  readonly #removals: LineRemoval[] = [];
  readonly #removedPairs = new Map<Section, Map<Pair, Trace | undefined>>();
  /** Sections whose header we wrote for pairs that go now, with the trace that says so. */
  readonly #ownHeaders = new Map<Section, Trace>();

  constructor(root: TableNode) {
    this.source = root.source;
    this.eol = lineBreakOf(root.source.text);
    this.chunks = new LineChunks(root.source.text, this.eol);
  }

  flow(flow: Flow): FlowEdit {
    let edit = this.#flows.get(flow);
    if (edit === undefined) {
      edit = new FlowEdit(flow);
      this.#flows.set(flow, edit);
    }
    return edit;
  }

  /** A line of a section, or a slot between braces. */
  removePair(pair: Pair, trace: Trace | undefined): void {
    if (pair.host.kind === "flow") {
      this.flow(pair.host).remove(pair, trace);
      return;
    }
    const pairs = this.#removedPairs.get(pair.host) ?? new Map<Pair, Trace | undefined>();
    this.#removedPairs.set(pair.host, pairs.set(pair, trace));
    if (trace?.header === 1) this.#ownHeaders.set(pair.host, trace);
  }

  /** Whole sections of one entry; those that follow each other go as one, with what stands between them. */
  removeSections(sections: readonly Section[], trace: Trace | undefined): void {
    const { text } = this.source;
    for (const run of sectionRuns(this.source, sections)) {
      this.#removals.push({ start: lineStart(text, run.start), end: nextLine(text, run.end), trace });
    }
  }

  hasOwnHeader(section: Section): boolean {
    return this.#ownHeaders.has(section);
  }

  write(): string {
    const { text } = this.source;
    for (const [section, pairs] of this.#removedPairs) this.#removeLines(section, pairs);
    const gone = widenRemovals(text, this.#removals);
    for (const { start, end } of gone) this.splices.delete(start, end);
    for (const [edit, trace] of this.chunks.write(gone, this.splices)) this.traces.set(edit, trace);
    for (const flow of this.#flows.values()) flow.write(text, this.eol, this.splices);
    return this.splices.applyTo(text);
  }

  #removeLines(section: Section, pairs: ReadonlyMap<Pair, Trace | undefined>): void {
    const { text } = this.source;
    if (this.#ownHeaderGoes(section, pairs.size)) {
      this.removeSections([section], this.#ownHeaders.get(section));
      return;
    }
    for (const [pair, trace] of pairs) {
      // A comment behind the pair stays, on a line of its own.
      if (!restIsBlank(text, pair.end)) this.splices.delete(pair.start, skipBlanks(text, pair.end));
      else this.#removals.push({ start: lineStart(text, pair.start), end: nextLine(text, pair.end), trace: ofLine(trace) });
    }
  }

  /** We wrote the header only to have a place for these pairs: it goes with the last of them, if the table lives on without it. */
  #ownHeaderGoes(section: Section, removed: number): boolean {
    if (!this.#ownHeaders.has(section) || removed < section.pairs.length || this.grown.has(section.table)) return false;
    const livesOn = [...section.table.children.values()].some((child) => child.pair?.host !== section && !this.removedNodes.has(child));
    const { start, end } = sectionRuns(this.source, [section])[0]!;
    return livesOn && !this.source.comments.some((comment) => start <= comment.start && comment.start < end);
  }
}

/** The blank line below a new header is the header's, not its pairs'. */
function ofLine(trace: Trace | undefined): Trace | undefined {
  return trace === undefined ? undefined : { before: trace.header === 1 ? 0 : (trace.before ?? 0), after: 0 };
}
