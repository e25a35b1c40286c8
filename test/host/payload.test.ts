import { describe, expect, test } from "vitest";
import { staysInPayload } from "../../src/host/evaluate/payload.ts";
import { evaluateBox, link, pathsOf, textOf, told } from "./repository.ts";

const base = (path: string) => `services/web/config/etc/web/${path}`;
const host = (path: string) => `hosts/box/overrides/config/etc/web/${path}`;
const configOf = (files: Parameters<typeof evaluateBox>[0]) =>
  pathsOf(evaluateBox(files)).filter((path) => path.startsWith("/etc/web/"));

describe("config payloads (FR-012, FR-013, FR-014)", () => {
  test("FR-010, FR-014: bytes arrive as they are: no merge, no template, no ${}", () => {
    const text = "a = 1\n# ${HOST} {{ .Values }} %h\n";
    const evaluation = evaluateBox({ [base("a.toml")]: "a = 0\nb = 2\n", [host("a.toml")]: text });
    expect(textOf(evaluation, "/etc/web/a.toml")).toBe(text);
  });

  test("binary files and executable bits survive", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const evaluation = evaluateBox({ [base("run.bin")]: { kind: "file", bytes, executable: true } });
    expect(evaluation.files.at(-1)?.content).toEqual({ kind: "file", bytes, mode: 0o755 });
  });

  test("a link within the payload stays a link", () => {
    const evaluation = evaluateBox({ [base("a/real")]: "x", [base("b/link")]: link("../a/real") });
    expect(told(evaluation)).toEqual([]);
    expect(textOf(evaluation, "/etc/web/b/link")).toBe("-> ../a/real");
  });

  test("a link to elsewhere in the repository delivers what it points to, folders too", () => {
    const evaluation = evaluateBox({
      "shared/certs/ca.pem": "CA",
      [base("certs")]: link("../../../../../shared/certs"),
    });
    expect(told(evaluation)).toEqual([]);
    expect(textOf(evaluation, "/etc/web/certs/ca.pem")).toBe("CA");
  });

  test.each(["/etc/shadow", "../../../../../../etc/shadow", "missing-elsewhere/../../../../x"])(
    "a link to %s is refused",
    (target) => {
      expect(told(evaluateBox({ [base("x")]: link(target) }))).toEqual([`unsafe-path ${base("x")}`]);
    },
  );

  test("links in a circle are refused", () => {
    const evaluation = evaluateBox({
      "shared/loop": link("../shared/loop"),
      [base("x")]: link("../../../../../shared/loop"),
    });
    expect(told(evaluation)).toEqual([`unsafe-path ${base("x")}`]);
    const contains = evaluateBox({ [base("x")]: link("../../../..") });
    expect(told(contains)).toEqual([`unsafe-path ${base("x")}`]);
  });

  test.each([
    "services/web/config/etc/other/x",
    "services/web/config/etc/web",
    "services/web/config/etc/passwd",
    "services/web/config/usr/bin/x",
    "services/web/config/x",
    "hosts/box/overrides/config/etc/nobody/x",
    "hosts/box/overrides/config/var/x",
  ])("a payload may only go to /etc/<its service>: %s", (path) => {
    expect(told(evaluateBox({ [path]: "x" })).map((line) => line.split(" ")[0])).toEqual(["path-outside-service"]);
  });

  test("a path that climbs is refused", () => {
    expect(told(evaluateBox({ "services/web/config/etc/web/../../../passwd": "x" }))).toEqual([
      "unsafe-path services/web/config/etc/web/..",
    ]);
  });

  test("a service called systemd can't smuggle units in as config", () => {
    const evaluation = evaluateBox({
      "services/systemd/config/etc/systemd/system/evil.service": "x",
      "hosts/box/host.yaml": "host: box\nservices: [web, systemd]\n",
    });
    expect(told(evaluation)).toEqual(["unsafe-path services/systemd/config/etc/systemd/system/evil.service"]);
  });

  test("review remark: a host's config override needs its service selected", () => {
    const evaluation = evaluateBox({
      "services/other/quadlet/other.container": "",
      "hosts/box/overrides/config/etc/other/x": "x",
    });
    expect(told(evaluation)).toEqual(["unselected-overlay hosts/box/overrides/config/etc/other"]);
    expect(pathsOf(evaluation)).not.toContain("/etc/other/x");
  });

  test("a file where the other layer has a folder is a conflict", () => {
    const evaluation = evaluateBox({ [base("dynamic")]: "file", [host("dynamic/local.toml")]: "x" });
    expect(told(evaluation)).toEqual([`path-conflict ${host("dynamic/local.toml")}`]);
  });

  test("layers join by folder", () => {
    expect(configOf({ [base("d/a")]: "", [base("d/b")]: "", [host("d/b")]: "x", [host("d/c")]: "" })).toEqual([
      "/etc/web/d/a",
      "/etc/web/d/b",
      "/etc/web/d/c",
    ]);
  });

  test.each([
    ["etc/web/a", "b", true],
    ["etc/web/d/a", "../b", true],
    ["etc/web/a", "../b", false],
    ["etc/web/d/a", "../../b", false],
    ["etc/web/d/a", "x/../../b", false],
    ["etc/web/a", "/etc/web/b", false],
  ])("%s -> %s stays in its payload: %s", (path, target, stays) => {
    expect(staysInPayload(path, target)).toBe(stays);
  });
});
