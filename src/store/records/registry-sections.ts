/**
 * A registry put together from two: the new one, but with some members of its `files` as the old one had them. Every
 * other field is the new one's. Both texts are ours, so values survive parsing: what no double can hold is spelt out in
 * a registry.
 */
export function composeRegistry(
  before: string | undefined,
  after: string | undefined,
  keepOld: ReadonlySet<string>,
): string | undefined {
  const old = parse(before);
  const kept = Object.entries(old?.files ?? {}).filter(([section]) => keepOld.has(section));
  // The registry was to go: it stays for the files that could not be given back, if it had any of them.
  if (after === undefined) return kept.length === 0 ? undefined : render({ ...old, files: Object.fromEntries(kept) });
  const next = parse(after);
  const replaced = Object.entries(next?.files ?? {}).filter(([section]) => !keepOld.has(section));
  return render({ ...next, files: Object.fromEntries([...replaced, ...kept]) });
}

interface Sections {
  readonly files?: Readonly<Record<string, unknown>>;
}

function parse(text: string | undefined): Sections | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Sections);
}

function render(registry: Sections): string {
  return `${JSON.stringify(registry, null, 2)}\n`;
}
