import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { evaluateFor } from "../../src/host/evaluate/evaluate.ts";
import { type EvaluatedHost, evaluationDocument, systemLayout } from "../../src/host/evaluate/evaluation.ts";
import { type Catalog, openCatalog } from "../../src/host/evaluate/service.ts";
import { readFolder } from "../../src/host/repository/tree.ts";
import { diskReader } from "../../src/store/gate/disk-reader.ts";
import { pathsOf, textOf } from "./repository.ts";

const fixture = join(import.meta.dirname, "fixture");
const quadlet = "/etc/containers/systemd";
let catalog: Catalog;
const evaluate = (host: string): EvaluatedHost => evaluateFor(catalog, host, systemLayout);

beforeAll(() => {
  catalog = openCatalog(readFolder(diskReader(), fixture));
});

describe("the repository of the document", () => {
  test("FR-003: base artefacts and host overlays are told apart by where they stand", () => {
    const origins = evaluate("kadath").files.flatMap((file) => file.origin);
    const layers = new Set(origins.map((origin) => origin.split("/").slice(0, 2).join("/")));
    expect([...layers].sort()).toEqual(["hosts/kadath", "services/immich", "services/traefik"]);
    expect(evaluate("kadath").files.find((file) => file.path.endsWith("traefik.toml"))?.origin).toHaveLength(2);
  });

  test("User Story 1, scenario 1: a host's desired state holds only what it selected", () => {
    expect(pathsOf(evaluate("ulthar"))).toEqual([
      `${quadlet}/whoami.container`,
      `${quadlet}/whoami.container.d/20-host.conf`,
    ]);
    expect(new Set(evaluate("kadath").files.map((file) => file.service))).toEqual(new Set(["traefik", "immich"]));
  });

  test("User Story 1, scenario 2: two hosts with different selections get different, bounded states", () => {
    expect(evaluate("kadath").services).toEqual(["traefik", "immich"]);
    expect(evaluate("rlyeh").services).toEqual(["vector", "traefik"]);
    expect(pathsOf(evaluate("rlyeh")).filter((path) => path.includes("immich"))).toEqual([]);
  });

  test("FR-001, SC-003: three hosts share base artefacts that stand in the repository once", () => {
    const [kadath, rlyeh] = [evaluate("kadath"), evaluate("rlyeh")];
    expect(catalog.hosts).toEqual(["kadath", "rlyeh", "ulthar"]);
    expect(textOf(kadath, `${quadlet}/traefik.container`)).toBe(textOf(rlyeh, `${quadlet}/traefik.container`));
    for (const host of catalog.hosts)
      expect(evaluate(host).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("User Story 2, scenarios 1 and 2, FR-002: each host has its own drop-ins and no other's", () => {
    expect(pathsOf(evaluate("kadath"))).toContain(`${quadlet}/traefik.container.d/20-host.conf`);
    expect(pathsOf(evaluate("rlyeh"))).not.toContain(`${quadlet}/traefik.container.d/20-host.conf`);
    expect(pathsOf(evaluate("rlyeh"))).toContain(`${quadlet}/vector.container.d/20-host.conf`);
  });

  test("User Story 2, scenario 3, FR-012, FR-013: config is replaced by whole files and layered by folder", () => {
    const [kadath, rlyeh] = [evaluate("kadath"), evaluate("rlyeh")];
    expect(textOf(kadath, "/etc/traefik/traefik.toml")).toContain("websecure");
    expect(textOf(rlyeh, "/etc/traefik/traefik.toml")).not.toContain("websecure");
    expect(pathsOf(kadath).filter((path) => path.startsWith("/etc/traefik/dynamic/"))).toEqual([
      "/etc/traefik/dynamic/local.toml",
      "/etc/traefik/dynamic/routers.toml",
    ]);
    expect(pathsOf(rlyeh).filter((path) => path.startsWith("/etc/traefik/dynamic/"))).toEqual([
      "/etc/traefik/dynamic/routers.toml",
    ]);
  });

  test("User Story 3, scenario 1, FR-007, SC-001: evaluated twice, byte for byte the same", () => {
    const again = openCatalog(readFolder(diskReader(), fixture));
    for (const host of catalog.hosts) {
      const [first, second] = [evaluate(host), evaluateFor(again, host, systemLayout)];
      expect(JSON.stringify(evaluationDocument(second, "abc"))).toBe(JSON.stringify(evaluationDocument(first, "abc")));
    }
  });

  test("the JSON document: hash, mode, kind, service and origin of every file", () => {
    const document = evaluationDocument(evaluate("kadath"), undefined);
    expect(Object.keys(document)).toEqual(["host", "rev", "services", "files", "diagnostics"]);
    expect(document.rev).toBeNull();
    expect(document.files.find((file) => file.path === "/etc/systemd/system/traefik.socket")).toEqual({
      path: "/etc/systemd/system/traefik.socket",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      mode: "0644",
      kind: "unit",
      service: "traefik",
      origin: ["services/traefik/quadlet/traefik.socket"],
    });
    expect(document.files.find((file) => file.path === "/etc/traefik/traefik.toml")?.origin).toEqual([
      "services/traefik/config/etc/traefik/traefik.toml",
      "hosts/kadath/overrides/config/etc/traefik/traefik.toml",
    ]);
  });

  test("what a host overrides is said with both places", () => {
    expect(evaluate("kadath").diagnostics).toEqual([
      expect.objectContaining({
        code: "host-override",
        severity: "info",
        file: "hosts/kadath/overrides/quadlet/traefik.container.d/20-host.conf",
        line: 2,
        message: expect.stringContaining("services/traefik/quadlet/traefik.container:7"),
      }),
    ]);
  });
});
