import { describe, expect, test } from "vitest";
import { evaluateFor } from "../../src/host/evaluate/evaluate.ts";
import { systemLayout } from "../../src/host/evaluate/evaluation.ts";
import { container, evaluateBox, link, pathsOf, repository, textOf, told, webOnBox } from "./repository.ts";

const quadlet = "/etc/containers/systemd";

describe("which host", () => {
  test("edge case, FR-004: no host identity", () => {
    expect(told(evaluateFor(webOnBox(), undefined, systemLayout))).toEqual(["no-host-identity"]);
    expect(told(evaluateFor(webOnBox(), "", systemLayout))).toEqual(["no-host-identity"]);
  });

  test("an unknown host is an error that names the known ones", () => {
    const evaluation = evaluateFor(webOnBox(), "elsewhere", systemLayout);
    expect(told(evaluation)).toEqual(["unknown-host hosts"]);
    expect(evaluation.diagnostics[0]?.message).toContain("box");
    expect(evaluation.files).toEqual([]);
  });

  test("a host's name is no path", () => {
    expect(told(evaluateFor(webOnBox(), "../box", systemLayout))).toEqual(["unknown-host hosts"]);
  });
});

describe("host.yaml (FR-005)", () => {
  const withYaml = (text: string) => evaluateBox({ "hosts/box/host.yaml": text });

  test.each([
    ["not YAML", "host: [box\n", "invalid-host-yaml hosts/box/host.yaml:2"],
    ["a list", "- box\n", "invalid-host-yaml hosts/box/host.yaml:1"],
    ["empty", "", "invalid-host-yaml hosts/box/host.yaml:1"],
    ["another host's name", "host: other\nservices: []\n", "invalid-host-yaml hosts/box/host.yaml:1"],
    ["no host", "services: [web]\n", "invalid-host-yaml hosts/box/host.yaml:1"],
    ["no services", "host: box\n", "invalid-host-yaml hosts/box/host.yaml:1"],
    ["services as text", "host: box\nservices: web\n", "invalid-host-yaml hosts/box/host.yaml:2"],
    ["groups", "host: box\nservices: [web]\ngroups: [all]\n", "invalid-host-yaml hosts/box/host.yaml:3"],
    ["a service twice", "host: box\nservices:\n  - web\n  - web\n", "invalid-host-yaml hosts/box/host.yaml:4"],
    ["a path for a service", "host: box\nservices:\n  - ../web\n", "invalid-host-yaml hosts/box/host.yaml:3"],
    ["a key twice", "host: box\nhost: box\nservices: []\n", "invalid-host-yaml hosts/box/host.yaml:2"],
  ])("%s is refused with its place", (_, text, expected) => {
    const evaluation = withYaml(text);
    expect(told(evaluation)).toEqual([expected]);
    expect(evaluation.files).toEqual([]);
  });

  test("a host without host.yaml", () => {
    const evaluation = evaluateFor(repository({ "hosts/box/README.md": "" }), "box", systemLayout);
    expect(told(evaluation)).toEqual(["invalid-host-yaml hosts/box/host.yaml"]);
  });

  test("a service that is a submodule is no service, and it is said why", () => {
    const evaluation = evaluateBox({
      "hosts/box/host.yaml": "host: box\nservices: [other]\n",
      "services/other": { kind: "submodule" },
    });
    expect(told(evaluation)).toEqual(["unknown-service hosts/box/host.yaml:2"]);
    expect(evaluation.diagnostics[0]?.message).toContain("submodule");
  });

  test("what a unit that can't be read names is not said to be of no use", () => {
    const broken = { "services/web/quadlet/web.container": "garbage\n", "services/web/quadlet/web.env": "A=1\n" };
    const overlay = { "hosts/box/overrides/quadlet/web.env": "A=2\n" };
    expect(told(evaluateBox({ ...broken, ...overlay }))).toEqual(["invalid-unit services/web/quadlet/web.container:1"]);
  });

  test("edge case, FR-008: an undefined service is an error at its line, and the others are still looked at", () => {
    const evaluation = evaluateBox({
      "hosts/box/host.yaml": "host: box\nservices:\n  - web\n  - nope\n",
      "services/web/quadlet/notes.txt": "",
    });
    expect(told(evaluation)).toEqual([
      "unknown-service hosts/box/host.yaml:4",
      "unsupported-file services/web/quadlet/notes.txt",
    ]);
  });

  test("no services at all is a valid wish", () => {
    expect(evaluateBox({ "hosts/box/host.yaml": "host: box\nservices: []\n" })).toEqual({
      host: "box",
      services: [],
      files: [],
      diagnostics: [],
    });
  });
});

describe("units", () => {
  test("FR-011: the extension decides where a file goes, not the folder", () => {
    const evaluation = evaluateBox({
      ...Object.fromEntries(["volume", "network", "pod"].map((type) => [`services/web/quadlet/data.${type}`, ""])),
      "services/web/quadlet/play.kube": "[Kube]\nYaml=/etc/web/play.yaml\n",
      "services/web/quadlet/base.image": "[Image]\nImage=example.org/base\n",
      "services/web/quadlet/own.build": "[Build]\nImageTag=localhost/own\nFile=/etc/web/Containerfile\n",
      "services/web/quadlet/model.artifact": "[Artifact]\nArtifact=example.org/model:1\n",
      ...Object.fromEntries(
        ["socket", "timer", "path", "mount", "target"].map((type) => [`services/web/quadlet/native.${type}`, ""]),
      ),
      "services/web/quadlet/native.service": "[Service]\nExecStart=/bin/true\n",
    });
    expect(told(evaluation)).toEqual([]);
    expect(pathsOf(evaluation)).toEqual([
      ...[
        "base.image",
        "data.network",
        "data.pod",
        "data.volume",
        "model.artifact",
        "own.build",
        "play.kube",
        "web.container",
      ].map((name) => `${quadlet}/${name}`),
      ...["mount", "path", "service", "socket", "target", "timer"].map((type) => `/etc/systemd/system/native.${type}`),
    ]);
  });

  test.each([
    "services/web/quadlet/notes.txt",
    "services/web/quadlet/web.slice",
    "services/web/quadlet/.container",
    "services/web/quadlet/sub/deep.container",
    "services/web/quadlet/web.container.d/10-a.conf",
    "services/web/quadlets/web.container",
    "services/web/quadlet-overrides/stray.conf",
    "services/web/quadlet-overrides/web.container.d/readme.txt",
    "hosts/box/override/quadlet/web.container.d/10-a.conf",
    "hosts/box/overrides/quadlet/web.container",
    "hosts/box/overrides/quadlet/web.container.d/10-a.yaml",
    "hosts/box/overrides/files/x",
  ])("edge case, FR-008: an unsupported file is refused by name: %s", (path) => {
    expect(told(evaluateBox({ [path]: container })).map((line) => line.split(" ")[0])).toContain("unsupported-file");
  });

  test("notes and Git's own files mean nothing", () => {
    const evaluation = evaluateBox({
      "services/web/README.md": "x",
      "services/web/quadlet/.gitkeep": "",
      "hosts/box/README.md": "x",
    });
    expect(told(evaluation)).toEqual([]);
  });

  test("a unit of the same name in two selected services is a conflict that names both", () => {
    const evaluation = evaluateBox({
      "services/other/quadlet/web.container": container,
      "hosts/box/host.yaml": "host: box\nservices: [web, other]\n",
    });
    expect(told(evaluation)).toEqual(["path-conflict services/other/quadlet/web.container"]);
    expect(evaluation.diagnostics[0]?.message).toContain("services/web/quadlet/web.container");
  });

  test("two files that become one service are a conflict", () => {
    const evaluation = evaluateBox({ "services/web/quadlet/web.service": "[Service]\nExecStart=/bin/true\n" });
    expect(told(evaluation)).toEqual(["path-conflict services/web/quadlet/web.service"]);
    const named = evaluateBox({ "services/web/quadlet/other.container": `${container}ServiceName=web\n` });
    expect(told(named)).toEqual(["path-conflict services/web/quadlet/web.container"]);
  });

  test("an instance of a template stays a link", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/job@.container": container,
      "services/web/quadlet/job@1.container": link("job@.container"),
    });
    expect(told(evaluation)).toEqual([]);
    expect(textOf(evaluation, `${quadlet}/job@1.container`)).toBe("-> job@.container");
  });

  test("review remark: an unselected service blocks nobody, however broken", () => {
    const evaluation = evaluateBox({
      "services/broken/quadlet/x.txt": "",
      "services/broken/quadlet/x.container": "nonsense",
      "services/broken/quadlet-overrides/gone.container.d/a.conf": "",
      "services/broken/config/etc/passwd": "root",
    });
    expect(told(evaluation)).toEqual([]);
    expect(pathsOf(evaluation)).toEqual([`${quadlet}/web.container`]);
  });

  test("User Story 3, scenario 2, SC-002: all errors are collected, each with its place", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/bad.container": "[Container]\nImage=a\nnonsense\n",
      "services/web/config/etc/other/x": "",
      "hosts/box/overrides/quadlet/gone.container.d/10-a.conf": "",
      "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "Image=b\n",
    });
    expect(told(evaluation)).toEqual([
      "orphan-dropin hosts/box/overrides/quadlet/gone.container.d",
      "invalid-unit hosts/box/overrides/quadlet/web.container.d/10-a.conf:1",
      "path-outside-service services/web/config/etc/other",
      "invalid-unit services/web/quadlet/bad.container:3",
    ]);
  });
});

describe("invalid-unit", () => {
  const tellUnit = (name: string, text: string | Uint8Array) =>
    told(evaluateBox({ [`services/web/quadlet/${name}`]: text }));
  test.each([
    ["a line that is nothing", "x.container", "[Container]\nImage=a\nwhat\n", 3],
    ["a key before any section", "x.container", "Image=a\n", 1],
    ["a byte order mark", "x.container", "\u{feff}[Container]\nImage=a\n", 1],
    ["a key that podman does not know", "x.container", "[Container]\nImage=a\nImmage=b\n", 3],
    ["no image", "x.container", "[Container]\nExec=a\n", 1],
    ["an image taken away", "x.container", "[Container]\nImage=a\nImage=\n", 1],
    ["no YAML", "x.kube", "[Kube]\n", 1],
    ["a section that is not closed", "x.timer", "[Timer\nOnBootSec=1\n", 1],
    ["a line that systemd would skip", "x.timer", "[Timer]\nOnBootSec\n", 2],
    ["a section of another kind of unit", "x.socket", "[Socket]\nListenStream=1\n[Container]\nImage=a\n", 3],
    ["a section of another kind of Quadlet file", "x.container", "[Container]\nImage=a\n[Pod]\nPodName=b\n", 3],
    ["a section with a slip of the pen", "x.service", "[service]\nExecStart=/bin/true\n", 1],
    ["a section that targets do not have", "x.target", "[Unit]\nAfter=a.service\n[Target]\n", 3],
    ["bytes that are no text", "x.timer", Buffer.from([0x5b, 0x54, 0x5d, 0x0a, 0xff, 0xfe]), 2],
  ])("%s", (_, name, text, line) => {
    expect(tellUnit(name, text)).toContain(`invalid-unit services/web/quadlet/${name}:${line}`);
  });

  test("keys and sections for other programs begin with X-", () => {
    expect(tellUnit("x.container", "[Container]\nImage=a\n[X-Mine]\nAnything=1\n[Service]\nX-Mine=1\n")).toEqual([]);
  });

  test("FR-011: a drop-in has the sections of what it changes, not of what it stands beside", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/web.socket": "[Socket]\nListenStream=1\n",
      "hosts/box/overrides/quadlet/web.socket.d/10-a.conf": "[Unit]\nAfter=b.service\n\n[Container]\nImage=b\n",
      "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "[Socket]\nListenStream=2\n",
      "hosts/box/overrides/quadlet/web.service.d/10-a.conf": "[Container]\nImage=b\n",
      "hosts/box/overrides/quadlet/web.service.d/20-b.conf": "[Service]\nRestart=always\n",
    });
    expect(told(evaluation)).toEqual([
      "invalid-unit hosts/box/overrides/quadlet/web.container.d/10-a.conf:1",
      "invalid-unit hosts/box/overrides/quadlet/web.service.d/10-a.conf:1",
      "invalid-unit hosts/box/overrides/quadlet/web.socket.d/10-a.conf:4",
    ]);
  });

  test("an image that only a drop-in sets is enough", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/x.container": "[Container]\nExec=a\n",
      "hosts/box/overrides/quadlet/x.container.d/10-a.conf": "[Container]\nImage=b\n",
    });
    expect(told(evaluation)).toEqual([]);
  });

  test("a unit's name must be one for systemd", () => {
    expect(tellUnit("a b.container", container)).toEqual(["invalid-unit services/web/quadlet/a b.container"]);
  });
});
