import { canonicalCommand, comparableCommand, portableCommand } from "../commands/commands.ts";
import { packageName, scriptOf } from "../commands/scripts.ts";
import type { PathContext } from "../paths/path-context.ts";
import { canonicalPath, homeAsTilde, portablePath } from "../paths/paths.ts";
import type { NormaliserName } from "./rule.ts";

/** What a normaliser does with the text of a part: for comparing keys, for showing keys, and for comparing values. */
export interface Normaliser {
  canonical(text: string, ctx: PathContext): string;
  portable(text: string, ctx: PathContext): string;
  comparable(text: string, ctx: PathContext): string;
  /** What a record keeps: portable, with everything that is needed to derive the part again. */
  recorded(text: string, ctx: PathContext): string;
  /** What a missing field means; undefined: without it there is no key. */
  readonly missing: string | undefined;
}

type Change = (text: string, ctx: PathContext) => string;

/**
 * The same text comes again with the template, the file and the record of an entry, and taking commands apart is most
 * of what they cost.
 */
function remembered(change: Change): Change {
  const known = new WeakMap<PathContext, Map<string, string>>();
  return (text, ctx) => {
    const texts = known.get(ctx) ?? new Map<string, string>();
    if (texts.size === 0) known.set(ctx, texts);
    let changed = texts.get(text);
    if (changed === undefined) {
      changed = change(text, ctx);
      // Most are written as they should be: then one text is kept and not two.
      if (changed === text) changed = text;
      texts.set(text, changed);
    }
    return changed;
  };
}

const asPortableCommand = remembered(portableCommand);
const asPortablePath = remembered(portablePath);
const command = { comparable: remembered(comparableCommand), recorded: asPortableCommand, missing: undefined };

const normalisers: Readonly<Record<NormaliserName, Normaliser>> = {
  path: {
    canonical: remembered(canonicalPath),
    portable: asPortablePath,
    comparable: remembered((text, ctx) => homeAsTilde(canonicalPath(text, ctx), ctx)),
    recorded: asPortablePath,
    missing: undefined,
  },
  command: { ...command, canonical: remembered(canonicalCommand), portable: asPortableCommand },
  script: {
    ...command,
    canonical: remembered((text, ctx) => scriptOf(text, ctx, "canonical")),
    portable: remembered((text, ctx) => scriptOf(text, ctx, "portable")),
  },
  matcher: { ...always(matcherText), missing: "*" },
  package: { ...always(packageName), comparable: (text) => text },
};

const exact = always((text) => text);

export function normaliserNamed(name: NormaliserName | undefined): Normaliser {
  return name === undefined ? exact : normalisers[name];
}

/** No matcher, an empty one and a star all say: everything. */
function matcherText(text: string): string {
  return text === "" ? "*" : text;
}

function always(change: (text: string) => string): Normaliser {
  return { canonical: change, portable: change, comparable: change, recorded: change, missing: undefined };
}
