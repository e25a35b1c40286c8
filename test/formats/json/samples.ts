import { Exact, mapOf } from "../../../src/core/value.ts";
import type { Sample } from "../conformance.ts";

/** One logical content in many spellings, then the odd ones. */
const settings = {
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

const indented = (indent: string | number) => JSON.stringify(settings, null, indent);
const plain = (name: string, text: string, elsewhere: Sample["elsewhere"] = ["4096", "8192"]): Sample => ({
  name,
  text,
  value: settings,
  comments: [],
  elsewhere,
});

const commented = `// above everything
{ // behind the brace
  // above model
  "model": "opus", // behind model
  /* before limits */ "limits": /* before its value */ { "tokens": 4096 /* behind tokens */ },

  // a group of its own
  "hooks": [
    // inside the list
    { "event": "start", "command": "node ~/a.js" }, // behind the first hook
    {
      "event": "stop" /* before a comma */, // and behind it
      "command": "node ~/b.js"
      // at the end of the hook
    } // behind the last hook
    // at the end of the list
  ],
  "allow": ["read", /* before write */ "write", "run" /* behind run */],
  "one": [1 // behind one
  ],
  "nothing": {
    // nothing in here
  },
  "none": [ /* none either */ ],
  "done": true // behind done
  // at the end
} // behind the end
// below everything
`;
const commentWords = [...commented.matchAll(/\/\/ (.*)|\/\* (.*?) \*\//g)]
  .map((match) => (match[1] ?? match[2])!)
  .filter(standsOnce);
function standsOnce(words: string): boolean {
  return commented.split(words).length === 2;
}

export const jsonSamples: readonly Sample[] = [
  plain("two spaces", `${indented(2)}\n`),
  plain("four spaces", `${indented(4)}\n`),
  plain("tabs", `${indented("\t")}\n`),
  plain("CRLF", `${indented(2).replaceAll("\n", "\r\n")}\r\n`),
  plain("BOM", `\ufeff${indented(2)}\n`),
  plain("no final newline", indented(2)),
  plain("minified", JSON.stringify(settings)),
  plain("one line with spaces", `${indented(1).replaceAll(/\n */g, " ")}\n`),
  plain(
    "one line, tight braces",
    indented(1)
      .replaceAll(/([{[])\n */g, "$1")
      .replaceAll(/\n *([}\]])/g, "$1")
      .replaceAll(/\n */g, " "),
  ),
  plain("brackets at the end of lines", indented(2).replaceAll(/\n *([}\]])/g, " $1")),
  plain("blanks at the end of lines", `${indented(2).replaceAll("\n", "  \n")}\t\n\n\n`),
  plain("blank lines between entries", `${indented(2).replaceAll(/,\n/g, ",\n\n")}\n`),
  plain("blank lines everywhere", `\n\n${indented(2).replaceAll("\n", "\n\n")}\n\n`),
  plain("commas in front", `${indented(2).replaceAll(/,\n( *)/g, "\n$1, ")}\n`),
  plain("blanks before commas and colons", `${indented(2).replaceAll(",", " ,").replaceAll(/":/g, '" :')}\n`),
  plain("trailing commas", `${indented(2).replaceAll(/(["\d}\]e])\n( *[}\]])/g, "$1,\n$2")}\n`, ["4096", "8192"]),
  plain("trailing commas on one line", JSON.stringify(settings).replaceAll(/(["\d}\]e])([}\]])/g, "$1,$2")),
  plain(
    "mixed indentation",
    indented(2)
      .split("\n")
      .map((line, i) => (i % 3 === 0 ? line.replace(/^ {2}/, "\t") : line))
      .join("\n"),
  ),
  plain("mixed line ends within blanks", indented(2).replace("{\n", "{ \n \t \n")),
  {
    name: "comments in every position",
    text: commented,
    value: settings,
    comments: commentWords,
    elsewhere: ["above model", "above the model, changed"],
  },
  {
    name: "comments and CRLF",
    text: commented.replaceAll("\n", "\r\n"),
    value: settings,
    comments: commentWords,
    elsewhere: ["// at the end of the list", ""],
  },
  { name: "empty text", text: "", value: {}, comments: [], elsewhere: undefined },
  { name: "only a BOM", text: "\ufeff", value: {}, comments: [], elsewhere: undefined },
  { name: "only blanks", text: " \n\t\n ", value: {}, comments: [], elsewhere: undefined },
  {
    name: "only comments",
    text: "// settings go here\n",
    value: {},
    comments: ["settings go here"],
    elsewhere: ["settings go", "they go"],
  },
  {
    name: "only a comment, no final newline",
    text: "/* to come */",
    value: {},
    comments: ["to come"],
    elsewhere: ["to come", "still to come"],
  },
  { name: "empty map", text: "{}", value: {}, comments: [], elsewhere: undefined },
  { name: "empty map with blanks", text: "{  \n\n }\n", value: {}, comments: [], elsewhere: undefined },
  { name: "empty map with a comment", text: "{ /* later */ }\n", value: {}, comments: ["later"], elsewhere: undefined },
  {
    name: "empty maps inside",
    text: '{"a":{},"b":[ ],"c":{"d":{ }}}',
    value: { a: {}, b: [], c: { d: {} } },
    comments: [],
    elsewhere: ['"c"', '"e" :1,"c"'],
  },
  {
    name: "only entry",
    text: '{ "only": { "one": 1 } }\n',
    value: { only: { one: 1 } },
    comments: [],
    elsewhere: ["}\n", "}\n\n"],
  },
  {
    name: "numbers that doubles can't hold",
    text: '{\n  "big": 12345678901234567890,\n  "tiny": 1e-999,\n  "long": 0.1000000000000000055511151231257827,\n  "usual": 1.50\n}\n',
    value: {
      big: new Exact("number", "12345678901234567890"),
      tiny: new Exact("number", "1e-999"),
      long: new Exact("number", "0.1000000000000000055511151231257827"),
      usual: 1.5,
    },
    comments: [],
    elsewhere: ["1.50", "1.500"],
  },
  {
    name: "odd names and strings",
    text: '{\n  "": 0,\n  "a.b": "// no comment",\n  "\\u0063": "/* none */ \\" ,}",\n  "constructor": "é😀\\ud83d",\n  "hasOwnProperty": "\\\\"\n}\n',
    value: mapOf([
      ["", 0],
      ["a.b", "// no comment"],
      ["c", '/* none */ " ,}'],
      ["constructor", "é😀\ud83d"],
      ["hasOwnProperty", "\\"],
    ]),
    comments: [],
    elsewhere: [": 0", ": 1"],
  },
  {
    name: "__proto__ as a name",
    text: '{ "__proto__": { "__proto__": 1 }, "last": { "__proto__": [1] } }',
    value: mapOf([
      ["__proto__", mapOf([["__proto__", 1]])],
      ["last", mapOf([["__proto__", [1]]])],
    ]),
    comments: [],
    elsewhere: ['last":', 'last" :'],
  },
];
