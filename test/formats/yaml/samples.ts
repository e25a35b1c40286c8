import { Exact, mapOf, type Value } from "../../../src/core/value.ts";
import type { Sample } from "../conformance.ts";

/** One logical content in many spellings, then the odd ones. */
const settings: Value = {
  model: "opus",
  limits: { tokens: 4096 },
  hooks: [
    { event: "start", command: "node ~/a.js" },
    { event: "stop", command: "node ~/b.js" },
  ],
  allow: ["read", "write", "run"],
  one: [1],
  nothing: {},
  none: [],
  done: true,
};

const indented = `model: opus
limits:
  tokens: 4096
hooks:
  - event: start
    command: node ~/a.js
  - event: stop
    command: node ~/b.js
allow:
  - read
  - write
  - run
one:
  - 1
nothing: {}
none: []
done: true
`;

const fourSpaces = `model: 'opus'
limits:
    tokens: 4096
hooks:
    -   event: 'start'
        command: 'node ~/a.js'
    -   event: 'stop'
        command: 'node ~/b.js'
allow:
    - 'read'
    - 'write'
    - 'run'
one:
    - 1
nothing: { }
none: [ ]
done: true
`;

const indentless = indented.replace(/^ {2}(?= *- | {2}command)/gm, "");

const flow = `model: "opus"
limits: {"tokens": 4096}
hooks: [{"event": "start", "command": "node ~/a.js"}, {event: stop, command: node ~/b.js}]
allow: [read ,write,run,]
one: [ 1 ]
nothing: {}
none: [ ]
done: true
`;

const rootFlow = `{
  "model": "opus",
  "limits": { "tokens": 4096 },
  "hooks": [
    { "event": "start", "command": "node ~/a.js" },
    {
      "event": "stop",
      "command": "node ~/b.js"
    }
  ],
  "allow": [
    "read", "write",
    "run"
  ],
  "one": [
    1
  ],
  "nothing": {
  },
  "none": [],
  "done": true
}
`;

const commented = `# above everything

# above model
model: opus # behind model
limits: # behind limits
  # above tokens
  tokens: 4096 # behind tokens
  # at the end of limits

# a group of its own
hooks:
  # inside the list
  - event: start # behind event
    # between fields
    command: node ~/a.js
  # above the second hook
  - # behind a dash
    event: stop
    command: node ~/b.js # behind the second hook
    # at the end of the hook
allow: [read, # behind read
  # above write
  write,
  run # behind run
  ]
one: [
  1 # behind one
  # at the end of one
  ]
nothing: {
  # nothing in here
  }
none: [] # none at all
done: true # behind done
  # indented at the end
# below everything
`;

const comments = [...commented.matchAll(/# (.*)/g)]
  .map((match) => match[1]!)
  .filter((words) => commented.split(words).length === 2);

const same = (name: string, text: string, elsewhere: Sample["elsewhere"] = ["4096", "8192"]): Sample => ({
  name,
  text,
  value: settings,
  comments: [],
  elsewhere,
});

const odd = (name: string, text: string, value: Value): Sample => ({
  name,
  text,
  value,
  comments: [],
  elsewhere: undefined,
});

/** Less of it, for what does not depend on the content. */
const few: Value = {
  model: "opus",
  limits: { tokens: 4096 },
  hooks: [{ event: "start", done: true }],
  allow: ["read", "write"],
};
const short =
  "model: opus\nlimits:\n  tokens: 4096\nhooks:\n  - event: start\n    done: true\nallow:\n  - read\n  - write\n";
const shortRows =
  '{\n  "model": "opus", "limits": {"tokens": 4096},\n  "hooks": [\n    {"event": "start", "done": true}\n  ],\n  "allow": ["read", "write"]\n}';
const lesser = (name: string, text: string): Sample => ({ ...same(name, text), value: few });

export const yamlSamples: readonly Sample[] = [
  same("two spaces, indented lists", indented),
  same("four spaces, single quotes", fourSpaces),
  same("indentless lists", indentless),
  same("flow style", flow),
  same("JSON", rootFlow),
  lesser("CRLF", short.replaceAll("\n", "\r\n")),
  lesser("BOM", `\ufeff${short}`),
  lesser("BOM and CRLF, in brackets", `\ufeff${shortRows.replaceAll("\n", "\r\n")}`),
  lesser("no final newline", short.trimEnd()),
  lesser("no final newline, CRLF", short.trimEnd().replaceAll("\n", "\r\n")),
  lesser("document markers and directives", `%YAML 1.2\n%TAG !e! tag:example.com,2000:\n---\n${short}...\n`),
  lesser("blank lines between and blanks behind", short.replaceAll("\n", "  \n\n")),
  lesser("indented as a whole", short.replaceAll(/^(?=.)/gm, " ")),
  { ...same("comments everywhere", commented), comments },
  odd("an empty file", "", {}),
  odd("only comments", "# nothing yet\n", {}),
  odd("only comments, no final newline", "# nothing yet", {}),
  odd("only a marker", "---\n", {}),
  odd("markers around nothing", "%YAML 1.2\n---\n# nothing\n...\n", {}),
  odd("blank lines only", "\n\n", {}),
  odd("braces", "{}\n", {}),
  odd("braces behind a marker", "--- { }\n", {}),
  odd(
    "odd scalars",
    "hex: 0x1F\nmode: 012\nswitch: on\nnothing: ~\nempty:\nexp: 1e3\nfloat: .5\ninf: -.inf\nnan: .nan\nbig: 12345678901234567890\ndate: 2020-01-01\nsexa: 12:30:45\nt: True\n",
    {
      hex: 31,
      mode: new Exact("number", "012"),
      switch: "on",
      nothing: null,
      empty: null,
      exp: 1000,
      float: 0.5,
      inf: new Exact("float", "-inf"),
      nan: new Exact("float", "nan"),
      big: new Exact("number", "12345678901234567890"),
      date: "2020-01-01",
      sexa: "12:30:45",
      t: true,
    },
  ),
  odd(
    "scalars of several lines",
    `literal: |
  one
    two

  three


folded: >-
  one
  two

plain: one
  two
quoted: "one
  two\\
  \\ three"
kept: |+
  one

list:
  - |
    item
  - >
    folded
    item
last: |-
  end
`,
    {
      literal: "one\n  two\n\nthree\n",
      folded: "one two",
      plain: "one two",
      quoted: "one two three",
      kept: "one\n\n",
      list: ["item\n", "folded item\n"],
      last: "end",
    },
  ),
  odd("lists in lists", "all:\n- - a\n  - b\n- - c\n-\n  - d\n  -\n    - e\n- [f, [g]]\n", {
    all: [["a", "b"], ["c"], ["d", ["e"]], ["f", ["g"]]],
  }),
  odd("maps in maps in lists", "- a:\n    b: 1\n  c:\n  - d: 2\n    e: [x]\n- - f: 3\n".replace(/^/, "all:\n"), {
    all: [{ a: { b: 1 }, c: [{ d: 2, e: ["x"] }] }, [{ f: 3 }]],
  }),
  odd("values on a line of their own", 'a:\n  one\nb:\n  "two"\nc:\n  {d: 1}\ne:\n\n  - x\n\n  - y\nf:\n  |\n  z\n', {
    a: "one",
    b: "two",
    c: { d: 1 },
    e: ["x", "y"],
    f: "z\n",
  }),
  odd(
    "values left out",
    "a:\nb: # nothing\nc:\n  # nothing either\nd: {e, f: , g: 1}\nh:\n  -\n  - # none\n  - x\ni:",
    {
      a: null,
      b: null,
      c: null,
      d: { e: null, f: null, g: 1 },
      h: [null, null, "x"],
      i: null,
    },
  ),
  odd("anchors that nobody uses", "a: &a 1\nb: &b\n  c: 2\nd: &d [x]\n&k e: 3\nf:\n  - &i y\n  - &j\n    g: 1\n", {
    a: 1,
    b: { c: 2 },
    d: ["x"],
    e: 3,
    f: ["y", { g: 1 }],
  }),
  odd("keys that are no words", "1: one\n\"quoted\": q\n'it''s': s\nnull: n\n", {
    1: "one",
    quoted: "q",
    "it's": "s",
    null: "n",
  }),
  odd(
    "names that look inherited",
    "__proto__: 1\nconstructor:\n  toString: x\n",
    mapOf([
      ["__proto__", 1],
      ["constructor", { toString: "x" }],
    ]),
  ),
  odd("brackets closed at the margin", "a: {\n  b: 1,\n  c: 2\n}\nd: [\n  x\n]\n", { a: { b: 1, c: 2 }, d: ["x"] }),
  odd("tabs between tokens", "a:\t1\t# c\nb:\t[x,\ty]\t\nc:\n  -\tz\n", { a: 1, b: ["x", "y"], c: ["z"] }),
];
