import { isList, isMap, mapOf, type Value } from "../../src/core/value.ts";
import type { Edit, InsertEdit, Path } from "../../src/formats/format.ts";

/** What a document's value must be after edits: written for reading, without looking at the code that is tested. */
export function expected(value: Value, edits: readonly Edit[]): Value {
  const result = below(
    value,
    edits.map((edit) => ({ edit, path: edit.kind === "insert" ? edit.into : edit.at })),
  );
  if (result === undefined) throw new Error("the root can't be removed");
  return result;
}

interface Pending {
  readonly edit: Edit;
  readonly path: Path;
}

/** The value after the edits whose paths start here; undefined when it is removed. */
function below(value: Value, pending: readonly Pending[]): Value | undefined {
  const inserts: InsertEdit[] = [];
  const deeper = new Map<string | number, Pending[]>();
  for (const { edit, path } of pending) {
    const [step, ...rest] = path;
    if (step !== undefined) deeper.set(step, [...(deeper.get(step) ?? []), { edit, path: rest }]);
    else if (edit.kind === "set") return edit.value;
    else if (edit.kind === "remove") return undefined;
    else if (edit.kind === "clear") return isMap(value) ? {} : [];
    else inserts.push(edit);
  }
  if (isMap(value)) return mapAfter(value, inserts, deeper);
  if (isList(value)) return listAfter(value, inserts, deeper);
  return value;
}

function mapAfter(
  value: Value & object,
  inserts: readonly InsertEdit[],
  deeper: ReadonlyMap<string | number, Pending[]>,
): Value {
  const pairs: [string, Value][] = [];
  for (const [name, child] of Object.entries(value)) {
    const after = below(child, deeper.get(name) ?? []);
    if (after !== undefined) pairs.push([name, after]);
  }
  for (const insert of inserts) pairs.push([insert.name ?? "", insert.value]);
  return mapOf(pairs);
}

function listAfter(
  value: readonly Value[],
  inserts: readonly InsertEdit[],
  deeper: ReadonlyMap<string | number, Pending[]>,
): Value {
  const at = (place: InsertEdit["place"]) =>
    inserts.filter((insert) => JSON.stringify(insert.place) === JSON.stringify(place)).map((insert) => insert.value);
  const items = value.flatMap((item, i) => {
    const after = below(item, deeper.get(i) ?? []);
    return [...at({ before: i }), ...(after === undefined ? [] : [after]), ...at({ after: i })];
  });
  return [...items, ...at("end")];
}
