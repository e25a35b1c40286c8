// needs: quadlet
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanUnit } from "../../../src/formats/unit/unit.ts";
import { isKnownQuadletKey } from "../../../src/host/units/unit-keys.ts";
import { parseUnitName, runtimeUnit } from "../../../src/host/units/unit-kind.ts";
import { effectiveUnit, renderUnit } from "../../../src/host/units/unit-text.ts";
import { stetHost } from "../../host/cli.ts";
import { webFiles } from "../../host/git-repository.ts";
import { generate, program } from "./generator.ts";
import { sample, type UnitCase, unitText } from "./unit-corpus.ts";

const dropInName = (i: number) => `${10 + i}-part.conf`;

function asWritten(cases: readonly UnitCase[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const { name, unit, dropIns } of cases) {
    files.set(name, unit);
    for (const [i, text] of dropIns.entries()) files.set(`${name}.d/${dropInName(i)}`, text);
  }
  return files;
}

/** Each case as the one file that `stet host show` says it amounts to. */
function asShown(cases: readonly UnitCase[]): Map<string, string> {
  return new Map(
    cases.map(({ name, unit, dropIns }) => {
      const sources = [unit, ...dropIns].map((text, i) => ({ source: String(i), bytes: Buffer.from(text) }));
      return [name, renderUnit(effectiveUnit(parseUnitName(name)!, sources))];
    }),
  );
}

/**
 * podman passes [Service] and the like on to systemd line by line: what counts is what systemd makes of them, which
 * systemd.test.ts checks.
 */
function settled(units: ReadonlyMap<string, string>): Map<string, string> {
  const settle = (name: string, text: string) =>
    renderUnit(effectiveUnit(parseUnitName(name)!, [{ source: name, bytes: Buffer.from(text) }]));
  return new Map([...units].map(([name, text]) => [name, settle(name, text)]));
}

const handWritten: UnitCase[] = [
  {
    name: "single.container",
    unit: "[Container]\nImage=example.org/a\nExec=one\n",
    dropIns: ["[Container]\nImage=example.org/b\n", "[Container]\nExec=two three\n"],
  },
  {
    name: "lists.container",
    unit: "[Container]\nImage=example.org/a\nPublishPort=80\nPublishPort=81\nVolume=/a:/a\n",
    dropIns: ["[Container]\nPublishPort=\nPublishPort=82\nVolume=/b:/b\n"],
  },
  {
    name: "named.container",
    unit: '[Container]\nImage=example.org/a\nEnvironment=A=1 B=2\nEnvironment="C=x y"\nLabel=l=1\n',
    dropIns: ["[Container]\nEnvironment=B=3\nLabel=l=2 m=3\nAnnotation=a=1\n", '[Container]\nEnvironment=A=9 "C=z"\n'],
  },
  {
    name: "continued.container",
    unit: "[Container]\nImage=example.org/a\nExec=1\\\n2\\\n  3\nPodmanArgs=--a \\\n\n--b \\  \n# note\n--c\nEnvironment=A=1\n",
    dropIns: [],
  },
  {
    name: "service.container",
    unit: "[Container]\nImage=example.org/a\n[Service]\nExecStartPre=/bin/a\nRestart=always\n[Unit]\nAfter=x.service\n",
    dropIns: [
      "[Service]\nExecStartPre=\nExecStartPre=/bin/b\nRestart=no\n[Unit]\nAfter=\nAfter=y.service\n[Install]\nWantedBy=default.target\n",
    ],
  },
  {
    name: "twice.container",
    unit: "[Container]\nImage=example.org/a\n[Service]\nNice=1\n[Container]\nUser=1\n",
    dropIns: [],
  },
  {
    name: "windows.container",
    unit: "[Container]\r\nImage=example.org/a\r\nExec=a \\\r\nb\r\n",
    dropIns: ["[Container]\r\nUser=5\r\n"],
  },
  { name: "data.volume", unit: "[Volume]\nLabel=a=1\nDriver=local\n", dropIns: ["[Volume]\nLabel=a=2\nDriver=\n"] },
  {
    name: "net.network",
    unit: "[Network]\nSubnet=10.1.0.0/24\nDNS=1.1.1.1\n",
    dropIns: ["[Network]\nDNS=\nDNS=9.9.9.9\nInternal=true\n"],
  },
  { name: "all.pod", unit: "[Pod]\nPublishPort=80\n", dropIns: ["[Pod]\nPublishPort=81\nPodName=other\n"] },
  {
    name: "play.kube",
    unit: "[Kube]\nYaml=/a.yaml\nConfigMap=/c.yaml\n",
    dropIns: ["[Kube]\nYaml=/b.yaml\nConfigMap=/d.yaml\n"],
  },
  {
    name: "base.image",
    unit: "[Image]\nImage=example.org/a\n",
    dropIns: ["[Image]\nArch=arm64\nImage=example.org/b\n"],
  },
  {
    name: "own.build",
    unit: "[Build]\nImageTag=localhost/a\nFile=/f\nLabel=a=1\n",
    dropIns: ["[Build]\nLabel=a=2\nTarget=final\n"],
  },
];

const assignment = fc.oneof(
  fc.constantFrom(
    "Exec=run it",
    "Exec=",
    "User=7",
    "HostName=h",
    "PublishPort=80",
    "PublishPort=",
    "PublishPort=81",
    "Volume=/a:/a",
  ),
  fc.constantFrom(
    "Environment=A=1 B=2",
    "Environment=A=3",
    'Environment="B=x y" C=1',
    "Environment=",
    "Label=a=1",
    "Label=a=2 b=3",
  ),
  fc.constantFrom(
    "PodmanArgs=--x --y",
    "PodmanArgs=",
    "AddCapability=A B",
    "Mount=type=tmpfs,destination=/a",
    "Timezone=local",
  ),
);
const generated = sample(unitText(fc.constant("Container"), assignment), 150, (i) => `g${i}.container`).map((one) => ({
  ...one,
  unit: `[Container]\nImage=example.org/g\n${one.unit}`,
}));

describe("podman's generator and we read the same", () => {
  test("hand-written units: what show says amounts to the same services", () => {
    const [written, shown] = [generate(asWritten(handWritten)), generate(asShown(handWritten))];
    expect(written.log).not.toMatch(/error/i);
    expect(written.units.size).toBe(handWritten.length);
    expect(settled(shown.units)).toEqual(settled(written.units));
  });

  test("150 generated units: the same", () => {
    const [written, shown] = [generate(asWritten(generated)), generate(asShown(generated))];
    expect(written.units.size).toBe(generated.length);
    expect(settled(shown.units)).toEqual(settled(written.units));
  });

  test("an empty drop-in of the same name masks", () => {
    const masked = generate(
      new Map([
        ["a.container", "[Container]\nImage=x.y/a\n"],
        ["a.container.d/10.conf", ""],
      ]),
    );
    expect(masked.units.get("a.service")).toContain("x.y/a");
  });

  test.each([
    ["a line that is nothing", "[Container]\nImage=a.b/c\nwhat\n"],
    ["a key before any section", "Image=a.b/c\n[Container]\n"],
    ["a byte order mark", "\u{feff}[Container]\nImage=a.b/c\n"],
    ["an unclosed section", "[Container\nImage=a.b/c\n"],
    ["a section without a name", "[]\nImage=a.b/c\n"],
    ["an assignment without a key", "[Container]\nImage=a.b/c\n=x\n"],
  ])("%s is refused by both", (_, text) => {
    expect(scanUnit(text, "quadlet").problems).not.toEqual([]);
    expect(generate(new Map([["a.container", text]])).status).toBe(1);
  });

  test("a value that ends in a backslash is told, and podman drops it", () => {
    const text = "[Container]\nImage=a.b/c\nExec=lost \\\n# end\n";
    expect(scanUnit(text, "quadlet").problems).toHaveLength(1);
    expect(generate(new Map([["a.container", text]])).units.get("a.service")).not.toContain("lost");
  });

  test("an unknown key is refused by both", () => {
    const result = generate(new Map([["a.container", "[Container]\nImage=a.b/c\nImmage=x\n"]]));
    expect(result.log).toContain("unsupported key 'Immage'");
    expect(isKnownQuadletKey("container", "Container", "Immage")).toBe(false);
  });

  test("services are called as we think", () => {
    const names = ["a.container", "b.volume", "c.network", "d.pod", "t@.container"];
    const texts = names.map((name) => [name, name.endsWith(".container") ? "[Container]\nImage=x.y/z\n" : ""] as const);
    expect([...generate(new Map(texts)).units.keys()].sort()).toEqual(
      names.map((name) => runtimeUnit(parseUnitName(name)!, undefined)).sort(),
    );
    expect([...generate(new Map([["a.volume", "[Volume]\nServiceName=other\n"]])).units.keys()]).toEqual([
      "other.service",
    ]);
  });
});

describe("before anything is written", () => {
  const stet = async (files: Record<string, string>, foreign: Record<string, string>) => {
    const home = mkdtempSync(join(tmpdir(), "stet-home-"));
    const write = (folder: string, entries: Record<string, string>) => {
      for (const [path, text] of Object.entries(entries)) {
        mkdirSync(dirname(join(home, folder, path)), { recursive: true });
        writeFileSync(join(home, folder, path), text);
      }
    };
    write("repo", { ...webFiles, ...files });
    write("root/etc/containers/systemd", foreign);
    const env = { PATH: process.env.PATH, HOME: home, STET_QUADLET: program };
    const said = await stetHost(
      ["apply", "--repo", join(home, "repo"), "--host", "box", "--root", join(home, "root")],
      env,
    );
    rmSync(home, { recursive: true });
    return said;
  };

  test("what only the generator sees is refused with its own words", async () => {
    const said = await stet(
      { "services/web/quadlet/a.container": "[Container]\nImage=x.y/z\nMount=type=volume,destination=/x,source\n" },
      {},
    );
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringContaining("services/web/quadlet/a.container: podman's generator says:"),
    });
  });

  test("a network that somebody else put on the host is no unit of ours: podman's name for it will do", async () => {
    const files = (network: string) => ({
      "services/web/quadlet/a.container": `[Container]\nImage=x.y/z\nNetwork=${network}\n`,
    });
    const theirs = { "theirs.network": "[Network]\n" };
    expect(await stet(files("theirs.network"), theirs)).toMatchObject({
      code: 1,
      err: expect.stringContaining("[missing-reference]"),
    });
    expect(await stet(files("systemd-theirs"), theirs)).toMatchObject({ code: 0 });
  });

  test("a foreign file that keeps podman from making any unit is named", async () => {
    const said = await stet({}, { "theirs.network": "nonsense\n" });
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringContaining("/etc/containers/systemd/theirs.network: is not ours"),
    });
  });
});
