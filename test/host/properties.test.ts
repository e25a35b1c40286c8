import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkHosts } from "../../src/host/evaluate/all-hosts.ts";
import { evaluateFor } from "../../src/host/evaluate/evaluate.ts";
import { evaluationDocument, systemLayout } from "../../src/host/evaluate/evaluation.ts";
import { type Given, link, repository } from "./repository.ts";

const name = fc.constantFrom("web", "db", "mail");
const unitFile = fc.constantFrom(
  "web.container",
  "db.container",
  "db.volume",
  "mail.socket",
  "job@.container",
  "x.txt",
  "a.timer",
);
const confName = fc.constantFrom("10-a.conf", "20-b.conf", "é.conf", "\u{10000}.conf", "05-z.conf", "readme");
const text = fc.constantFrom(
  "",
  "[Container]\nImage=a\n",
  "[Container]\nExec=b\n",
  "nonsense",
  "[Socket]\nListenStream=1\n",
  "[Container]\nImage=c\nPublishPort=1\n",
);
const content: fc.Arbitrary<Given> = fc.oneof(
  text,
  fc.constantFrom("../x", "/etc/passwd", "b", "../../../../../../x").map(link),
  fc.uint8Array({ maxLength: 4 }),
);
const path = fc.oneof(
  fc.tuple(name, unitFile).map(([service, file]) => `services/${service}/quadlet/${file}`),
  fc
    .tuple(name, unitFile, confName)
    .map(([service, unit, file]) => `services/${service}/quadlet-overrides/${unit}.d/${file}`),
  fc
    .tuple(name, name, fc.constantFrom("a", "b/c", "b", "run.sh"))
    .map(([service, folder, file]) => `services/${service}/config/etc/${folder}/${file}`),
  fc.tuple(unitFile, confName).map(([unit, file]) => `hosts/box/overrides/quadlet/${unit}.d/${file}`),
  fc
    .tuple(name, fc.constantFrom("a", "b/d", "b"))
    .map(([folder, file]) => `hosts/box/overrides/config/etc/${folder}/${file}`),
);
const selection = fc
  .subarray(["web", "db", "mail", "gone"])
  .map((services) => `host: box\nservices: [${services.join(", ")}]\n`);
const files = fc
  .tuple(fc.dictionary(path, content, { maxKeys: 12 }), selection)
  .map(([entries, yaml]) => ({ ...entries, "hosts/box/host.yaml": yaml }));

const evaluate = (entries: Record<string, Given>) => evaluateFor(repository(entries), "box", systemLayout);
const printed = (entries: Record<string, Given>) => JSON.stringify(evaluationDocument(evaluate(entries), undefined));

describe("properties of evaluation, for random repositories", () => {
  test("FR-007, SC-001: the same answer every time, whatever order the files come in", () => {
    fc.assert(
      fc.property(files, fc.infiniteStream(fc.nat()), (entries, keys) => {
        const shuffled = Object.fromEntries(
          Object.entries(entries)
            .map((entry) => ({ entry, key: keys.next().value as number }))
            .sort((a, b) => a.key - b.key)
            .map(({ entry }) => entry),
        );
        expect(printed(shuffled)).toBe(printed(entries));
      }),
      { numRuns: 300 },
    );
  });

  test("every file goes to its own service's place, every origin is in the repository, no path twice", () => {
    fc.assert(
      fc.property(files, (entries) => {
        const { files: evaluated, diagnostics } = evaluate(entries);
        for (const file of evaluated) {
          if (file.kind === "config") expect(file.path.startsWith(`/etc/${file.service}/`)).toBe(true);
          else expect(file.path).toMatch(/^\/etc\/(containers\/systemd|systemd\/system)\/[^/]+(\.d\/[^/]+\.conf)?$/);
          expect(file.path).not.toMatch(/\/\.\.?(\/|$)/);
          for (const origin of file.origin) expect(Object.keys(entries)).toContain(origin);
        }
        if (!diagnostics.some(({ code }) => code === "path-conflict"))
          expect(new Set(evaluated.map((file) => file.path)).size).toBe(evaluated.length);
      }),
      { numRuns: 300 },
    );
  });

  test("every diagnostic names its place, and its code has one severity", () => {
    const severities = new Map<string, string>();
    fc.assert(
      fc.property(files, (entries) => {
        for (const { code, severity, file, message } of evaluate(entries).diagnostics) {
          expect(file).toBeDefined();
          expect(message).not.toContain("\n");
          expect(severities.get(code) ?? severity).toBe(severity);
          severities.set(code, severity);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("a host's state does not depend on services it does not select", () => {
    fc.assert(
      fc.property(files, (entries) => {
        const { services, files: before } = evaluate(entries);
        const others = Object.keys(entries).filter(
          (each) => each.startsWith("services/") && !services.includes(each.split("/")[1]!),
        );
        const without = Object.fromEntries(Object.entries(entries).filter(([each]) => !others.includes(each)));
        expect(evaluate(without).files).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });
});

describe("numbers", () => {
  const services = Array.from({ length: 50 }, (_, i) => `service${i}`);
  const catalogue = Object.fromEntries(
    services.flatMap((service) => [
      [
        `services/${service}/quadlet/${service}.container`,
        "[Unit]\nDescription=x\n[Container]\nImage=example.org/a\nPublishPort=1\n[Install]\nWantedBy=default.target\n",
      ],
      [`services/${service}/quadlet-overrides/${service}.container.d/10-a.conf`, "[Container]\nEnvironment=A=1\n"],
    ]),
  );

  test("SC-004: 50 artefacts and their drop-ins are evaluated; bench/host.mjs holds the time to 20 ms where the document allows a second", () => {
    const entries = { ...catalogue, "hosts/box/host.yaml": `host: box\nservices: [${services.join(", ")}]\n` };
    expect(evaluate(entries).files).toHaveLength(100);
  });

  test("a hundred hosts of fifty services are checked", async () => {
    const hosts = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [
        [`hosts/host${i}/host.yaml`, `host: host${i}\nservices: [${services.join(", ")}]\n`],
        [`hosts/host${i}/overrides/quadlet/service1.container.d/20-host.conf`, `[Container]\nHostName=host${i}\n`],
      ]).flat(),
    );
    const checking = { strict: false, verify: async () => [] };
    const checked = await checkHosts(repository({ ...catalogue, ...hosts }), systemLayout, checking);
    expect(checked.hosts.every(({ ok, files: count }) => ok && count === 101)).toBe(true);
  });
});
