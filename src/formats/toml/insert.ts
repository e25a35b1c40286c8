import type { Draft } from "./draft.ts";
import { insertLines } from "./insert-lines.ts";
import { insertElement, insertSections } from "./insert-sections.ts";
import { insertSlotItem, insertSlotPair } from "./insert-slots.ts";
import type { Insertion } from "./insertion.ts";
import { isInFlow } from "./position.ts";
import { formOf } from "./similar.ts";
import { ArrayNode, type TableArrayNode, type TableNode } from "./tree.ts";

/** A new name in a table, in the form its siblings have. */
export function insertNamed(draft: Draft, table: TableNode, name: string, insertion: Insertion): void {
  draft.grown.add(table);
  if (isInFlow(table)) insertSlotPair(draft, table, name, insertion);
  else {
    const form = formOf(table, insertion.value, insertion.place);
    if (form === "sections") insertSections(draft, table, name, insertion);
    else insertLines(draft, table, name, { ...insertion, form });
  }
}

/** A new item in a list. */
export function insertItem(draft: Draft, list: ArrayNode | TableArrayNode, insertion: Insertion): void {
  draft.grown.add(list);
  if (list instanceof ArrayNode) insertSlotItem(draft, list, insertion);
  else insertElement(draft, list, insertion);
}
