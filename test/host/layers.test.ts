import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DropIn } from "../../src/host/evaluate/drop-in-files.ts";
import { layerDropIns } from "../../src/host/evaluate/overlay.ts";
import { compareBytes, parseUnitName } from "../../src/host/units/unit-kind.ts";
import { renderUnit } from "../../src/host/units/unit-text.ts";
import { findUnit } from "../../src/host/units/wanted-units.ts";
import { evaluateBox, link, pathsOf, repository, textOf, told } from "./repository.ts";

const quadlet = "/etc/containers/systemd";
const base = (name: string) => `services/web/quadlet-overrides/web.container.d/${name}`;
const host = (name: string) => `hosts/box/overrides/quadlet/web.container.d/${name}`;
const dropInsOf = (files: Record<string, string>) =>
  pathsOf(evaluateBox(files)).filter((path) => path.endsWith(".conf"));

describe("drop-ins (FR-006)", () => {
  test("base drop-ins keep their names, host drop-ins that sort later too", () => {
    expect(dropInsOf({ [base("10-a.conf")]: "", [host("20-b.conf")]: "" })).toEqual([
      `${quadlet}/web.container.d/10-a.conf`,
      `${quadlet}/web.container.d/20-b.conf`,
    ]);
  });

  test("a host drop-in that would be read too early is written under a name that keeps the order, and it is said", () => {
    const evaluation = evaluateBox({ [base("50-a.conf")]: "", [host("10-x.conf")]: "", [host("60-y.conf")]: "" });
    expect(told(evaluation)).toEqual([`renamed-dropin ${host("10-x.conf")}`]);
    expect(pathsOf(evaluation).slice(1)).toEqual([
      `${quadlet}/web.container.d/50-a.conf`,
      `${quadlet}/web.container.d/50-a.conf-10-x.conf`,
      `${quadlet}/web.container.d/60-y.conf`,
    ]);
  });

  test("the same name replaces, in its place", () => {
    const evaluation = evaluateBox({
      [base("10-a.conf")]: "[Container]\nExec=base\n",
      [host("10-a.conf")]: "[Container]\nExec=host\n",
    });
    expect(textOf(evaluation, `${quadlet}/web.container.d/10-a.conf`)).toContain("host");
    expect(evaluation.files.find((file) => file.path.endsWith("10-a.conf"))?.origin).toEqual([
      base("10-a.conf"),
      host("10-a.conf"),
    ]);
  });

  test("an empty file of the same name masks; a link to /dev/null says the same", () => {
    for (const mask of ["", link("/dev/null")]) {
      const evaluation = evaluateBox({ [base("10-a.conf")]: "[Container]\nExec=base\n", [host("10-a.conf")]: mask });
      expect(textOf(evaluation, `${quadlet}/web.container.d/10-a.conf`)).toBe("");
      expect(told(evaluation)).toEqual([]);
    }
  });

  test("FR-011: drop-ins of native units go to systemd's folder", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/web.socket": "[Socket]\nListenStream=80\n",
      "services/web/quadlet-overrides/web.socket.d/10-a.conf": "[Socket]\nBacklog=5\n",
      "hosts/box/overrides/quadlet/web.socket.d/20-b.conf": "[Socket]\nListenStream=\nListenStream=81\n",
    });
    expect(told(evaluation)).toEqual([]);
    expect(evaluation.files.filter((file) => file.kind === "unit-dropin").map((file) => file.path)).toEqual([
      "/etc/systemd/system/web.socket.d/10-a.conf",
      "/etc/systemd/system/web.socket.d/20-b.conf",
    ]);
  });

  test("a drop-in of the service that podman generates is systemd's", () => {
    const evaluation = evaluateBox({
      "hosts/box/overrides/quadlet/web.service.d/10-a.conf": "[Service]\nRestartSec=5\n",
    });
    expect(told(evaluation)).toEqual([]);
    expect(evaluation.files.at(-1)).toMatchObject({
      path: "/etc/systemd/system/web.service.d/10-a.conf",
      kind: "unit-dropin",
      service: "web",
    });
  });

  test("a drop-in of one instance of a template is read by its template's program", () => {
    const job = { "services/web/quadlet/job@.container": "[Container]\nImage=a\n" };
    const dropIn = (text: string) =>
      told(evaluateBox({ ...job, "hosts/box/overrides/quadlet/job@1.container.d/10-a.conf": text }));
    expect(dropIn("[Container]\nUser=1\n")).toEqual([]);
    expect(dropIn("[Container]\nNope=1\n")).toEqual([
      "invalid-unit hosts/box/overrides/quadlet/job@1.container.d/10-a.conf:2",
    ]);
  });

  test("an instance has the drop-ins of its template too, and a host's are read after all shared ones", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/job@.container": "[Container]\nUser=0\n",
      "services/web/quadlet/job@1.container": link("job@.container"),
      "services/web/quadlet-overrides/job@.container.d/20-a.conf": "[Container]\nImage=a\nExec=base\n",
      "services/web/quadlet-overrides/job@2.container.d/30-b.conf": "[Container]\nExec=two\n",
      "hosts/box/overrides/quadlet/job@1.container.d/10-x.conf": "[Container]\nExec=host\n",
      "hosts/box/overrides/quadlet/job@.container.d/25-y.conf": "[Container]\nGroup=1\n",
    });
    expect(told(evaluation)).toEqual([
      "renamed-dropin hosts/box/overrides/quadlet/job@.container.d/25-y.conf",
      "renamed-dropin hosts/box/overrides/quadlet/job@1.container.d/10-x.conf",
      "host-override hosts/box/overrides/quadlet/job@1.container.d/10-x.conf:2",
    ]);
    expect(pathsOf(evaluation).filter((path) => path.includes("job@") && path.endsWith(".conf"))).toEqual([
      `${quadlet}/job@.container.d/20-a.conf`,
      `${quadlet}/job@.container.d/30-b.conf-25-y.conf`,
      `${quadlet}/job@1.container.d/20-a.conf-10-x.conf`,
      `${quadlet}/job@2.container.d/30-b.conf`,
    ]);
    const instance = findUnit(evaluation.files, "job@1.container");
    expect(instance?.unit.runtime).toBe("job@1.service");
    expect(instance && renderUnit(instance.effective)).toBe("[Container]\nUser=0\nImage=a\nExec=host\nGroup=1\n");
    const without = findUnit(evaluation.files, "job@2.container");
    expect(without?.unit.runtime).toBe("job@2.service");
    expect(without && renderUnit(without.effective)).toBe("[Container]\nUser=0\nImage=a\nExec=two\nGroup=1\n");
  });

  test("an instance's drop-in hides the one of its template that has its name", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/job@.service": "[Service]\nExecStart=/bin/true\n",
      "services/web/quadlet-overrides/job@.service.d/20-a.conf": "[Service]\nNice=1\nUMask=0022\n",
      "hosts/box/overrides/quadlet/job@1.service.d/20-a.conf": "[Service]\nNice=2\n",
    });
    expect(told(evaluation)).toEqual([]);
    const instance = findUnit(evaluation.files, "job@1.service");
    expect(instance && renderUnit(instance.effective)).toBe("[Service]\nExecStart=/bin/true\nNice=2\n");
  });

  test("a name that no file can have is refused, also where it became so long by keeping the order", () => {
    const [shared, own] = [`${"9".repeat(200)}.conf`, `${"1".repeat(200)}.conf`];
    expect(told(evaluateBox({ [base(shared)]: "", [host(own)]: "" }))).toEqual([
      `renamed-dropin ${host(own)}`,
      `unsafe-path ${host(own)}`,
    ]);
  });

  test("also where ServiceName= calls it something else", () => {
    const evaluation = evaluateBox({
      "services/web/quadlet/other.container": "[Container]\nImage=a\nServiceName=called\n",
      "services/web/quadlet-overrides/called.service.d/10-a.conf": "[Service]\nNice=1\n",
      "hosts/box/overrides/quadlet/called.service.d/20-b.conf": "[Service]\nNice=2\n",
    });
    expect(told(evaluation).filter((line) => !line.startsWith("host-override"))).toEqual([]);
    expect(pathsOf(evaluation)).toContain("/etc/systemd/system/called.service.d/20-b.conf");
  });

  test("edge case, FR-008: a drop-in for a unit that does not exist is an orphan, in either layer", () => {
    expect(told(evaluateBox({ "hosts/box/overrides/quadlet/wbe.container.d/10-a.conf": "" }))).toEqual([
      "orphan-dropin hosts/box/overrides/quadlet/wbe.container.d",
    ]);
    expect(told(evaluateBox({ "services/web/quadlet-overrides/other.container.d/10-a.conf": "" }))).toEqual([
      "orphan-dropin services/web/quadlet-overrides/other.container.d",
    ]);
  });

  test("review remark: a host's drop-in for an unselected service is passed over and not looked into", () => {
    const evaluation = evaluateBox({
      "services/other/quadlet/other.container": "",
      "hosts/box/overrides/quadlet/other.container.d/10-a.txt": "nonsense",
    });
    expect(told(evaluation)).toEqual(["unselected-overlay hosts/box/overrides/quadlet/other.container.d"]);
  });

  test.each(["container.d", "web-.container.d", "service.d", "socket.d", "web-.service.d"])(
    "%s would change strangers' units: refused",
    (folder) => {
      expect(told(evaluateBox({ [`hosts/box/overrides/quadlet/${folder}/10-a.conf`]: "" }))).toEqual([
        `unsupported-file hosts/box/overrides/quadlet/${folder}`,
      ]);
    },
  );

  test("edge case: a drop-in folder without any .conf is a warning", () => {
    expect(told(evaluateBox({ "hosts/box/overrides/quadlet/web.container.d": { kind: "folder" } }))).toEqual([
      "empty-dropin-dir hosts/box/overrides/quadlet/web.container.d",
    ]);
    expect(told(evaluateBox({ [host(".gitkeep")]: "" }))).toEqual([
      "empty-dropin-dir hosts/box/overrides/quadlet/web.container.d",
    ]);
  });

  test("a link out of the repository is refused", () => {
    for (const target of ["/etc/shadow", "../../../../../../outside.conf"]) {
      expect(told(evaluateBox({ [host("10-a.conf")]: link(target) }))).toEqual(
        [`unsafe-path ${host("10-a.conf")}`, "empty-dropin-dir hosts/box/overrides/quadlet/web.container.d"].sort(),
      );
    }
  });

  test("a link inside the repository is followed", () => {
    const evaluation = evaluateBox({
      "shared/tz.conf": "[Container]\nTimezone=local\n",
      [host("10-a.conf")]: link("../../../../../shared/tz.conf"),
    });
    expect(textOf(evaluation, `${quadlet}/web.container.d/10-a.conf`)).toContain("Timezone");
  });

  const dropIn = (name: string): DropIn => ({
    unit: parseUnitName("web.container")!,
    name,
    source: name,
    bytes: new Uint8Array(0),
  });
  const name = fc.stringMatching(/^[0-9a-c.-]{0,4}$/).map((stem) => `${stem}x.conf`);
  const names = fc.uniqueArray(name, { maxLength: 6 });

  test("property: every host drop-in that replaces nothing is read after every base one, and in its own order", () => {
    fc.assert(
      fc.property(names, names, (shared, own) => {
        const { dropIns } = layerDropIns(shared.map(dropIn), own.map(dropIn));
        const order = dropIns.map((layered) => layered.name);
        expect(order).toEqual([...order].sort(compareBytes));
        expect(new Set(order).size).toBe(order.length);
        const kept = dropIns.flatMap(({ layer }, i) => (layer === "base" ? [i] : []));
        const added = dropIns.flatMap(({ layer, replaced, dropIn: { name } }, i) =>
          layer === "host" && !replaced ? [{ i, name }] : [],
        );
        expect(added.every(({ i }) => kept.every((k) => k < i))).toBe(true);
        expect(added.map((one) => one.name)).toEqual(own.filter((one) => !shared.includes(one)).sort(compareBytes));
      }),
      { numRuns: 500 },
    );
  });
});

describe("conflicting keys", () => {
  test("edge case: two drop-ins of one layer set a single-value key differently", () => {
    const evaluation = evaluateBox({
      [host("10-a.conf")]: "[Container]\nExec=a\n",
      [host("20-b.conf")]: "[Container]\nExec=b\n",
    });
    expect(told(evaluation)).toEqual([`conflicting-keys ${host("20-b.conf")}:2`]);
    expect(evaluation.diagnostics[0]?.message).toContain(`${host("10-a.conf")}:2`);
  });

  test("lists, equal values and resets are no conflict", () => {
    const evaluation = evaluateBox({
      [base("10-a.conf")]: "[Container]\nPublishPort=1\nExec=a\n",
      [base("20-b.conf")]: "[Container]\nPublishPort=2\nExec=\nExec=a\n",
    });
    expect(told(evaluation)).toEqual([]);
  });

  test("across layers the host wins, and it is said", () => {
    const evaluation = evaluateBox({
      [base("10-a.conf")]: "[Container]\nExec=a\n",
      [host("20-b.conf")]: "[Container]\nExec=b\n",
    });
    expect(told(evaluation)).toEqual([`host-override ${host("20-b.conf")}:2`]);
  });

  test("but not where it replaces a file that a shared one is read after", () => {
    const evaluation = evaluateBox({
      [base("10-a.conf")]: "[Container]\nExec=a\n",
      [base("20-b.conf")]: "[Container]\nExec=b\n",
      [host("10-a.conf")]: "[Container]\nExec=host\n",
    });
    expect(told(evaluation)).toEqual([`conflicting-keys ${host("10-a.conf")}:2`]);
    expect(evaluation.diagnostics[0]?.message).toContain(`${base("20-b.conf")}:2`);
  });
});

describe("folders that are links", () => {
  test("a service may be a link to another one", () => {
    const catalog = repository({
      "services/web/quadlet/web.container": "[Container]\nImage=a\n",
      "services/alias": link("web"),
    });
    expect(catalog.service("alias")?.units.map((unit) => unit.unit.name)).toEqual(["web.container"]);
  });

  test("and so may a layer: it is followed, never passed over", () => {
    const evaluation = evaluateBox({
      "shared/overrides/quadlet/web.container.d/20-a.conf": "[Container]\nUser=1\n",
      "shared/config/etc/web/a": "x",
      "hosts/box/overrides": link("../../shared/overrides"),
      "services/web/config": link("../../shared/config"),
    });
    expect(told(evaluation)).toEqual([]);
    expect(pathsOf(evaluation)).toEqual([
      `${quadlet}/web.container`,
      `${quadlet}/web.container.d/20-a.conf`,
      "/etc/web/a",
    ]);
  });

  test("something else in a layer's place is refused", () => {
    expect(told(evaluateBox({ "hosts/box/overrides": link("/etc") }))).toEqual(["unsafe-path hosts/box/overrides"]);
    expect(told(evaluateBox({ "services/web/config": "a file" }))).toEqual(["unsupported-file services/web/config"]);
    expect(told(evaluateBox({ "hosts/box/overrides/quadlet": link("nowhere") }))).toEqual([
      "unsupported-file hosts/box/overrides/quadlet",
    ]);
  });
});
