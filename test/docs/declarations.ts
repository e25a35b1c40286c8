/** One exported declaration of the library's rolled-up types. */
export interface Declaration {
  readonly name: string;
  readonly kind: "function" | "interface" | "type" | "class";
  /** Without the comment above it. */
  readonly text: string;
  /** What the comment says, without its example. */
  readonly about: string;
  readonly example: string | undefined;
}

const comment = /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)/.source;
const beginning = /(?:declare |interface |type |class |export )/.source;

/**
 * The declarations of a `index.d.ts` as the build makes it: each begins at the beginning of a line. So do comments on
 * parts of a union, which end nothing.
 */
export function declarationsIn(text: string): Declaration[] {
  const pattern = new RegExp(
    `^(${comment})?(?:declare )?(function|interface|type|class) (\\w+)[\\s\\S]*?(?=^${comment}?${beginning})`,
    "gm",
  );
  return [...text.matchAll(pattern)].map(([whole, above = "", kind, name]) => {
    const said = above
      .replace(/^\/\*\* ?|\s*\*\/\n$/g, "")
      .split("\n")
      .map((line) => line.replace(/^ \* ?/, ""))
      .join("\n")
      .trim();
    const [about = "", example] = said.split(/\n*@example\n/);
    const declared = whole.slice(above.length).trimEnd();
    return { name: name!, kind: kind as Declaration["kind"], text: declared, about, example };
  });
}

/** The surface alone: declarations by name, without comments, so that only what a program can see counts. */
export function surfaceOf(text: string): Map<string, string> {
  const bare = text.replaceAll(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, "");
  const exported = new Set(
    [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) =>
      names!.split(/,\s*/).map((name) => name.trim()),
    ),
  );
  const declared = declarationsIn(bare).filter(({ name }) => exported.has(name));
  return new Map(declared.map((each) => [each.name, closed(each)] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The codes have a page and a test of their own. */
function closed({ name, text }: Declaration): string {
  return name === "DiagnosticCode" ? "type DiagnosticCode = /* the codes of docs/diagnostics.md */ string;" : text;
}
