import { describe, expect, test } from "vitest";
import { quadletCases } from "./quadlet-cases.ts";
import { container, evaluateBox, link, pathsOf, textOf, told } from "./repository.ts";

const unit = "services/web/quadlet/web.container";
const withLines = (...lines: string[]) => ({ [unit]: `${container}${lines.map((line) => `${line}\n`).join("")}` });
const errors = (evaluation: ReturnType<typeof evaluateBox>) =>
  told(evaluation).filter((line) => !line.startsWith("host-override"));

describe("podman's rules between keys", () => {
  test.each(quadletCases)("$name", ({ file, text, line, repaired, code = "invalid-unit" }) => {
    const source = `services/web/quadlet/${file}`;
    const refused = evaluateBox({ [source]: text });
    expect(errors(refused)).toEqual([`${code} ${source}${line === undefined ? ":1" : `:${line}`}`]);
    expect(errors(evaluateBox({ [source]: repaired }))).toEqual([]);
  });

  test("hold for the unit after its drop-ins, and name the drop-in's line", () => {
    const dropIn = "hosts/box/overrides/quadlet/web.container.d/10.conf";
    expect(errors(evaluateBox({ [dropIn]: "[Container]\nGroup=x\n" }))).toEqual([`invalid-unit ${dropIn}:2`]);
    expect(errors(evaluateBox({ ...withLines("Group=x"), [dropIn]: "[Container]\nUser=y\n" }))).toEqual([]);
  });
});

describe("references to other units", () => {
  const shared = { "services/net/quadlet/shared.network": "[Network]\n" };
  test("are found in every service that the host selects", () => {
    const files = { ...withLines("Network=shared.network"), ...shared };
    const both = evaluateBox({ ...files, "hosts/box/host.yaml": "host: box\nservices: [web, net]\n" });
    expect(errors(both)).toEqual([]);
    const one = evaluateBox(files);
    expect(errors(one)).toEqual([`missing-reference ${unit}:3`]);
    expect(one.diagnostics[0]!.message).toContain("belongs to net, which this host does not select");
    const none = evaluateBox(withLines("Network=shared.network"));
    expect(none.diagnostics[0]!.message).toContain("no service has");
  });

  test("in dependencies, by a Quadlet file's name", () => {
    expect(errors(evaluateBox({ [unit]: `[Unit]\nAfter=none.container foo.service\n${container}` }))).toEqual([
      `missing-reference ${unit}:2`,
    ]);
    expect(
      errors(
        evaluateBox({
          [unit]: `[Unit]\nAfter=b.container foo.service\n${container}`,
          "services/web/quadlet/b.container": container,
        }),
      ),
    ).toEqual([]);
  });

  test("a drop-in of the host may bring one, and is named", () => {
    const dropIn = "hosts/box/overrides/quadlet/web.container.d/10.conf";
    expect(errors(evaluateBox({ [dropIn]: "[Container]\nVolume=data.volume:/x\n" }))).toEqual([
      `missing-reference ${dropIn}:2`,
    ]);
  });
});

describe("files beside a unit", () => {
  const kube = "services/web/quadlet/pod.kube";
  test("are delivered beside it where a unit names them by a relative path", () => {
    const evaluation = evaluateBox({
      ...withLines("EnvironmentFile=web.env", "Volume=./conf:/conf", "Mount=type=bind,src=./one,dst=/one"),
      "services/web/quadlet/web.env": "A=1\n",
      "services/web/quadlet/conf/a": "a",
      "services/web/quadlet/conf/deep/b": "b",
      "services/web/quadlet/one": link("conf/a"),
      [kube]: "[Kube]\nYaml=pod.yml\nConfigMap=./map.yml\n",
      "services/web/quadlet/pod.yml": "kind: Pod\n",
      "services/web/quadlet/map.yml": "kind: ConfigMap\n",
    });
    expect(errors(evaluation)).toEqual([]);
    const beside = evaluation.files.filter(({ kind }) => kind === "quadlet-file");
    expect(beside.map(({ path }) => path)).toEqual(
      ["conf/a", "conf/deep/b", "map.yml", "one", "pod.yml", "web.env"].map(
        (path) => `/etc/containers/systemd/${path}`,
      ),
    );
    expect(textOf(evaluation, "/etc/containers/systemd/one")).toBe("a");
    expect(beside[0]).toMatchObject({ service: "web", origin: ["services/web/quadlet/conf/a"] });
  });

  test("one that nobody names is refused, and so is a unit in a folder", () => {
    expect(errors(evaluateBox({ "services/web/quadlet/notes.txt": "a" }))).toEqual([
      "unsupported-file services/web/quadlet/notes.txt",
    ]);
    const files = { ...withLines("Volume=./sub:/x"), "services/web/quadlet/sub/b.container": container };
    expect(errors(evaluateBox(files))).toContain("unsupported-file services/web/quadlet/sub/b.container");
  });

  test("one that is not there is missing", () => {
    expect(errors(evaluateBox(withLines("EnvironmentFile=web.env")))).toEqual([`missing-reference ${unit}:3`]);
    expect(errors(evaluateBox({ [kube]: "[Kube]\nYaml=pod.yml\n" }))).toEqual([`missing-reference ${kube}:2`]);
    expect(errors(evaluateBox(withLines("Volume=./x:/x")))).toEqual([`missing-reference ${unit}:3`]);
  });

  test("a specifier may stand for any name", () => {
    const evaluation = evaluateBox({
      ...withLines("EnvironmentFile=web-%i.env", "EnvironmentFile=%h/x.env"),
      "services/web/quadlet/web-1.env": "A=1\n",
    });
    expect(errors(evaluation)).toEqual([]);
    expect(pathsOf(evaluation)).toContain("/etc/containers/systemd/web-1.env");
  });

  test("a build's own folder is its context", () => {
    const build = "[Build]\nImageTag=localhost/a\nFile=Containerfile\nSetWorkingDirectory=unit\n";
    const files = {
      "services/web/quadlet/a.build": build,
      "services/web/quadlet/app.py": "",
      "services/web/quadlet/Containerfile": "FROM x\n",
    };
    expect(errors(evaluateBox(files))).toEqual([]);
    const folder = { "services/web/quadlet/a.build": "[Build]\nImageTag=localhost/a\nSetWorkingDirectory=./app\n" };
    expect(errors(evaluateBox({ ...folder, "services/web/quadlet/app/Containerfile": "FROM x\n" }))).toEqual([]);
    expect(errors(evaluateBox(folder))).toEqual(["missing-reference services/web/quadlet/a.build:3"]);
  });

  test("a host may replace one, or bring one for a drop-in of its own", () => {
    const files = { ...withLines("EnvironmentFile=web.env"), "services/web/quadlet/web.env": "A=1\n" };
    const replaced = evaluateBox({ ...files, "hosts/box/overrides/quadlet/web.env": "A=2\n" });
    expect(errors(replaced)).toEqual([]);
    expect(textOf(replaced, "/etc/containers/systemd/web.env")).toBe("A=2\n");
    const own = {
      "hosts/box/overrides/quadlet/web.container.d/10.conf": "[Container]\nEnvironmentFile=box.env\n",
      "hosts/box/overrides/quadlet/box.env": "A=3\n",
    };
    expect(pathsOf(evaluateBox(own))).toContain("/etc/containers/systemd/box.env");
    expect(errors(evaluateBox({ "hosts/box/overrides/quadlet/box.env": "A=3\n" }))).toEqual([
      "unsupported-file hosts/box/overrides/quadlet/box.env",
    ]);
  });

  test("links lead nowhere outside", () => {
    const files = { ...withLines("EnvironmentFile=web.env"), "services/web/quadlet/web.env": link("/etc/passwd") };
    expect(errors(evaluateBox(files))).toContain("unsafe-path services/web/quadlet/web.env");
  });
});

describe("absolute paths", () => {
  const config = { "services/web/config/etc/web/web.env": "A=1\n" };
  test("outside the repository's reach are nobody's business", () => {
    const lines = [
      "EnvironmentFile=/etc/other/x",
      "Volume=/srv/x:/x",
      "Volume=%h/x:/x",
      "Volume=named:/y",
      "EnvironmentFile=/etc/web.env",
    ];
    expect(errors(evaluateBox({ ...withLines(...lines), ...config }))).toEqual([]);
    // A service that delivers nothing has nothing to do with what stands there.
    expect(errors(evaluateBox(withLines("EnvironmentFile=/etc/web/web.env")))).toEqual([]);
  });

  test("below a service that delivers files, what is not delivered is missing", () => {
    expect(
      errors(
        evaluateBox({ ...withLines("EnvironmentFile=/etc/web/web.env", "Volume=/etc/web:/etc/web:ro"), ...config }),
      ),
    ).toEqual([]);
    expect(errors(evaluateBox({ ...withLines("EnvironmentFile=/etc/web/wbe.env"), ...config }))).toEqual([
      `missing-reference ${unit}:3`,
    ]);
    expect(
      errors(
        evaluateBox({
          [unit]: `${container}[Service]\nEnvironmentFile=-/etc/web/x\nEnvironmentFile=/etc/web/y\n`,
          ...config,
        }),
      ),
    ).toEqual([`missing-reference ${unit}:5`]);
  });

  test("below a service that this host does not select", () => {
    const files = { ...withLines("Volume=/etc/certs/ca.pem:/ca.pem"), "services/certs/config/etc/certs/ca.pem": "x" };
    expect(errors(evaluateBox(files))).toEqual([`missing-reference ${unit}:3`]);
    expect(errors(evaluateBox({ ...files, "hosts/box/host.yaml": "host: box\nservices: [web, certs]\n" }))).toEqual([]);
  });

  test("encrypted credentials have to be delivered", () => {
    const files = { [unit]: `${container}[Service]\nLoadCredentialEncrypted=db:/etc/web/db.cred\n`, ...config };
    expect(errors(evaluateBox(files))).toEqual([`missing-reference ${unit}:4`]);
    const credential = "services/web/config/etc/web/db.cred";
    expect(errors(evaluateBox({ ...files, [credential]: "hunter2\n" }))).toEqual([`plain-secret ${unit}:4`]);
    expect(
      errors(
        evaluateBox({
          ...files,
          [credential]: `${"k6iUCUh0RJCQyvL8k8q1UyAAAAABAAAADAAAABAAAAC1lFmbWAqWZ8dCCQkAAAAA".repeat(2)}\n`,
        }),
      ),
    ).toEqual([]);
  });
});

describe("systemd's keys", () => {
  const native = "services/web/quadlet/tick.timer";
  test.each([
    [unit, `${container}[Service]\nRestrat=always\n`, 4, "Restart"],
    [unit, `[Unit]\nAfterr=a.service\n${container}`, 2, "After"],
    ["services/web/quadlet/web.socket", "[Socket]\nListenStreem=80\n", 2, "ListenStream"],
    [native, "[Timer]\nOnCalender=daily\n[Install]\nWantedBy=timers.target\n", 2, "OnCalendar"],
    [native, "[Timer]\nOnCalendar=daily\n[Install]\nWantedby=timers.target\n", 4, "WantedBy"],
    ["hosts/box/overrides/quadlet/web.container.d/10.conf", "[Service]\nRestartsec=1\n", 2, "RestartSec"],
  ])("one that systemd would pass over is refused: %s", (file, text, line, meant) => {
    const evaluation = evaluateBox({ [file]: text });
    expect(errors(evaluation)).toEqual([`invalid-unit ${file}:${line}`]);
    expect(evaluation.diagnostics[0]!.message).toContain(`(did you mean ${meant}?)`);
  });

  test("what it still reads and no longer documents, what is new, and what is for others", () => {
    const lines =
      "[Unit]\nBindTo=a.service\nPropagateReloadTo=a.service\nX-Mine=1\n[Service]\nStartLimitInterval=1\nMemoryLimit=1G\nX-Y=1\n[X-Other]\nA=1\n";
    expect(errors(evaluateBox({ [unit]: `${container}${lines}` }))).toEqual([]);
  });
});
