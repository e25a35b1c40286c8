import { expect } from "vitest";
import { equalValues, isList, isMap, type Value } from "../../src/core/value.ts";
import type { Document, Edit, EditResult, Format, Node, Path } from "../../src/formats/format.ts";
import { verifyEdit } from "../../src/formats/verify/verify.ts";
import type { Sample } from "./conformance.ts";
import { expected } from "./expected.ts";

export function readDocument(format: Format, text: string): Document {
  const result = format.read(text);
  if (result.kind === "malformed")
    throw new Error(`${format.name} can't read at ${result.offset}: ${result.message}\n${text}`);
  return result.document;
}

export function valueAt(root: Node, path: Path): Node {
  const node = path.reduce<Node | undefined>(
    (at, step) => (typeof step === "number" ? at?.items()[step] : at?.get(step)),
    root,
  );
  if (node === undefined) throw new Error(`nothing at ${path.join(".")}`);
  return node;
}

type Edited = Extract<EditResult, { kind: "edited" }>;

function editOrThrow(format: Format, text: string, edits: readonly Edit[]): Edited {
  const result = readDocument(format, text).edit(edits);
  if (result.kind === "refused") throw new Error(`refused: ${result.message}\n${JSON.stringify(edits)}\n${text}`);
  return result;
}

/** What holds for every edit of every document: the meant value, and no byte but those asked for. */
export function checkEdit(format: Format, sample: Sample, edits: readonly Edit[]): void {
  const { text, inners } = editOrThrow(format, sample.text, edits);
  const story =
    edits.length > 20
      ? `${edits.length} edits`
      : `${JSON.stringify(edits)}\n--- before\n${sample.text}\n--- after\n${text}\n---`;
  const meant = expected(sample.value, edits);
  expect(verifyEdit(format, sample.text, edits, text), story).toBeUndefined();
  if (!equalValues(readDocument(format, text).root.value(), meant))
    throw new Error(`holds something else than ${JSON.stringify(meant)}: ${story}`);
  // The blanks inside an empty container may go: they are kept as its inner text and come back with `clear`.
  const outside = (bytes: string) => (inners.size > 0 ? bytes.replaceAll(/\s/g, "") : bytes);
  if (edits.every(({ kind }) => kind === "insert"))
    expect(isWithin(outside(sample.text), outside(text)), `only adds: ${story}`).toBe(true);
  const respelt = sample.inPieces === true && edits.some((edit) => isRespelt(sample.value, edit, edits));
  if (edits.every(({ kind }) => kind === "remove") && !respelt)
    expect(isWithin(withoutSpeltEmptiness(format, text), sample.text), `only takes away: ${story}`).toBe(true);
  checkBytes(format, sample, edits, text, story);
}

function checkBytes(format: Format, sample: Sample, edits: readonly Edit[], text: string, story: string): void {
  const before = sample.text;
  const kinds = new Set(edits.map(({ kind }) => kind));
  const respelt = sample.inPieces === true && edits.some((edit) => isRespelt(sample.value, edit, edits));
  if (edits.length === 1 && edits[0]?.kind === "set" && !respelt) {
    const { ranges } = valueAt(readDocument(format, before).root, edits[0].at);
    // Where values are lines, blanks around them go with them, and what a map gets comes below its last line.
    const lines = sample.inPieces === true;
    const above = before.slice(0, ranges[0]?.start).replace(lines ? /\s*$/ : "", "");
    const behind = before.slice(ranges.at(-1)?.end).replace(lines ? /^[^\r\n]*/ : "", "");
    expect(text.startsWith(above), `nothing before the value moves: ${story}`).toBe(true);
    expect(text.endsWith(behind), `nothing behind the value moves: ${story}`).toBe(true);
  }
  for (const comment of commentsOutside(format, sample, edits))
    expect(text.includes(comment), `keeps “${comment}”: ${story}`).toBe(true);
  expect(text.startsWith("\ufeff"), "BOM").toBe(before.startsWith("\ufeff"));
  if (before.includes("\r\n")) expect(/(?<!\r)\n/.test(text), `only CRLF: ${story}`).toBe(false);
  else expect(text.includes("\r"), `no CRLF: ${story}`).toBe(false);
  if (before.trim() !== "" && kinds.has("insert"))
    expect(text.endsWith("\n"), `final newline as it was: ${story}`).toBe(before.endsWith("\n"));
}

/** Whether an edit changes the kind of a value, or leaves its container empty. */
function isRespelt(value: Value, edit: Edit, edits: readonly Edit[]): boolean {
  if (edit.kind === "set") return kindOf(plainAt(value, edit.at)) !== kindOf(edit.value);
  if (edit.kind !== "remove") return false;
  const around = String(edit.at.slice(0, -1));
  const siblings = edits.filter((other) => other.kind === "remove" && String(other.at.slice(0, -1)) === around);
  return siblings.length === Object.keys(plainAt(value, edit.at.slice(0, -1)) as object).length;
}

function kindOf(value: Value | undefined): string {
  if (isMap(value)) return "map";
  if (!isList(value)) return "scalar";
  return value.length > 0 && value.every(isMap) ? "list of maps" : "list";
}

function plainAt(value: Value, path: Path): Value | undefined {
  return path.reduce<Value | undefined>(
    (at, step) => (at as Record<string | number, Value> | undefined)?.[step],
    value,
  );
}

/** The comments that must survive: those that stand in no value that is set and no entry that is removed. */
function commentsOutside(format: Format, { text, comments }: Sample, edits: readonly Edit[]): string[] {
  const { root } = readDocument(format, text);
  const gone = edits.flatMap((edit) => {
    if (edit.kind === "insert") return [];
    const node = valueAt(root, edit.at);
    return edit.kind === "remove" ? node.entryRanges : node.ranges;
  });
  return comments.filter((comment) => {
    const at = text.indexOf(comment);
    expect(at, `“${comment}” stands in the sample`).toBeGreaterThanOrEqual(0);
    return !gone.some(({ start, end }) => start <= at && at < end);
  });
}

/**
 * A block of YAML has no brackets to be left with: once its last entry is gone, `{}` or `[]` must be written or it
 * would be null.
 */
function withoutSpeltEmptiness(format: Format, text: string): string {
  return format.name === "yaml" ? text.replaceAll(/ ?(?:\{\}|\[\])/g, "") : text;
}

/** Whether a text can be made from another by taking characters away. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (let i = 0; i < whole.length && at < part.length; i++) if (whole[i] === part[at]) at++;
  return at === part.length;
}

/** Insertions taken out again give the bytes back, also when the user changed something else in between. */
export function checkUndo(format: Format, sample: Sample, edits: readonly Edit[]): void {
  const result = editOrThrow(format, sample.text, edits);
  const undone = editOrThrow(format, result.text, undoing(format, sample.text, edits, result));
  expect(undone.text, `back to the bytes from\n${result.text}`).toBe(sample.text);
  if (sample.elsewhere === undefined) return;
  const [from, to] = sample.elsewhere;
  expect(sample.text.split(from), "the user's change stands once").toHaveLength(2);
  const changed = result.text.replace(from, () => to);
  const back = editOrThrow(format, changed, undoing(format, sample.text, edits, result));
  expect(back.text, `back to the bytes and the user's change from\n${changed}`).toBe(
    sample.text.replace(from, () => to),
  );
}

/**
 * The edits that take insertions out: `clear` where a container was empty before them, as the registry would know it.
 */
export function undoing(format: Format, before: string, edits: readonly Edit[], { traces, inners }: Edited): Edit[] {
  const cleared = new Map<string, Edit>();
  const removed: Edit[] = [];
  const { root } = readDocument(format, before);
  edits.forEach((edit, i) => {
    if (edit.kind !== "insert") throw new Error("only insertions can be undone");
    const into = movedBy(edits, edit.into);
    const inner = inners.get(i);
    if (inner !== undefined) cleared.set(JSON.stringify(into), { kind: "clear", at: into, inner });
    else if (edit.name !== undefined) removed.push({ kind: "remove", at: [...into, edit.name], trace: traces.get(i) });
    else
      removed.push({
        kind: "remove",
        at: [...into, positionAfter(valueAt(root, edit.into), edits, i)],
        trace: traces.get(i),
      });
  });
  const isCleared = (edit: Edit) => edit.kind === "remove" && cleared.has(JSON.stringify(edit.at.slice(0, -1)));
  return [...removed.filter((edit) => !isCleared(edit)), ...cleared.values()];
}

/** Where a path leads once insertions before it in lists are made. */
function movedBy(edits: readonly Edit[], path: Path): Path {
  return path.map((step, depth) => {
    if (typeof step === "string") return step;
    const around = JSON.stringify(path.slice(0, depth));
    const before = edits.filter(
      (edit) =>
        edit.kind === "insert" &&
        JSON.stringify(edit.into) === around &&
        edit.place !== "end" &&
        stands(edit.place, step),
    );
    return step + before.length;
  });
}

function stands(place: { after: string | number } | { before: string | number }, step: number): boolean {
  return "after" in place ? Number(place.after) < step : Number(place.before) <= step;
}

/** Where in its list the i-th edit's item stands once all edits are made. */
function positionAfter(list: Node, edits: readonly Edit[], i: number): number {
  const marker: readonly number[] = [i];
  const marks = edits.map((edit, n) => (edit.kind === "insert" ? { ...edit, into: [], value: [n] } : edit));
  const outcome = expected(
    list.items().map(() => null),
    marks.filter((edit, n) => sameContainer(edit, edits[i]!, edits[n]!)),
  );
  return (outcome as unknown[]).findIndex((item) => Array.isArray(item) && item[0] === marker[0]);
}

function sameContainer(mark: Edit, target: Edit, original: Edit): boolean {
  return (
    mark.kind === "insert" &&
    target.kind === "insert" &&
    original.kind === "insert" &&
    JSON.stringify(original.into) === JSON.stringify(target.into)
  );
}
