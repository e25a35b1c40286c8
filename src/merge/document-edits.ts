import { pushAll } from "../core/push-all.ts";
import { canonicalText, equalValues, isList, isMap, type Value, type ValueMap } from "../core/value.ts";
import type { Edit, Path, Place } from "../formats/format.ts";
import { diffNumbers } from "../text/diff-lines.ts";

/**
 * The smallest edits that turn what a document holds at `path` into another value: names and items that stay keep their
 * bytes.
 */
export function documentEdits(path: Path, before: Value, after: Value): Edit[] {
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
      const place: Place =
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
    const place: Place = anchor > 0 ? { after: anchor - 1 } : before.length > 0 ? { before: 0 } : "end";
    for (let i = afterStart + replaced; i < afterEnd; i++)
      edits.push({ kind: "insert", into: path, name: undefined, value: after[i]!, place });
  }
  return edits;
}
