import { InputError, lineAndColumn } from "../../core/diagnostic.ts";
import { equalValues, mapOf } from "../../core/value.ts";
import { nodeAt } from "../../entries/entry-paths.ts";
import { type Node, nodeOf, type Path } from "../../formats/format.ts";
import { editVerified } from "../../formats/verify/verify.ts";
import type { PathContext } from "../../identity/paths/path-context.ts";
import type { Profile } from "../../identity/profiles/index.ts";
import { compileRules } from "../../identity/rules/compile-rules.ts";
import { identify } from "../../identity/rules/identify.ts";
import { loadFormat } from "../../readings/open-reading.ts";
import { formatFor } from "../../readings/reading-data.ts";
import { maskLines, maskValue, secretPart } from "../../report/mask/mask.ts";

export interface FirstTemplate {
  readonly text: string;
  /** Keys of entries that look secret: a template is made to be given away. */
  readonly leftOut: readonly string[];
  /** What the author should look at. */
  readonly notes: readonly string[];
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly profile: Profile | undefined;
  readonly context: PathContext;
  /** What stands for folders of this machine; default: `HOME` for the home. */
  readonly paths?: readonly NamedPath[] | undefined;
}

/** A file as a template: its own bytes, without secrets, and with the home of this machine as a variable. */
export async function firstTemplate(source: Source): Promise<FirstTemplate> {
  const format = formatFor(source.path);
  const paths = source.paths ?? [{ path: source.context.home, variable: "HOME" }];
  if (format !== "text") {
    const { text, leftOut } = await withoutSecrets(source, format);
    return { text: withVariables(text, paths), leftOut, notes: [] };
  }
  const text = withVariables(source.text, paths);
  const looksSecret = maskLines(text) !== text;
  return {
    text,
    leftOut: [],
    notes: looksSecret ? ["some of its lines look secret; remove them from the template"] : [],
  };
}

async function withoutSecrets(
  source: Source,
  name: Exclude<ReturnType<typeof formatFor>, "text">,
): Promise<{ text: string; leftOut: string[] }> {
  const { path, text, context } = source;
  const format = await loadFormat(name);
  const read = format.read(text);
  const refuse = (message: string, offset: number) =>
    new InputError({ code: "malformed-target", message, file: path, ...lineAndColumn(text, offset) });
  if (read.kind === "malformed") throw refuse(read.message, read.offset);
  const { document } = read;
  if (document.root.kind !== "map") throw refuse(`this file holds a ${document.root.kind}, not a map`, 0);
  const compiled = compileRules(source.profile?.rules ?? []);
  const rules = compiled.kind === "compiled" ? compiled.rules : { rules: [], byType: new Map() };
  const secret = identify(nodeOf(document.root.value()), rules, context).entries.filter((entry) => {
    const value = entry.node.value();
    return !equalValues(maskValue(mapOf([["", value]]), secretPart(entry.key)), mapOf([["", value]]));
  });
  if (secret.length === 0) return { text, leftOut: [] };
  const result = editVerified(
    format,
    document,
    withEmptied(
      document.root,
      secret.map(({ path: at }) => at),
    ).map((at) => ({ kind: "remove", at })),
  );
  if (result.kind === "refused")
    throw refuse(`entries that look secret can't be left out: ${result.message}`, result.offset);
  return { text: result.text, leftOut: secret.map(({ key }) => key) };
}

/**
 * What goes, with the containers that nothing would be left in; a group in a list goes with the list it is there for.
 */
function withEmptied(root: Node, paths: readonly Path[]): Path[] {
  const gone = new Map(paths.map((path) => [JSON.stringify(path), path]));
  for (let depth = paths.reduce((deepest, { length }) => Math.max(deepest, length), 0); depth > 1; depth--) {
    for (const [parent, children] of byParent([...gone.values()].filter(({ length }) => length === depth))) {
      const path = children[0]!.slice(0, -1);
      const container = nodeAt(root, path);
      const isGroup = typeof path.at(-1) === "number";
      const size = container?.kind === "list" ? container.items().length : (container?.names().length ?? 0);
      if (!isGroup && size > children.length) continue;
      for (const child of children) gone.delete(JSON.stringify(child));
      gone.set(parent, path);
    }
  }
  return [...gone.values()];
}

function byParent(paths: readonly Path[]): Map<string, Path[]> {
  const groups = new Map<string, Path[]>();
  for (const path of paths) {
    const parent = JSON.stringify(path.slice(0, -1));
    groups.set(parent, [...(groups.get(parent) ?? []), path]);
  }
  return groups;
}

/**
 * Paths of this machine's home would be wrong on every other. What looks like a variable in the user's file stands for
 * itself.
 */
export function withVariables(text: string, paths: readonly NamedPath[]): string {
  const literal = text.replace(/\$(?=\{[A-Za-z_][A-Za-z0-9_]*\})/g, "$$$$");
  return paths.reduce((said, { path, variable }) => {
    const whole = new RegExp(`${path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\w.-])`, "g");
    return said.replace(whole, () => `\${${variable}}`);
  }, literal);
}

/** A folder of this machine, and the variable that stands for it; the innermost first. */
export interface NamedPath {
  readonly path: string;
  readonly variable: string;
}
