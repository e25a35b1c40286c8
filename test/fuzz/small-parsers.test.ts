import { expect, it } from "vitest";
import { matchesPattern } from "../../src/core/policy.ts";
import { manifestSchema, policyFileSchema } from "../../src/files/manifest/manifest.ts";
import { readYaml } from "../../src/files/manifest/read-yaml.ts";
import { readBlock, removeBlock, writeBlock } from "../../src/formats/block/block.ts";
import { complainTo, type HostDiagnostic } from "../../src/host/diagnostics.ts";
import { readHostDeclaration } from "../../src/host/repository/host-declaration.ts";
import { canonicalCommand } from "../../src/identity/commands/commands.ts";
import { dottedPath, keyText, parseDottedPath, parseKey } from "../../src/identity/rules/keys.ts";
import { parseRegistry, renderRegistry } from "../../src/store/records/registry.ts";
import { readKubeconfig } from "../../src/toolset/api/kubeconfig.ts";
import { readConfigMaps, readDetectors, readServices } from "../../src/toolset/discover/read-objects.ts";
import { parseOverrides } from "../../src/toolset/overrides.ts";
import { darwin, linux, windows } from "../identity/machines.ts";
import { fuzz, timeLimit } from "./budget.ts";
import { areReadOrRefused, damaged } from "./read-or-refused.ts";

/** The parsers that are no formats of targets: what they take apart comes from strangers all the same. */
const options = { timeout: timeLimit };

const manifests = [
  'name: zylos\nversion: 1.4.0\nvars:\n  ZYLOS_HOME: ~/zylos # default\nfiles:\n  - target: ~/.claude/settings.json\n    template: t/settings.json\n    rules:\n      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event] }\n  - { target: "${ZYLOS_HOME}/.env", template: env, only-if: exists, os: [linux] }\nearlier: { "1.2.0": releases/1.2 }\nmoved: [{ from: "a:b", to: "a:c" }]\npolicy:\n  - { match: "hook:*", when-deleted: respect, ignore: [timeout] }\n',
];
const policies = [
  'policy:\n  - match: "setting:env.*"\n    when-edited: keep\n  - { match: "*", owner: zylos, file: ~/x }\n',
  "- { match: 'a\\*' }\n",
];
const hosts = [
  "# box\nhost: box\nservices:\n  - web\n  - db\n",
  "host: box\nservices: [web, 'db']\n",
  "services:\n- web # a\nhost: box\n",
];
const overrides = [
  "tools:\n  - name: a\n    endpoint: http://a\n    parameters: { x: [1, 2.5, null] }\n  - { name: b, enabled: false }\ntoolsets:\n  t: { enabled: true }\nmcp_servers: {}\n",
  "base: &b { x: 1 }\ntools:\n- name: c\n  more: *b\n",
];
const objects = [
  "apiVersion: v1\nkind: List\nitems:\n- kind: Service\n  metadata: { name: p, namespace: n, labels: { app: prometheus } }\n  spec: { ports: [{ name: web, port: 9090 }] }\n",
  '{"kind":"ConfigMap","metadata":{"name":"m"},"data":{"overrides.yaml":"tools: []\\n"}}',
  "kind: Service\nmetadata: { name: x }\n---\nkind: ConfigMap\nmetadata: { name: y }\ndata: { a: b }\n",
];
const kubeconfigs = [
  "current-context: c\ncontexts: [{ name: c, context: { cluster: k, user: u } }]\nclusters:\n- name: k\n  cluster: { server: 'https://h:6443', certificate-authority-data: eA== }\nusers:\n- name: u\n  user:\n    exec: { apiVersion: v1, command: get, args: [a], env: [{ name: X, value: y }] }\n",
];
const detectors = [
  'detectors:\n  - { type: loki, names: [loki], port: 3100, tool-name: loki_query, description: "Logs", health-path: /ready }\n',
];
const registries = [
  renderRegistry({
    format_version: 1,
    name: "zylos",
    version: "1.0",
    homes: ["/home/a"],
    files: {
      "~/c.json": {
        entries: {
          "setting:a": {
            entry_type: "setting",
            added_in_version: "1",
            last_updated_in_version: "1",
            value: { $exact: "x" },
            value_hash: "sha256:0",
          },
        },
      },
    },
  } as never),
];

areReadOrRefused([
  ["manifests", manifests, (text) => readYaml(text, "stet.yaml", manifestSchema, "invalid-manifest")],
  ["policies", policies, (text) => readYaml(text, "policy.yaml", policyFileSchema, "invalid-policy")],
  ["Services", objects, (text) => readServices(text, "services")],
  ["ConfigMaps", objects.slice(1, 2), (text) => readConfigMaps(text, "configmap")],
  ["kubeconfigs", kubeconfigs, (text) => readKubeconfig([{ path: "/config", text }], undefined)],
  ["detectors", detectors, (text) => readDetectors(text, "detectors")],
  ["registries", registries, (text) => renderRegistry(parseRegistry(text, "registry.json"))],
]);

it("damaged host.yaml is read, or refused with a place", options, () => {
  const seen = { read: 0, invalid: 0 };
  fuzz(400, (random) => {
    const text = damaged(hosts, random);
    const diagnostics: HostDiagnostic[] = [];
    const services = readHostDeclaration(text, "host.yaml", "box", complainTo(diagnostics));
    seen[services === undefined ? "invalid" : "read"]++;
    if (services === undefined)
      expect(diagnostics[0], JSON.stringify(text)).toMatchObject({ line: expect.any(Number) });
    else expect(diagnostics, JSON.stringify(text)).toEqual([]);
  });
  expect(Math.min(seen.read, seen.invalid)).toBeGreaterThan(20);
});

it("damaged overrides: the quick reader and the careful one agree", options, () => {
  const seen = { valid: 0, invalid: 0 };
  fuzz(300, (random) => {
    const text = damaged(overrides, random);
    seen[parseOverrides(text, "overrides.yaml").kind]++;
  });
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(10);
});

const keys = [
  "setting:env.PATH",
  'setting:a."b.c".d',
  "hook:Stop:*:node ~/x\\:y.js",
  "permission:allow:Bash(npm\\\\ test\\:*)",
  'setting:"\\"".x',
];

it("damaged keys are read, and written again they are the same key", options, () => {
  const seen = { key: 0, malformed: 0 };
  fuzz(1000, (random) => {
    const parsed = parseKey(damaged(keys, random));
    seen[parsed.kind]++;
    if (parsed.kind === "malformed") return;
    // A rule's type is a word; only its parts are escaped.
    const { parts } = parsed;
    expect(parseKey(keyText("type", parts))).toEqual({ kind: "key", type: "type", parts });
    const path = parseDottedPath(parts[0]!);
    if (path.kind === "malformed") return;
    const names = path.segments.map(({ text }) => text);
    expect(parseDottedPath(dottedPath(names))).toMatchObject({
      kind: "path",
      segments: names.map((text) => ({ text })),
    });
  });
  expect(Math.min(seen.key, seen.malformed)).toBeGreaterThan(50);
});

it("damaged patterns match what an expression made of them matches", options, () => {
  const seen = { yes: 0, no: 0 };
  const patterns = ["hook:*", "setting:env.*", "*:a*b*", "a\\*b", "*", "hook:Stop:\\*:*.js"];
  fuzz(1000, (random) => {
    const pattern = damaged(patterns, random).slice(0, 40);
    const text = damaged([...keys, pattern.replaceAll("*", "x"), pattern], random).slice(0, 60);
    // One `\*` is a star, any other star any text; everything else stands for itself.
    const source = pattern.split("\\*").map((part) =>
      part
        .split(/\*+/)
        .map((each) => each.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
        .join("[^]*?"),
    );
    const meant = new RegExp(`^${source.join("\\*")}$`).test(text);
    seen[meant ? "yes" : "no"]++;
    expect([pattern, text, matchesPattern(pattern, text)]).toEqual([pattern, text, meant]);
  });
  expect(Math.min(seen.yes, seen.no)).toBeGreaterThan(50);
});

const commands = [
  "node ~/zylos/scripts/beat.js --quiet",
  'FOO=1 nice -n 5 "$HOME/a b/x.sh" && echo \'it\'"s" > ~/log 2>&1',
  'bash -c "cd ~ && ./run.py --opt=\\"x y\\"" # no',
  '"C:\\Program Files\\node.exe" %APPDATA%\\x.js /c',
  "env -i PATH=/bin python3 -m pkg.mod | tee $(date +%F).log; (x)",
];

it.each([
  ["linux", linux],
  ["darwin", darwin],
  ["win32", windows],
] as const)(
  "damaged command lines come to a form that stays as it is: %s",
  (_, machine) => {
    let changed = 0;
    fuzz(600, (random) => {
      // A script inside a command is written as sh reads it, with quotes that Windows does not know.
      const text = damaged(machine === windows ? commands.filter((each) => !each.includes(" -c ")) : commands, random);
      const once = canonicalCommand(text, machine);
      if (once !== text) changed++;
      expect([text, canonicalCommand(once, machine)]).toEqual([text, once]);
    });
    expect(changed).toBeGreaterThan(100);
  },
  timeLimit,
);

const blocks = [
  "# mine\n\n# BEGIN ZYLOS MANAGED\nmanaged\n# END ZYLOS MANAGED\n\n# BEGIN OTHER MANAGED\nx\n# END OTHER MANAGED\n",
  "<!-- BEGIN ZYLOS MANAGED -->\r\n# Notes\r\n<!-- END ZYLOS MANAGED -->\r\nend",
  "\ufeffnotes\n; END ZYLOS MANAGED\n; BEGIN ZYLOS MANAGED\n",
];

it(
  "damaged texts with blocks: a block is written and read back, and nothing else moves; or it is refused",
  options,
  () => {
    const seen = { edited: 0, refused: 0 };
    const place = { fileName: "notes.md", traceOf: () => undefined };
    fuzz(1000, (random) => {
      const text = damaged(blocks, random);
      const body = random.of(["", "one\n", "one\ntwo\n", "no break"]);
      const before = readBlock(text, "zylos");
      const written = writeBlock(text, "zylos", body, place);
      seen[written.kind]++;
      if (written.kind === "refused") return;
      const after = readBlock(written.text, "zylos");
      const lines = body === "" || body.endsWith("\n") ? body : `${body}\n`;
      if (after.kind !== "found" || after.body !== lines)
        throw new Error(`${JSON.stringify(written.text)}\nof ${JSON.stringify(text)}`);
      if (before.kind === "found") {
        expect(written.text.slice(0, after.inner.start)).toBe(text.slice(0, before.inner.start));
        expect(written.text.slice(after.inner.end)).toBe(text.slice(before.inner.end));
        return;
      }
      expect(removeBlock(written.text, "zylos", written.trace)).toMatchObject({ kind: "edited", text });
    });
    expect(Math.min(seen.edited, seen.refused)).toBeGreaterThan(50);
  },
);
