import { InputError } from "../../core/diagnostic.ts";
import { expandHome, type Machine } from "../../engine/machine.ts";
import type { Range } from "../../formats/format.ts";
import { decodeText } from "../../readings/text.ts";
import { TextLines } from "../../text/lines.ts";
import { type OwnedPlace, ownersOfFile } from "../places/owned-places.ts";
import { containerMarks } from "./containers.ts";
import { markEntry, type Side } from "./entry.ts";

/** Whose a line is. Several owners may share one; `unmanaged` is what no owner has anything to do with. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** `zylos@1.4.0`, `you`, `you-over-zylos`, `unmanaged`; several joined by a comma. */
  readonly owner: string;
  /** The keys of the entries that stand in it. */
  readonly keys: readonly string[];
  /** An entry in it holds a secret that came from the environment. */
  readonly secret?: true | undefined;
}

export interface Blame {
  readonly format_version: 1;
  readonly file: string;
  readonly lines: readonly BlamedLine[];
}

/** Every line of a file with its owner, from the records alone. */
export async function blame(file: string, machine: Machine): Promise<Blame> {
  const path = expandHome(file, machine.home);
  const bytes = machine.gate.read(path);
  if (bytes === undefined) throw new InputError({ code: "no-file", message: "there is no such file", file: path });
  const text = decodeText(bytes, path);
  const lines = new TextLines(text);
  const found = new FoundLines();
  for (const owned of await ownersOfFile(machine, path)) await blameOn(owned, text, lines, found);
  return {
    format_version: 1,
    file: path,
    lines: Array.from({ length: lines.count }, (_, i) => blamedLine(lines, i, found.get(i))),
  };
}

function blamedLine(lines: TextLines, at: number, found: Found | undefined): BlamedLine {
  const text = lines.slice(at, at + 1).replace(/\r?\n$/, "");
  const hidden = found?.secret ? { secret: true as const } : {};
  return { line: at + 1, text, owner: found ? ownerText(found) : "unmanaged", keys: found ? [...found.keys] : [], ...hidden };
}

interface Found {
  /** By the name an owner goes by: `zylos@1.4.0`. */
  readonly sides: Map<string, { readonly name: string; readonly sides: Set<Side> }>;
  readonly keys: Set<string>;
  /** Who made the container that this line opens or closes; counts where no entry stands in it. */
  fallback: string | undefined;
  secret: boolean;
}

/** Only the lines that some owner has to do with: of a huge file most are nobody's. */
class FoundLines {
  readonly #lines = new Map<number, Found>();

  get(at: number): Found | undefined {
    return this.#lines.get(at);
  }

  at(line: number): Found {
    const known = this.#lines.get(line) ?? { sides: new Map(), keys: new Set(), fallback: undefined, secret: false };
    this.#lines.set(line, known);
    return known;
  }
}

async function blameOn(owned: OwnedPlace, text: string, lines: TextLines, found: FoundLines): Promise<void> {
  const { owner, planned } = owned;
  for (const decision of planned.decisions) {
    const id = `${owner}@${decision.recorded?.updatedIn ?? owned.version}`;
    for (const { range, side } of markEntry(decision, text)) {
      for (const at of linesOf(range, lines)) {
        const line = found.at(at);
        const sides = line.sides.get(id) ?? { name: owner, sides: new Set<Side>() };
        sides.sides.add(side);
        line.sides.set(id, sides);
        line.keys.add(decision.key);
        line.secret ||= decision.recorded?.secret === true;
      }
    }
  }
  for (const { range, since } of await containerMarks(owned, text)) {
    for (const at of linesOf(range, lines)) found.at(at).fallback ??= `${owner}@${since ?? owned.version}`;
  }
}

function ownerText({ sides, fallback }: Found): string {
  const names = new Set<string>();
  for (const [id, { name, sides: all }] of sides) {
    if (all.has("you-over") || (all.has("you") && all.has("owner"))) names.add(`you-over-${name}`);
    else names.add(all.has("you") ? "you" : id);
  }
  // What one owner records as the user's can be what another wrote.
  if (names.size > 1) names.delete("you");
  return names.size === 0 ? (fallback ?? "unmanaged") : [...names].sort().join(", ");
}

/** The lines a range touches, counted from 0. */
function linesOf(range: Range, lines: TextLines): number[] {
  const last = lineAt(lines, Math.max(range.start, range.end - 1));
  const touched: number[] = [];
  for (let at = lineAt(lines, range.start); at <= last && at < lines.count; at++) touched.push(at);
  return touched;
}

function lineAt({ starts, count }: TextLines, offset: number): number {
  let [low, high] = [0, count];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low;
}
