import { getOrMake } from "../../core/lists.ts";
import { lineBreakAt } from "../../text/lines.ts";
import type { Trace } from "../format.ts";
import { lineStart, nextLine, restIsBlank, skipBlanks } from "../lines.ts";
import { Splices } from "../splice.ts";
import { FlowEdit } from "./flow.ts";
import { blanksOf, LineChunks, type LineRemoval, widenRemovals } from "./line-changes.ts";
import { sectionRuns } from "./pieces.ts";
import type { ContainerNode, Flow, Pair, Source, TableNode, TomlNode, TomlSection } from "./tree.ts";

/** All edits of one call, gathered before a byte moves: what one of them leaves behind depends on the others. */
export class TomlDraft {
  readonly source: Source;
  readonly eol: "\n" | "\r\n";
  readonly splices = new Splices();
  readonly chunks: LineChunks;
  readonly removedNodes = new Set<TomlNode>();
  /** Containers that get something new. */
  readonly grown = new Set<ContainerNode>();
  /** Sections that get new lines. */
  readonly extended = new Set<TomlSection>();
  /** By position of the edit. */
  readonly traces = new Map<number, Trace>();
  readonly inners = new Map<number, string>();
  readonly #flows = new Map<Flow, FlowEdit>();
  readonly #removals: LineRemoval[] = [];
  readonly #removedPairs = new Map<TomlSection, Map<Pair, Trace | undefined>>();
  /** Sections with a header (at the top, a gap) that we wrote for pairs that go now, and its trace. */
  readonly #ownHeaders = new Map<TomlSection, Trace>();
  /** Lists of traces that were searched already. */
  readonly #withoutHeader = new Set<readonly Trace[]>();

  constructor(root: TableNode) {
    this.source = root.source;
    this.eol = lineBreakAt(root.source.text);
    this.chunks = new LineChunks(root.source.text, this.eol);
  }

  flow(flow: Flow): FlowEdit {
    return getOrMake(this.#flows, flow, () => new FlowEdit(flow, this.source.text, this.eol, this.splices));
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
  removeSections(sections: readonly TomlSection[], trace: Trace | undefined): void {
    const { text } = this.source;
    for (const [i, run] of sectionRuns(this.source, sections).entries()) {
      // They came as one, so the trace is about one of them.
      const blanks = i === 0 ? blanksOf(trace) : undefined;
      this.#removals.push({ start: lineStart(text, run.start), end: nextLine(text, run.end), blanks });
    }
  }

  /** The trace of a header that we wrote only for pairs of ours, as pairs that go or stay have it. */
  ownHeader(section: TomlSection, standing: readonly Trace[]): Trace | undefined {
    const known = this.#ownHeaders.get(section);
    if (known !== undefined || this.#withoutHeader.has(standing)) return known;
    const found = standing.find((trace) => trace.header === 1);
    if (found === undefined) this.#withoutHeader.add(standing);
    return found;
  }

  write(): string {
    const { text } = this.source;
    for (const [section, pairs] of this.#removedPairs) this.#removeLines(section, pairs);
    const gone = widenRemovals(text, this.#removals);
    for (const { start, end } of gone) this.splices.delete(start, end);
    for (const [edit, trace] of this.chunks.write(gone, this.splices)) this.traces.set(edit, trace);
    for (const flow of this.#flows.values()) flow.write();
    return this.splices.applyTo(text);
  }

  #removeLines(section: TomlSection, pairs: ReadonlyMap<Pair, Trace | undefined>): void {
    const own = this.#ownHeaders.get(section);
    const goesWhole = own !== undefined && pairs.size === section.pairs.length && !this.extended.has(section);
    if (goesWhole && section.header !== undefined && this.#livesWithoutHeader(section)) {
      this.removeSections([section], own);
      return;
    }
    // The gap goes with the last of the pairs it was made for: here, with any one of them.
    let gap = goesWhole && section.header === undefined ? blanksOf(own) : 0;
    for (const [pair, trace] of pairs) {
      this.#removeLine(pair, trace?.header === 1 ? gap : blanksOf(trace));
      if (trace?.header === 1) gap = 0;
    }
  }

  #removeLine(pair: Pair, blanks: number | undefined): void {
    const { text } = this.source;
    // A comment behind the pair stays, on a line of its own.
    if (!restIsBlank(text, pair.end)) this.splices.delete(pair.start, skipBlanks(text, pair.end));
    else this.#removals.push({ start: lineStart(text, pair.start), end: nextLine(text, pair.end), blanks });
  }

  /** A header that we wrote only for pairs goes with the last of them, if the table lives on without it. */
  #livesWithoutHeader(section: TomlSection): boolean {
    const { table } = section;
    const stays = (child: TomlNode) => child.pair?.host !== section && !this.removedNodes.has(child);
    const livesOn = this.grown.has(table) || [...table.children.values()].some(stays);
    const { start, end } = sectionRuns(this.source, [section])[0]!;
    return livesOn && !section.comments.some((comment) => start <= comment.start && comment.start < end);
  }
}
