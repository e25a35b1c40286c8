import { describe, expect, it } from "vitest";
import { dotenv } from "../../src/formats/dotenv/dotenv.ts";
import type { Document, Edit } from "../../src/formats/format.ts";
import { conformance } from "./conformance.ts";

conformance(dotenv, {
  flat: true,
  names: ["ADDED", "lower_case", "with.dot", "with-dash", "_", "A1", "constructor"],
  values: [
    "text",
    "",
    "two words",
    "#no comment",
    "it's",
    'say "hi"',
    "$HOME and `id`",
    "a\nb\n",
    " padded ",
    "C:\\new\\dir",
    "a=b",
    "~/x",
  ],
  documents: [
    { name: "an empty file", text: "", value: {}, comments: [], elsewhere: undefined },
    { name: "blank lines", text: "\n\n", value: {}, comments: [], elsewhere: undefined },
    {
      name: "only a comment, no final line break",
      text: "# nothing yet",
      value: {},
      comments: ["nothing yet"],
      elsewhere: undefined,
    },
    { name: "only a BOM", text: "\ufeff", value: {}, comments: [], elsewhere: undefined },
    { name: "one entry", text: "A=1\n", value: { A: "1" }, comments: [], elsewhere: ["A=1", "A=one"] },
    { name: "one entry, no final line break", text: "A=1", value: { A: "1" }, comments: [], elsewhere: undefined },
    {
      name: "comments, blank lines and every kind of quote",
      text: '# header\n\n# about A\nA=1 # beside A\nB=\'single # quoted\'   # beside B\n\nC="double\\nquoted"\nD=`back "tick"`\nE=\n# end\n',
      value: { A: "1", B: "single # quoted", C: "double\nquoted", D: 'back "tick"', E: "" },
      comments: ["header", "about A", "beside A", "beside B", "# end"],
      elsewhere: ["# header", "# a header\n# in two lines"],
    },
    {
      name: "values over several lines",
      text: "KEY=\"-----BEGIN-----\nabc\n\n-----END-----\" # pem\nNEXT='a\n# not this\n'\nLAST=1\n",
      value: { KEY: "-----BEGIN-----\nabc\n\n-----END-----", NEXT: "a\n# not this\n", LAST: "1" },
      comments: ["# pem"],
      elsewhere: ["LAST=1", "LAST=2"],
    },
    {
      name: "export, spaces, colons",
      text: "export A=1\n  export   B = some words \n\tC: yes\n D =   'x'\t\nE= # empty\n",
      value: { A: "1", B: "some words", C: "yes", D: "x", E: "" },
      comments: ["# empty"],
      elsewhere: ["some words", "three words here"],
    },
    {
      name: "lines that are no entries",
      text: "set -a\nA=1\nexport A\nNAME\nsource ./other.env\nif true; then\n  B=2\nfi\n",
      value: { A: "1", B: "2" },
      comments: [],
      elsewhere: ["NAME\n", "NAME\nOTHER_NAME\n"],
    },
    {
      name: "CRLF",
      text: 'A=1\r\nB="x\r\ny"\r\n\r\n# c\r\nC=\r\n',
      value: { A: "1", B: "x\ny", C: "" },
      comments: ["# c"],
      elsewhere: ["A=1", "A=2"],
    },
    {
      name: "a BOM and no final line break",
      text: "\ufeffA=1\nB=2",
      value: { A: "1", B: "2" },
      comments: [],
      elsewhere: ["A=1", "A=10"],
    },
    { name: "blank lines at the end", text: "A=1\n\n \n\n", value: { A: "1" }, comments: [], elsewhere: undefined },
    {
      name: "a name twice with one value",
      text: "A=1\nB=2\nA=1 # again\n",
      value: { A: "1", B: "2" },
      comments: ["# again"],
      elsewhere: undefined,
    },
  ],
});

function read(text: string): Document {
  const result = dotenv.read(text);
  if (result.kind === "malformed") throw new Error(result.message);
  return result.document;
}

function edited(text: string, ...edits: Edit[]): string {
  const result = read(text).edit(edits);
  return result.kind === "edited" ? result.text : `refused at ${result.offset}: ${result.message}`;
}

const set = (name: string, value: string): Edit => ({ kind: "set", at: [name], value });
const insert = (name: string, value: string, place: "end" | { after: string } | { before: string } = "end"): Edit => ({
  kind: "insert",
  into: [],
  name,
  value,
  place,
});

describe("reading dotenv", () => {
  it.each([
    ["a # without a space ends the value", "A=a#b", "a"],
    ["a # in quotes does not", "A='a#b'", "a#b"],
    ["an equals sign in the value", "A==b=", "=b="],
    ["escapes only in double quotes", "A='a\\nb'", "a\\nb"],
    ["an escaped quote keeps its backslash", 'A="say \\"hi\\""', 'say \\"hi\\"'],
    ["a quote inside a bare value", "A=it's", "it's"],
    ["the last of two", "A=1\nA=2", "2"],
    ["a variable is not expanded", "A=$HOME", "$HOME"],
  ])("%s", (_, text, value) => {
    expect(read(text).root.get("A")?.value()).toBe(value);
    expect(dotenv.readIndependently(text)).toEqual({ A: value });
  });

  it.each([
    ["an open quote", 'A=1\nB="x\nC=2\n', 6, /B begins with "/],
    ["a backslash before the last quote", "A='C:\\dir\\'\n", 2, /A begins with '/],
    ["text behind the closing quote", "A='x' y\n", 6, /after the closing quote of A/],
    ["a value without a name", "A\n=1\n", 2, /without a name/],
    ["a quoted text without a name", 'A=\n"x"\n', 3, /without a name/],
    ["a name with a colon", "A:\nB=1\n", 0, /colon/],
    ["a lone carriage return", "A=1\rB=2\n", 3, /line break/],
    ["a Unicode line separator", "# a\u2028B=2\n", 3, /line break/],
  ])("refuses %s", (_, text, offset, message) => {
    expect(dotenv.read(text)).toEqual({ kind: "malformed", offset, message: expect.stringMatching(message) });
  });

  it("says why an entry with a glued comment must stay", () => {
    const { root } = read("A=1#c\nB='x'#c\nC=#fff\nD=1 #c\nE= #c\n");
    const locked = root.names().filter((name) => root.get(name)?.locked() !== undefined);
    expect(locked).toEqual(["A", "B", "C"]);
    expect(root.get("A")?.locked()).toMatch(/shells do not/);
  });
});

describe("editing dotenv", () => {
  it.each([
    ["keeps the quotes that stand there", 'A="x"\n', set("A", "y"), 'A="y"\n'],
    ["changes quotes that can't hold the value", 'A="x"\n', set("A", "$y"), "A='$y'\n"],
    ["never writes backticks", "A=`x`\n", set("A", "y"), "A=y\n"],
    ["sets the one that counts", "A=1\nA=2\nB=3\n", set("A", "4"), "A=1\nA=4\nB=3\n"],
    ["sets an empty value before a comment", "A= # c\n", set("A", "x"), "A=x # c\n"],
    ["sets an empty value behind a colon", "A: \n", set("A", "x"), "A: x\n"],
    [
      "follows its sibling's export",
      "export A=1\nB=2\n",
      insert("C", "3", { after: "A" }),
      "export A=1\nexport C=3\nB=2\n",
    ],
    [
      "stands above its sibling's comment",
      "X=0\n# about A\nA=1\n",
      insert("C", "3", { before: "A" }),
      "X=0\nC=3\n# about A\nA=1\n",
    ],
    [
      "stands below the file's heading",
      "# heading\n\nA=1\n",
      insert("C", "3", { before: "A" }),
      "# heading\n\nC=3\nA=1\n",
    ],
    ["stands before blank lines at the end", "A=1\n\n", insert("C", "3"), "A=1\nC=3\n\n"],
    [
      "is left with what it is cleared to",
      "A=1\nB=2\n",
      { kind: "clear", at: [], inner: "# was here\n" } as Edit,
      "# was here\n",
    ],
    [
      "leaves a comment when its entry goes",
      "  A=1  # mine\nB=2\n",
      { kind: "remove", at: ["A"] } as Edit,
      "  # mine\nB=2\n",
    ],
  ])("%s", (_, text, edit, expected) => {
    expect(edited(text, edit)).toBe(expected);
  });

  it.each([
    [
      "a name twice with two values, to remove",
      "A=1\nA=2\n",
      { kind: "remove", at: ["A"] } as Edit,
      /^refused at 0: A is set here too/,
    ],
    ["a name that is there", "A=1\n", insert("A", "2"), /already there/],
    ["a name that is none", "", insert("two words", "2"), /can't be a name/],
    ["a quote and a dollar", "", insert("A", "it's $5"), /no way of quoting it/],
    ["a backslash at the end", "A=1\n", set("A", "C:\\dir\\"), /refused at 2: .*backslash/],
    ["a carriage return", "", insert("A", "a\rb"), /carriage return/],
    ["a number", "", { ...insert("A", ""), value: 7 } as Edit, /not a text/],
    ["an entry that is not there", "A=1\n", set("B", "1"), /no entry B/],
  ])("refuses %s", (_, text, edit, expected) => {
    expect(edited(text, edit)).toMatch(expected);
  });
});
