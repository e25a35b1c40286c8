import { pushAll } from "../core/lists.ts";
import { canonicalText, equalValues, isList, isMap, type Value, type ValueMap } from "../core/value.ts";
import type { Document, Edit, Format, InsertPlace, Path } from "../formats/format.ts";
import { editVerified } from "../formats/verify/verify.ts";
import { diffNumbers } from "../text/diff-lines.ts";
import { lineBreakAt } from "../text/lines.ts";

export function readText(text: string, format: Format): Document | undefined {
  const result = format.read(text);
  return result.kind === "malformed" ? undefined : result.document;
}

/** A result that nobody edited is one that the second reader understands as well. */
export function isReadByBoth(text: string, format: Format): boolean {
  try {
    format.readIndependently(text);
    return true;
  } catch {
    return false;
  }
}

interface Editing {
  /** What may be done to the text. */
  readonly kinds?: readonly Edit["kind"][];
  /** Whose spelling is followed, where a format has more than values to follow. */
  readonly from?: readonly Document[];
}

/** A text that holds just the value, by the fewest edits of another; undefined where it can't be had from that one. */
export function edited(
  text: string,
  value: Value,
  format: Format,
  { kinds = ["set", "insert", "remove"], from = [] }: Editing = {},
): string | undefined {
  const document = readText(text, format);
  // A merge of lines may write a name twice that a side moved, or that both added: read, it is there once.
  if (document === undefined || format.repeats(text)) return undefined;
  const edits = documentEdits([], document.root.value(), value);
  if (edits.length === 0) return isReadByBoth(text, format) ? text : undefined;
  if (edits.some(({ kind }) => !kinds.includes(kind))) return undefined;
  if (edits.some((edit) => edit.kind === "set" && edit.at.length === 0)) return undefined;
  const result = editVerified(
    format,
    document,
    edits.map((edit) => asWritten(edit, from)),
  );
  if (result.kind !== "edited") return undefined;
  // A text of one line shows no line break to follow: what is added to it keeps that of the text it comes from.
  if (text.includes("\n") || from.every((each) => lineBreakAt(each.text) === "\n")) return result.text;
  const broken = result.text.replaceAll("\n", "\r\n");
  return equalValues(readText(broken, format)?.root.value(), value) && isReadByBoth(broken, format)
    ? broken
    : result.text;
}

/** An entry of the root as the first document spells it that has this value. */
function asWritten(edit: Edit, from: readonly Document[]): Edit {
  if (edit.kind !== "set" && edit.kind !== "insert") return edit;
  const [name, ...deeper] = edit.kind === "set" ? edit.at : [...edit.into, edit.name];
  if (typeof name !== "string" || deeper.length > 0) return edit;
  const source = from.find((each) => each.written(name) && equalValues(each.root.get(name)?.value(), edit.value));
  return source === undefined ? edit : { ...edit, written: source.written(name) };
}

/** The smallest edits that give what stands at `path` another value: names and items that stay keep their bytes. */
function documentEdits(path: Path, before: Value, after: Value): Edit[] {
  if (equalValues(before, after)) return [];
  if (isMap(before) && isMap(after)) return mapEdits(path, before, after);
  if (isList(before) && isList(after)) return listEdits(path, before, after);
  return [{ kind: "set", at: path, value: after }];
}

function mapEdits(path: Path, before: ValueMap, after: ValueMap): Edit[] {
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const edits: Edit[] = gone.map((name) => ({ kind: "remove", at: [...path, name] }));
  const names = Object.keys(after);
  const first = names.find((name) => Object.hasOwn(before, name));
  let previous: string | undefined;
  for (const name of names) {
    if (Object.hasOwn(before, name)) {
      pushAll(edits, documentEdits([...path, name], before[name]!, after[name]!));
      previous = name;
    } else {
      const place: InsertPlace =
        previous !== undefined ? { after: previous } : first !== undefined ? { before: first } : "end";
      edits.push({ kind: "insert", into: path, name, value: after[name]!, place });
    }
  }
  return edits;
}

function listEdits(path: Path, before: readonly Value[], after: readonly Value[]): Edit[] {
  const numbers = new Map<string, number>();
  const numbered = (list: readonly Value[]) =>
    Int32Array.from(list, (item) => {
      const text = canonicalText(item);
      return numbers.get(text) ?? numbers.set(text, numbers.size).size - 1;
    });
  const edits: Edit[] = [];
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffNumbers(numbered(before), numbered(after))) {
    const replaced = Math.min(beforeEnd - beforeStart, afterEnd - afterStart);
    for (let i = 0; i < replaced; i++)
      pushAll(edits, documentEdits([...path, beforeStart + i], before[beforeStart + i]!, after[afterStart + i]!));
    for (let i = beforeStart + replaced; i < beforeEnd; i++) edits.push({ kind: "remove", at: [...path, i] });
    const anchor = beforeStart + replaced;
    const place: InsertPlace = anchor > 0 ? { after: anchor - 1 } : before.length > 0 ? { before: 0 } : "end";
    for (let i = afterStart + replaced; i < afterEnd; i++)
      edits.push({ kind: "insert", into: path, name: undefined, value: after[i]!, place });
  }
  return edits;
}
