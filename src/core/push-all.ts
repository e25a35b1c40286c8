/** Adds items to a list. `push(...items)` puts each of them on the stack, which has no room for a hundred thousand. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
