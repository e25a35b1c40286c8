import { describe, expect, test } from "vitest";
import { analyzeComplaints, generatorComplaints } from "../../src/host/units/verify-units.ts";
import { container, evaluateBox } from "./repository.ts";

const evaluation = evaluateBox({
  "services/web/quadlet/myweb.container": container,
  "services/web/quadlet/tick.timer": "[Timer]\nOnBootSec=1\n",
  "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "[Container]\nUser=1\n",
});
const told = (log: string) =>
  generatorComplaints(log, "/tmp/stage/quadlet", evaluation, "/etc/containers/systemd").map(
    ({ code, file }) => `${code} ${file}`,
  );

describe("whose a complaint is", () => {
  test("a unit's, by its whole name", () => {
    expect(told('quadlet-generator[7]: converting "myweb.container": no Image or Rootfs key specified\n')).toEqual([
      "invalid-unit services/web/quadlet/myweb.container",
    ]);
    expect(told('quadlet-generator[7]: converting "web.container": no Image or Rootfs key specified\n')).toEqual([
      "invalid-unit services/web/quadlet/web.container",
    ]);
  });

  test("a drop-in's", () => {
    const log =
      'quadlet-generator[7]: error loading "/tmp/stage/quadlet/web.container.d/10-a.conf", file contains line 3\n';
    expect(told(log)).toEqual(["invalid-unit hosts/box/overrides/quadlet/web.container.d/10-a.conf"]);
  });

  test("a stranger's: only a file that can't be loaded matters to us, and then to all of us", () => {
    expect(told('error loading "/tmp/stage/quadlet/theirs.network", file contains line 1\n')).toEqual([
      "foreign-file /etc/containers/systemd/theirs.network",
    ]);
    expect(told('converting "theirs.network": unsupported key\n')).toEqual([]);
  });

  test("what it is doing, and warnings, are no complaints", () => {
    expect(
      told(
        "quadlet-generator[7]: Loading source unit file /tmp/stage/quadlet/web.container\nquadlet-generator[7]: Warning: web.container specifies\n",
      ),
    ).toEqual([]);
  });

  test("systemd-analyze speaks of other units too", () => {
    const log =
      "/tmp/units/tick.timer:3: Failed to load\ntick.timer: Unit has a bad unit file setting.\nssh.service: Command /usr/sbin/sshd is not executable\n";
    expect(analyzeComplaints(log, "/tmp/units", evaluation).map(({ file }) => file)).toEqual([
      "services/web/quadlet/tick.timer",
      "services/web/quadlet/tick.timer",
    ]);
  });
});
