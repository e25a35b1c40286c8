import fc from "fast-check";

/** YAML texts as people write them: every style mixed, comments in all places, anchors and aliases. */
export interface Generated {
  readonly text: string;
  /** Parts of the text that are comments, each standing once. */
  readonly comments: readonly string[];
}

type Shape = { readonly kind: "scalar"; readonly text: string } | Container;
interface Container {
  readonly kind: "map" | "list";
  readonly flow: boolean;
  readonly rows: boolean;
  readonly padded: boolean;
  readonly trailingComma: boolean;
  readonly anchor: boolean;
  readonly children: readonly Shape[];
  /** Which children have a comment above, behind or, before a block, on the line of their key. */
  readonly above: readonly boolean[];
  readonly behind: readonly boolean[];
  readonly blankLine: readonly boolean[];
}

const scalarTexts = [
  "1",
  "0x1F",
  "012",
  "on",
  "~",
  "true",
  "plain text",
  "a:b",
  "'it''s'",
  '"q\\n"',
  '"# no"',
  "-7",
  "1.50",
  "http://x/y",
  "é 😀",
];
const blockTexts = ["|\n~one\n~  two\n", "|-\n~one\n\n~two\n", ">\n~folded\n~text\n", "|+\n~kept\n\n"];

const flags = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
/** `*` stands for an alias of the last anchor, where there is one. */
const scalar = fc
  .constantFrom(...scalarTexts, ...scalarTexts, ...blockTexts, "", "*", "*")
  .map((text): Shape => ({ kind: "scalar", text }));

const { shape } = fc.letrec<{ shape: Shape; container: Shape }>((tie) => ({
  shape: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("container")),
  container: container(tie("shape")),
}));

function container(child: fc.Arbitrary<Shape>): fc.Arbitrary<Container> {
  return fc.record({
    kind: fc.constantFrom("map" as const, "list" as const),
    flow: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    rows: fc.boolean(),
    padded: fc.boolean(),
    trailingComma: fc.boolean(),
    anchor: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
    children: fc.array(child, { maxLength: 4 }),
    above: flags,
    behind: flags,
    blankLine: flags,
  });
}

interface Layout {
  readonly step: number;
  readonly indentless: boolean;
  readonly lineBreak: string;
  readonly finalBreak: boolean;
  readonly bom: boolean;
  readonly marker: boolean;
}

const layout: fc.Arbitrary<Layout> = fc.record({
  step: fc.constantFrom(2, 4),
  indentless: fc.boolean(),
  lineBreak: fc.constantFrom("\n", "\n", "\r\n"),
  finalBreak: fc.boolean(),
  bom: fc.boolean(),
  marker: fc.boolean(),
});

export const documents: fc.Arbitrary<Generated> = fc
  .tuple(container(shape), layout)
  .map(([root, how]) => new Writer(how).write({ ...root, kind: "map", flow: false, anchor: false }));

interface At {
  readonly indent: number;
  readonly behind: boolean;
  readonly list: boolean;
}

class Writer {
  private readonly how: Layout;
  private readonly comments: string[] = [];
  private names = 0;
  private anchors = 0;
  /** The anchor of the last collection that is complete. */
  private finished: string | undefined;

  constructor(how: Layout) {
    this.how = how;
  }

  write(root: Container): Generated {
    const body = root.children.length === 0 ? [this.comment()] : this.block(root, 0);
    const lines = [...(this.how.marker ? ["---"] : []), ...body];
    const text = lines.join("\n") + (this.how.finalBreak ? "\n" : "");
    return {
      text: (this.how.bom ? "\ufeff" : "") + text.replaceAll("\n", this.how.lineBreak),
      comments: this.comments,
    };
  }

  private comment(): string {
    const text = `# comment ${this.comments.length}.`;
    this.comments.push(text);
    return text;
  }

  private name(): string {
    const n = this.names++;
    return ["key", "'k y'", '"k"', "k-"][n % 4]!.replace(/(['"]?)$/, `${n}$1`);
  }

  /** Complete lines. */
  private block(shape: Container, indent: number): string[] {
    const pad = " ".repeat(indent);
    return shape.children.flatMap((child, i) => {
      const above = shape.above[i] ? [pad + this.comment()] : [];
      const blank = shape.blankLine[i] && i > 0 ? [""] : [];
      const head = shape.kind === "map" ? `${this.name()}:` : "-";
      return [
        ...blank,
        ...above,
        ...this.entry(pad + head, child, { indent, behind: shape.behind[i] === true, list: shape.kind === "list" }),
      ];
    });
  }

  private entry(head: string, child: Shape, at: At): string[] {
    const behind = () => (at.behind ? ` ${this.comment()}` : "");
    if (child.kind === "scalar") return this.scalarEntry(head, child.text, at.indent, behind);
    if (!child.anchor) return this.containerEntry(head, child, at, "");
    const name = `a${this.anchors++}`;
    const lines = this.containerEntry(head, child, at, ` &${name}`);
    this.finished = name;
    return lines;
  }

  private containerEntry(head: string, child: Container, at: At, anchor: string): string[] {
    const behind = () => (at.behind ? ` ${this.comment()}` : "");
    if (child.flow || child.children.length === 0)
      return [`${head}${anchor} ${this.flow(child, at.indent + this.how.step)}${behind()}`];
    const deeper =
      child.kind === "list" && !at.list && this.how.indentless ? at.indent : at.indent + (at.list ? 2 : this.how.step);
    if (at.list && !child.above[0] && anchor === "") {
      const [first, ...rest] = this.block(child, deeper);
      return [`${head} ${first!.trimStart()}`, ...rest];
    }
    return [head + anchor + behind(), ...this.block(child, deeper)];
  }

  private scalarEntry(head: string, text: string, indent: number, behind: () => string): string[] {
    const line = this.spelled(text);
    if (!text.includes("\n")) return [(line === "" ? head : `${head} ${line}`) + behind()];
    const pad = " ".repeat(indent + this.how.step);
    return `${head} ${text}`.replaceAll("~", pad).replace(/\n$/, "").split("\n");
  }

  /** Without comments: a comment in brackets needs rows of its own, which the samples of the conformance suite have. */
  private flow(shape: Container, indent: number): string {
    const parts = shape.children.map((child) => {
      const value =
        child.kind === "scalar" ? this.flowScalar(child.text) : this.flow({ ...child, rows: false }, indent);
      return shape.kind === "map" ? `${this.name()}: ${value}` : value;
    });
    const [open, close] = shape.kind === "map" ? "{}" : "[]";
    if (parts.length === 0) return `${open}${shape.padded ? " " : ""}${close}`;
    const comma = shape.trailingComma ? "," : "";
    if (shape.rows)
      return `${open}\n${parts.map((part) => " ".repeat(indent) + part).join(",\n")}${comma}\n${" ".repeat(indent)}${close}`;
    const padding = shape.padded ? " " : "";
    return `${open}${padding}${parts.join(", ")}${comma}${padding}${close}`;
  }

  private flowScalar(text: string): string {
    return text === "" || text.includes("\n") ? '"x"' : this.spelled(text);
  }

  private spelled(text: string): string {
    if (text !== "*") return text;
    return this.finished === undefined ? "none" : `*${this.finished}`;
  }
}
