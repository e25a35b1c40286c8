import { Exact, mapOf } from "../../../src/core/value.ts";
import type { Sample } from "../conformance.ts";

/** One content, as a person who likes sections writes it. */
const settings = {
  model: "opus",
  done: true,
  allow: ["read", "write", "run"],
  one: [1],
  none: [],
  nothing: {},
  limits: { tokens: 4096 },
  hooks: [
    { event: "start", command: "node ~/a.js" },
    { event: "stop", command: "node ~/b.js" },
  ],
};

const sections = `model = "opus"
done = true
allow = ["read", "write", "run"]
one = [1]
none = []

[nothing]

[limits]
tokens = 4096

[[hooks]]
event = "start"
command = "node ~/a.js"

[[hooks]]
event = "stop"
command = "node ~/b.js"
`;

const inline = `model = "opus"
limits = { tokens = 4096 }
hooks = [
  { event = "start", command = "node ~/a.js" },
  { event = "stop", command = "node ~/b.js" },
]
allow = [ "read", "write", "run" ]
one = [
  1
]
nothing = {}
none = [ ]
done = true
`;

const commented = `# above everything

# above model
model = "opus" # behind model
# below model

allow = [ # behind the bracket
  # above read
  "read", # behind read
  "write"
  , # behind a comma in front
  "run" # behind run
  # at the end of the list
] # behind the list
one = [1 # behind one
]
none = [
  # none in here
]
done = true
# at the end of the top

# above nothing
[nothing] # behind a header
# in nothing

# on its own

# above limits
[limits]
# above tokens
tokens = 4096 # behind tokens
# below tokens

[[hooks]] # behind the first hook
event = "start"

command = "node ~/a.js"
# above the second hook
[[hooks]]
event = "stop"
command = "node ~/b.js" # behind the last line
# at the end
`;
const words = [...commented.matchAll(/# (.*)/g)]
  .map((match) => match[1]!)
  .filter((comment) => commented.split(comment).length === 2);

const sample = (name: string, text: string, elsewhere: Sample["elsewhere"] = ["4096", "8192"]): Sample => ({
  name,
  text,
  value: settings,
  comments: [],
  elsewhere,
});

const samples: readonly Sample[] = [
  sample("sections", sections),
  sample("sections without blank lines", sections.replaceAll("\n\n", "\n")),
  sample("sections with many blank lines", `\n\n${sections.replaceAll("\n\n", "\n\n\n")}\n\n`),
  sample("blanks at the ends of lines", sections.replaceAll("\n", " \t\n")),
  sample("indented sections", sections.replaceAll(/\n(tokens|event|command)/g, "\n    $1").replaceAll("\n[", "\n  [")),
  sample("aligned and tight", sections.replaceAll(" = ", "=").replaceAll("model=", "model   =  ")),
  sample("sections, CRLF", sections.replaceAll("\n", "\r\n")),
  sample("sections, BOM", `\ufeff${sections}`),
  sample("sections, no final newline", sections.trimEnd()),
  sample("inline", inline),
  sample("inline, CRLF", inline.replaceAll("\n", "\r\n")),
  sample("inline, no final newline", inline.trimEnd()),
  sample("inline, tight", inline.replaceAll(/[ ]*([={},[\]])[ ]*/g, "$1")),
  sample(
    "everything on one line a value",
    inline
      .replaceAll(/\[\n +/g, "[")
      .replaceAll(/,?\n\]/g, "]")
      .replaceAll(",\n ", ","),
  ),
  {
    name: "comments in every position",
    text: commented,
    value: settings,
    comments: words,
    elsewhere: ["above model", "the model"],
  },
  {
    name: "comments, CRLF, no final newline",
    text: commented.trimEnd().replaceAll("\n", "\r\n"),
    value: settings,
    comments: words,
    elsewhere: ["# on its own", "# alone"],
  },
  { name: "empty text", text: "", value: {}, comments: [], elsewhere: undefined },
  { name: "only a BOM", text: "\ufeff", value: {}, comments: [], elsewhere: undefined },
  { name: "only blanks", text: " \n\t\n ", value: {}, comments: [], elsewhere: undefined },
  { name: "only a comment", text: "# later\n", value: {}, comments: ["later"], elsewhere: ["later", "soon"] },
  {
    name: "only a comment, no final newline",
    text: "# later",
    value: {},
    comments: ["later"],
    elsewhere: ["later", "soon"],
  },
  {
    name: "a comment and blank lines",
    text: "\n# later\n\n\n",
    value: {},
    comments: ["later"],
    elsewhere: ["later", "soon"],
  },
  {
    name: "only headers",
    text: "# about a\n[a]\n[b]\n",
    value: { a: {}, b: {} },
    comments: ["about a"],
    elsewhere: ["about a", "on a"],
  },
  {
    name: "tables that exist only by their sub-tables",
    text: "[a.b.c]\n# about d\nd = 1\n\n[a.b.e]\nf = 2\n\n[g.h]\n",
    value: { a: { b: { c: { d: 1 }, e: { f: 2 } } }, g: { h: {} } },
    comments: ["about d"],
    elsewhere: ["d = 1", "d = 11"],
  },
  {
    name: "tables out of order, the outer one last",
    text: "[a.b]\nx = 1\n\n[c]\ny = 2\n\n[a.d]\nz = 3\n\n[a]\nw = 4\n\n[c.e]\n",
    value: { a: { b: { x: 1 }, d: { z: 3 }, w: 4 }, c: { y: 2, e: {} } },
    comments: [],
    elsewhere: ["y = 2", "y = 22"],
  },
  {
    name: "dotted keys",
    text: 'a.b = 1\nx = 0\na."c d".e = 2 # two\na."c d".f = 3\n\n[t]\ng.h = 4\n\n[t.g.i]\nj = 5\n',
    value: { a: { b: 1, "c d": { e: 2, f: 3 } }, x: 0, t: { g: { h: 4, i: { j: 5 } } } },
    comments: ["two"],
    elsewhere: ["x = 0", "x=0"],
  },
  {
    name: "dotted keys in braces",
    text: "a = { b.c = 1, x = [ { y.z = 2 } ], b.d = 3 }\n",
    value: { a: { b: { c: 1, d: 3 }, x: [{ y: { z: 2 } }] } },
    comments: [],
    elsewhere: ["a = ", "a="],
  },
  {
    name: "lists of tables with sub-tables",
    text: `[features]
hooks = true

[[hooks.Stop]]
matcher = "a"

[[hooks.Stop.hooks]]
command = "one"

[[hooks.Stop.hooks]]
command = "two"

[hooks.Stop.hooks.env]
A = "1"

# the other group
[[hooks.Stop]]
matcher = "b"
[[hooks.Stop.hooks]]
command = "three"

[[hooks.Start]]
`,
    value: {
      features: { hooks: true },
      hooks: {
        Stop: [
          { matcher: "a", hooks: [{ command: "one" }, { command: "two", env: { A: "1" } }] },
          { matcher: "b", hooks: [{ command: "three" }] },
        ],
        Start: [{}],
      },
    },
    comments: ["the other group"],
    elsewhere: ["hooks = true", "hooks =  true"],
  },
  {
    name: "scalars of every kind",
    text: `big = 12_345_678_901_234_567_890
hex = 0xdead_beef
oct = 0o755
bin = 0b1101
float = 6.5e-1
whole = 1.0
inf = -inf
nan = nan
when = 1979-05-27T07:32:00Z
local = 1979-05-27 07:32:00.5
day = 1979-05-27
time = 07:32:00
literal = 'C:\\path'
text = """
one
  two \\
     three"""
raw = '''a'b''c'''
`,
    value: {
      big: new Exact("number", "12345678901234567890"),
      hex: 0xdeadbeef,
      oct: 0o755,
      bin: 13,
      float: 0.65,
      whole: new Exact("float", "1.0"),
      inf: new Exact("float", "-inf"),
      nan: new Exact("float", "nan"),
      when: new Exact("datetime", "1979-05-27T07:32:00Z"),
      local: new Exact("datetime", "1979-05-27T07:32:00.5"),
      day: new Exact("datetime", "1979-05-27"),
      time: new Exact("datetime", "07:32:00"),
      literal: "C:\\path",
      text: "one\n  two three",
      raw: "a'b''c",
    },
    comments: [],
    elsewhere: ["0b1101", "0b1_101"],
  },
  {
    name: "odd names",
    text: '"" = 0\n"a.b" = 1\n\'c "d"\' = 2\n"\\u0065" = 3\n__proto__ = 4\n1234 = 5\n\n[ g . "h i" ]\n',
    value: mapOf([
      ["", 0],
      ["a.b", 1],
      ['c "d"', 2],
      ["e", 3],
      ["__proto__", 4],
      ["1234", 5],
      ["g", { "h i": {} }],
    ]),
    comments: [],
    elsewhere: ["= 2", "=  2"],
  },
];

export const tomlSamples: readonly Sample[] = samples.map((one) => ({ ...one, inPieces: true }));
