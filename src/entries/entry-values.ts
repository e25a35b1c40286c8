import { pushAll } from "../core/push-all.ts";
import { equalValues, isMap, type Value } from "../core/value.ts";
import type { Edit, Path, Place } from "../formats/format.ts";

/** The smallest edits that turn the value at `path` from `before` into `after`: fields that stay keep their bytes. */
export function valueEdits(path: Path, before: Value, after: Value): Edit[] {
  if (equalValues(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [{ kind: "set", at: path, value: after }];
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const edits: Edit[] = gone.map((name) => ({ kind: "remove", at: [...path, name] }));
  const names = Object.keys(after);
  const first = names.find((name) => Object.hasOwn(before, name));
  let previous: string | undefined;
  for (const name of names) {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old !== undefined) {
      pushAll(edits, valueEdits([...path, name], old, after[name]!));
      previous = name;
      continue;
    }
    const place: Place = previous !== undefined ? { after: previous } : first !== undefined ? { before: first } : "end";
    edits.push({ kind: "insert", into: path, name, value: after[name]!, place });
  }
  return edits;
}
