import { dialects } from "../../../src/formats/ini/dialect.ts";
import { iniFormat } from "../../../src/formats/ini/ini.ts";
import { conformance, type Sample } from "../conformance.ts";

const sample = (
  name: string,
  text: string,
  value: Sample["value"],
  comments: string[] = [],
  elsewhere?: Sample["elsewhere"],
): Sample => ({
  name,
  text,
  value,
  comments,
  elsewhere,
  inPieces: true,
});

const common = [
  sample("an empty file", "", {}),
  sample("blank lines", "\n\n", {}),
  sample("only a comment, no final line break", "# nothing yet", {}, ["nothing yet"]),
  sample("a BOM", "\ufeff[a]\nx = 1\n", { a: { x: "1" } }),
  sample("an empty section", "[a]\n\n[b]\nx=1\n", { a: {}, b: { x: "1" } }, [], ["x=1", "x=2"]),
  sample("CRLF and no end", "[a]\r\nx = 1\r\ny = 2\r\nz = 3", { a: { x: "1", y: "2", z: "3" } }),
];

conformance(iniFormat(dialects.plain), {
  flat: true,
  names: ["added", "with.dot", "with space", "//npm.example.test/:_authToken", "Name[de]", "constructor"],
  values: ["text", "two words", "a=b", "#no comment", 'say "hi"', "C:\\new", "${HOME}/x"],
  documents: [
    ...common,
    sample(
      "an .editorconfig",
      "# top\nroot = true\n\n[*]\nindent_style = space\n; semi\nindent_size = 2\n\n# about md\n[*.{md,txt}]\ntrim = false\n",
      { root: "true", "*": { indent_style: "space", indent_size: "2" }, "*.{md,txt}": { trim: "false" } },
      ["top", "semi", "about md"],
      ["indent_size = 2", "indent_size = 4"],
    ),
    sample(
      "a desktop entry",
      "[Desktop Entry]\nName=Zylos\nName[de]=Zylos!\nExec=zylos %u\n\n[Desktop Action New]\nName=New\n",
      {
        "Desktop Entry": { Name: "Zylos", "Name[de]": "Zylos!", Exec: "zylos %u" },
        "Desktop Action New": { Name: "New" },
      },
    ),
    sample("an .npmrc", "registry=https://r.example/\n//r.example/:_authToken=${T}\n@me:registry = https://m/\n", {
      registry: "https://r.example/",
      "//r.example/:_authToken": "${T}",
      "@me:registry": "https://m/",
    }),
    sample("a section in pieces", "[a]\nx = 1\n[b]\ny = 1\n[a]\nz = 2 ; not a comment\n", {
      a: { x: "1", z: "2 ; not a comment" },
      b: { y: "1" },
    }),
  ],
});

conformance(iniFormat(dialects.git), {
  flat: true,
  names: ["added", "with-dash", "constructor"],
  values: ["text", "two words", "# in quotes", 'say "hi"', "C:\\new", " padded ", "a\nb", ""],
  documents: [
    ...common,
    sample(
      "a .gitconfig",
      '# mine\n[user]\n\tname = A B # me\n\temail = "a@b" ; mail\n[alias]\n\tlg = log \\\n\t  --graph\n\tx = "!f() { echo \\"hi\\"; }; f"\n[core]\n\tbare\n',
      {
        user: { name: "A B", email: "a@b" },
        alias: { lg: "log \t  --graph", x: '!f() { echo "hi"; }; f' },
        core: { bare: "true" },
      },
      ["mine", "# me", "; mail"],
      ["A B", "A C"],
    ),
  ],
});

conformance(iniFormat(dialects.python), {
  flat: true,
  names: ["added", "with.dot", "with space", "constructor"],
  values: ["text", "two words", "a=b", "a\nb", "#no comment"],
  documents: [
    ...common,
    sample(
      "a pip.conf",
      "[global]\nindex-url: https://p/simple\nextra-index-url =\n    https://a\n    https://b\n# end\n[install]\nno-deps = yes\n",
      {
        global: { "index-url": "https://p/simple", "extra-index-url": "\nhttps://a\nhttps://b" },
        install: { "no-deps": "yes" },
      },
      ["# end"],
    ),
  ],
});
