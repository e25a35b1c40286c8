import { dotenv } from "../../src/formats/dotenv/dotenv.ts";
import type { Format } from "../../src/formats/format.ts";
import { dialects } from "../../src/formats/ini/dialect.ts";
import { iniFormat } from "../../src/formats/ini/ini.ts";
import { json } from "../../src/formats/json/json.ts";
import { toml } from "../../src/formats/toml/toml.ts";
import { yaml } from "../../src/formats/yaml/yaml.ts";
import { jsonSamples } from "../formats/json/samples.ts";
import { tomlSamples } from "../formats/toml/samples.ts";
import { yamlSamples } from "../formats/yaml/samples.ts";

export interface Corpus {
  readonly format: Format;
  readonly texts: readonly string[];
  /** It refuses most of what any edit would put there. */
  readonly strict?: boolean;
}

const dotenvTexts = [
  '# settings\nexport PATH_TO=/usr/bin # where\nEMPTY=\nQUOTED="a \\n b"\nSINGLE=\'$HOME\'\nTICKS=`a"b`\n',
  "\ufeffA=1\r\nB = two words \r\nexport C='multi\r\nline'\r\n",
  "a.b-c: yaml style\nTOKEN=abc#def\nTOKEN=abc #def\nA=1\nA=2\n",
  'KEY="-----BEGIN\nline\n-----END"\nLAST=x',
];

const iniTexts = [
  "# top\nroot = true\n\n[*]\nindent = 2 ; two\n\n[[ab].js]\nx=\n",
  '[user]\n\tname = A B # me\n\temail = "a;b"\n[alias]\n\tlg = log \\\n\t  --graph\n[core]\n\tbare\n',
  "[global]\r\nindex-url: https://p\r\nextra =\r\n    a\r\n    b\r\n",
  "\ufeffregistry=https://r/\n//r/:_authToken=${T}\nk[]=1\nk[]=2",
];

const realJson = [
  '{\n  "permissions": { "allow": ["Bash(npm test:*)", "Read(~/.zshrc)"], "deny": [] },\n  "hooks": {\n    "Stop": [\n      { "matcher": "*", "hooks": [{ "type": "command", "command": "node ~/x.js", "timeout": 10 }] }\n    ]\n  },\n  "env": { "A": "1" }\n}\n',
  '// VS Code\n{\n\t"editor.fontSize": 13, // small\n\t"files.exclude": { "**/.git": true, },\n\t/* "off": 1, */\n\t"list": [ 1, 2.50, -0, 1e5, ],\n}\n',
];

const realYaml = [
  "model: sonnet # default\nread:\n  - CONVENTIONS.md\n  - 'a: b'\nextensions: {dev: {enabled: true, timeout: 300}}\nnotes: |\n  one\n    two\n\nfolded: >-\n  a\n  b\nbase: &base\n  x: 1\nmore:\n  <<: *base\n",
];

const realToml = [
  'model = "o3"\n\n[mcp_servers.docs]\ncommand = "npx" # the usual\nargs = ["-y", "docs"]\nenv = { "A" = "1", b.c = 2 }\n\n[[hooks]]\nevent = "Stop"\n\n[[hooks]]\nevent = "Start"\n[hooks.more]\nwhen = 1979-05-27T07:32:00Z\n',
];

/** Documents as people have them, by format; mutations start from these. */
export const corpora: readonly Corpus[] = [
  { format: json, texts: [...realJson, ...jsonSamples.map(({ text }) => text)] },
  { format: yaml, texts: [...realYaml, ...yamlSamples.map(({ text }) => text)] },
  { format: toml, texts: [...realToml, ...tomlSamples.map(({ text }) => text)] },
  { format: dotenv, texts: dotenvTexts },
  { format: iniFormat(dialects.plain), texts: iniTexts },
  { format: iniFormat(dialects.git), texts: iniTexts, strict: true },
  { format: iniFormat(dialects.python), texts: iniTexts, strict: true },
];
