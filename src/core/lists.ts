/** Adds items to a list. `push(...items)` puts each of them on the stack, which has no room for a hundred thousand. */
export function pushAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}

/** Items by what they have in common, in the order they came. */
export function groupBy<T, K = string>(items: Iterable<T>, by: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) addTo(groups, by(item), item);
  return groups;
}

/** Adds an item to the list under a key. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** What a key has in a map, made when it is first asked for. */
export function getOrMake<Key, Item>(
  map: { get(key: Key): Item | undefined; set(key: Key, item: Item): unknown },
  key: Key,
  make: () => Item,
): Item {
  let item = map.get(key);
  if (item === undefined) {
    item = make();
    map.set(key, item);
  }
  return item;
}
