import { describe, expect, it } from "vitest";
import type { Value } from "../../src/core/value.ts";
import { looksSecret, maskKey, maskLines, maskValue } from "../../src/report/mask/mask.ts";
import { maskInText } from "../../src/report/mask/text.ts";

const secret = "hunter2-hunter2";

/** Whether nothing of the secret is left to see. */
const hides = (shown: unknown) => expect(JSON.stringify(shown)).not.toContain("hunter2");

describe("values", () => {
  const cases: readonly [string, Value][] = [
    ["under a secret name", { token: secret }],
    ["in camel case", { githubToken: secret, clientSecret: secret }],
    ["nested below one", { credentials: { user: secret, deep: [{ x: secret }] } }],
    ["in headers", { headers: { Authorization: `Bearer ${secret}`, "X-Api-Key": secret } }],
    [
      "in headers as a list of texts",
      { headers: [`Authorization: Bearer ${secret}`, `Cookie: a=${secret}; b=${secret}`] },
    ],
    ["in named pairs", { env: [{ name: "DB_PASSWORD", value: secret }] }],
    ["in an env list", { env: [`GITHUB_TOKEN=${secret}`] }],
    ["in arguments", { args: ["--token", secret, "--api-key", secret, `--password=${secret}`] }],
    [
      "in a command line",
      { command: `curl --token ${secret} --api-key=${secret} -H "Authorization: Bearer ${secret}" x` },
    ],
    ["in an assignment before a command", { command: `API_TOKEN=${secret} node x.js` }],
    ["in a URL", { url: `https://me:${secret}@example.test/x`, other: `postgres://u:${secret}@db/x?sslmode=on` }],
    ["in a URL's user part", { url: `https://${secret}abcdef@example.test/x` }],
    ["in a query", { url: `https://example.test/x?api_key=${secret}&page=2` }],
    [
      "in a private key",
      { note: `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n${secret}\n-----END RSA PRIVATE KEY-----\n` },
    ],
    ["in a private key on one line", { note: `-----BEGIN PRIVATE KEY-----\\n${secret}\\n-----END PRIVATE KEY-----` }],
    ["in a text of lines", { text: `name: x\npassword: ${secret}\n` }],
    ["as a number", { pin_password: 1234, password: `${secret}` }],
  ];
  it.each(cases)("%s", (_, value) => hides(maskValue(value)));

  it("by shape, whatever the name", () => {
    for (const key of [
      "sk-abcdefghijklmnop1234",
      "ghp_abcdefghijklmnopqrst1234",
      "AKIAABCDEFGHIJKLMNOP",
      "xoxb-1234567890-abc",
    ]) {
      expect(maskValue({ note: `use ${key} here` })).toEqual({ note: "use *** here" });
    }
  });

  it.each([
    ["curl -u me:pw", "curl -u ***"],
    ["mysql -ppw", "mysql -p***"],
    ["zip -P pw", "zip -P ***"],
    ["ftp://u:pw@h", "ftp://u:***@h"],
    ["pwd=pw", "pwd=***"],
    ["xapp-1234567890", "***"],
    ["SG.abcdefghijklmnop.abcdefghijklmnop", "***"],
    ["npm_abcdefghijklmnopqrstuvwxyz0123456789", "***"],
    ["eyJabcdefghij.abcd.", "***"],
  ])("%s, however short and plain", (text, shown) => expect(maskInText(text)).toBe(shown));

  it("numbers are secrets too, but not a number of tokens", () => {
    expect(
      maskValue({ password: 1234, max_tokens: 4096, MAX_THINKING_TOKENS: "8000", tokenLimit: 5, token: "8000" }),
    ).toEqual({
      password: "***",
      max_tokens: 4096,
      MAX_THINKING_TOKENS: "8000",
      tokenLimit: 5,
      token: "***",
    });
  });

  it("leaves alone what only sounds alike, switches, and references", () => {
    const harmless = {
      tokenizer: "gpt",
      compass: "north",
      keyboard: "qwerty",
      passthrough: "yes",
      useToken: true,
      secret: null,
      token: "${GITHUB_TOKEN}",
      password: "",
      theme: "dark",
      command: "node ~/secretary/x.js --verbose",
    };
    expect(maskValue(harmless)).toEqual(harmless);
  });

  it("keeps the rest of a command readable", () => {
    expect(maskInText(`deploy --token ${secret} --region eu`)).toBe("deploy --token *** --region eu");
    expect(maskInText(`A=1 API_KEY=${secret} node x.js`)).toBe("A=1 API_KEY=*** node x.js");
    expect(maskInText(`https://me:${secret}@example.test/x`)).toBe("https://me:***@example.test/x");
  });
});

describe("lines of files and diffs", () => {
  const lines: readonly [string, string][] = [
    ["JSON", `+  "api_key": "${secret}",`],
    ["JSON that is cut off", `+  "api_key": "${secret}`],
    ["JSON on one line", `{"a":{"token":"${secret}"},"b":1}`],
    ["dotenv", `-export DB_PASSWORD=${secret} with spaces ${secret}`],
    ["YAML", `   password: ${secret} and ${secret}`],
    ["YAML flow", ` x: {token: ${secret}, b: 1}`],
    ["TOML", `+token = "${secret}"`],
    ["a context line", `   "Authorization": "Bearer ${secret}",`],
    ["a block scalar", ` token: |\n   ${secret}\n   ${secret}\n next: 1`],
    [
      "a map below a secret name",
      ` "credentials": {\n   "user": "${secret}",\n   "more": {\n     "x": "${secret}"\n   }\n },`,
    ],
    ["arguments on lines of their own", `+  "--token",\n+  "${secret}",`],
    ["TOML, a text of several lines", `+token = """\n+${secret}\n+${secret}"""\n next = 1`],
    ["the same, from its first line", `token = """${secret}\n${secret}\n"""`],
    ["TOML, literally", `secret = '''${secret}\n\n${secret}'''`],
    ["dotenv, a value of several lines", `+export DB_PASSWORD='${secret}\n+${secret}\n+  ${secret}'`],
    ["YAML, in quotes over several lines", `password: "${secret}\n  ${secret}"`],
    ["a name and its value", `+  - name: DB_PASSWORD\n+    value: ${secret}`],
    ["a name and its value, a text of several lines", ` - name: API_KEY\n   value: |\n     ${secret}\n     ${secret}`],
    ["a value before its name", `   {\n     "value": "${secret}",\n     "name": "API_KEY"\n   }`],
    [
      "a name and its value on one line",
      `{ "name": "API_TOKEN", "value": "${secret}" }, {name: X-Api-Key, value: ${secret}}`,
    ],
    [
      "a value before its name on one line",
      `{ "value": "${secret}", "key": "API_TOKEN" }, {value: '${secret}', header: Authorization}`,
    ],
    [
      "a private key",
      `+-----BEGIN OPENSSH PRIVATE KEY-----\n+${secret}\n+${secret}\n+-----END OPENSSH PRIVATE KEY-----\n more`,
    ],
    ["a quote escaped in a quote", `+  "command": "x --token \\"${secret}\\" y",`],
  ];
  it.each(lines)("%s", (_, text) => hides(maskLines(text)));

  it("keeps every line, its sign and its indentation", () => {
    const diff = ` {\n-  "token": "${secret}",\n+  "token": "other-${secret}",\n   "theme": "dark"\n }`;
    expect(maskLines(diff)).toBe(' {\n-  "token": "***",\n+  "token": "***",\n   "theme": "dark"\n }');
  });

  it("ends with the map or the key that it began with", () => {
    expect(maskLines(`credentials:\n  a: ${secret}\ntheme: dark`)).toBe("credentials:\n  ***\ntheme: dark");
    expect(maskLines(`-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\ntheme: dark`)).toMatch(
      /theme: dark$/,
    );
  });

  it("ends with the text that it began with, and hides no neighbour", () => {
    expect(maskLines(`token = """\n${secret}\n"""\ntheme = "dark"`)).toBe('token = ***\n***\n***\ntheme = "dark"');
    expect(maskLines(`- name: API_KEY\n  value: ${secret}\n- name: THEME\n  value: dark`)).toBe(
      "- name: API_KEY\n  value: ***\n- name: THEME\n  value: dark",
    );
    const plain = '{ "name": "THEME", "value": "dark" } # token';
    expect(maskLines(plain)).toBe(plain);
  });

  it("leaves lines without secrets as they are", () => {
    const text =
      '  "max_tokens": 4096,\n  "model": "x",\n# about tokens\nuse_token: true\n  "sha256": "0123456789abcdef"';
    expect(maskLines(text)).toBe(text);
  });

  it("costs no more than reading for long lines", () => {
    const hostile = [
      `${"a".repeat(400_000)}token`,
      "token".repeat(80_000),
      `token:"${"\\".repeat(300_000)}`,
      "-".repeat(400_000),
      "token:{".repeat(60_000),
      'token:"'.repeat(60_001),
      "token=['".repeat(60_001),
      "token: a b ".repeat(40_000),
      "-----BEGIN PRIVATE KEY-----".repeat(20_000),
      "https://".repeat(50_000),
      "bearer ".repeat(50_000),
      'value: "'.repeat(50_001),
      "name: token, value: ".repeat(20_000),
      `name: token\n${'value: "'.repeat(50_001)}`,
    ];
    for (const line of hostile) expect(maskLines(line).length).toBeGreaterThan(0);
  });
});

it("keys: colons between parts are no assignments, secrets inside a part are", () => {
  expect(maskKey("hook:Stop:token-guard:node x.js")).toBe("hook:Stop:token-guard:node x.js");
  expect(maskKey(`hook:Stop:*:curl --token ${secret} x`)).toBe("hook:Stop:*:curl --token *** x");
  hides(maskKey(`permission:allow:Bash(curl -H "Authorization\\: Bearer ${secret}")`));
});

it("keys: also where a colon inside a part is escaped", () => {
  expect(maskKey("hook:Stop:*:curl https\\://u\\:hunter2@x.test\\:80/")).toBe(
    "hook:Stop:*:curl https\\://u\\:***@x.test\\:80/",
  );
});

it("names: in doubt yes", () => {
  for (const name of [
    "token",
    "API_KEY",
    "apiKey",
    "x-api-key",
    "DB_PASS",
    "client_secret",
    "AWS_ACCESS_KEY_ID",
    "Authorization",
    "PWD",
  ])
    expect([name, looksSecret(name)]).toEqual([name, true]);
  for (const name of ["theme", "tokenizer", "tokenise", "compass", "monkey", "keyboard", "author", "path"])
    expect([name, looksSecret(name)]).toEqual([name, false]);
});
