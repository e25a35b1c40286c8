// needs: podman podman-binary
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine } from "./machine.ts";

let machine: Machine;
const repo = "notices";
const here = ["--repo", `/opt/shared/${repo}`, "--host", "box", "--wait", "20s"];
const container = (exec: string, more = "", service = "") =>
  `[Container]\nImage=localhost/bb:1\nNetwork=none\nStopTimeout=1\nExec=${exec}\n${more}[Service]\n${service}[Install]\nWantedBy=multi-user.target\n`;
const sleeping = container("/bin/sleep 1000");
const write = (files: Record<string, string>) =>
  machine.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${repo}/${path}`, text])));
const property = (unit: string, name: string) =>
  machine.ask("systemctl", "show", "--value", `--property=${name}`, unit);
const apply = (...more: string[]) => machine.stet("apply", ...here, ...more);
const status = () => machine.stet("status", "--exit-code", "--offline");

beforeAll(() => {
  machine = new Machine();
  machine.run("systemctl", "is-system-running", "--wait");
  machine.ask("podman", "import", "-q", "-c", 'CMD ["/bin/sh"]', "/opt/busybox.tar", "localhost/bb:1");
  write({
    "services/web/quadlet/web.container": sleeping,
    "services/web/quadlet/native.service":
      "[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n",
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
  });
  const applied = apply();
  if (applied.code !== 0) throw new Error(applied.err);
});
afterAll(() => machine?.stop());

// One story: each part begins where the one before ended.
describe.sequential("a host that notices", () => {
  test("the records are where the system keeps such things", () => {
    expect(machine.run("test", "-e", "/var/lib/stet/host/system/registry.json").code).toBe(0);
    expect(status()).toMatchObject({ code: 0 });
  });

  test("a unit that failed is reported and started again", () => {
    machine.ask("systemctl", "kill", "--signal=KILL", "native.service");
    machine.run("sh", "-c", "for i in $(seq 600); do systemctl is-failed -q native && exit; sleep 0.1; done");
    expect(status()).toMatchObject({ code: 2, out: expect.stringContaining("native.service  failed") });
    const done1 = apply();
    expect(done1, done1.err).toMatchObject({ code: 0 });
    expect(property("native.service", "ActiveState")).toBe("active");
    expect(status()).toMatchObject({ code: 0 });
  });

  test("stopped and disabled by hand is undone, unless --keep-drift; however often", () => {
    for (let turn = 0; turn < 2; turn++) {
      machine.ask("systemctl", "stop", "web.service");
      machine.ask("systemctl", "disable", "--now", "native.service");
      expect(status().code).toBe(2);
      const done2 = apply("--keep-drift");
      expect(done2, done2.err).toMatchObject({ code: 0, err: expect.stringContaining("--keep-drift") });
      expect(property("web.service", "ActiveState")).not.toBe("active");
      const undone = apply();
      expect(undone, undone.err).toMatchObject({ code: 0 });
      expect(property("web.service", "ActiveState")).toBe("active");
      expect(machine.ask("systemctl", "is-enabled", "native.service")).toBe("enabled");
      expect(property("native.service", "ActiveState")).toBe("active");
    }
  });

  test("masked is the operator's word", () => {
    machine.ask("systemctl", "stop", "web.service");
    machine.ask("systemctl", "mask", "web.service");
    const done3 = apply();
    expect(done3, done3.err).toMatchObject({ code: 0 });
    expect(property("web.service", "ActiveState")).not.toBe("active");
    machine.ask("systemctl", "unmask", "web.service");
    const done4 = apply();
    expect(done4, done4.err).toMatchObject({ code: 0 });
    expect(property("web.service", "ActiveState")).toBe("active");
  });

  test("a unit that restarts for ever is down: when it is deployed, and in every look afterwards", () => {
    write({
      "services/web/quadlet/loop.container": container(
        '/bin/sh -c "sleep 1; exit 1"',
        "",
        "Restart=always\nRestartSec=1\nStartLimitBurst=0\n",
      ),
    });
    const looping = apply("--wait", "12s");
    expect(looping.code, looping.err).toBe(4);
    expect(looping.err).toContain("loop.service did not come up");
    machine.ask("sleep", "6");
    expect(status()).toMatchObject({ code: 2, out: expect.stringContaining("keeps restarting") });
    expect(apply("--wait", "3s").code).toBe(4);
    machine.remove(`${repo}/services/web/quadlet/loop.container`);
    const done5 = apply();
    expect(done5, done5.err).toMatchObject({ code: 0 });
  });

  test("a health check that fails counts as down within --wait", () => {
    write({
      "services/web/quadlet/sick.container": container(
        "/bin/sleep 1000",
        "HealthCmd=/bin/false\nHealthInterval=1s\nHealthRetries=2\n",
      ),
    });
    const sick = apply();
    expect(sick.code, sick.err).toBe(4);
    expect(sick.err).toContain("unhealthy");
    expect(status()).toMatchObject({ code: 2, out: expect.stringContaining("unhealthy") });
    machine.remove(`${repo}/services/web/quadlet/sick.container`);
    const done6 = apply();
    expect(done6, done6.err).toMatchObject({ code: 0 });
  });

  test("a unit that ends with success again and again is finished", () => {
    write({
      "services/web/quadlet/brief.service":
        "[Service]\nExecStart=/bin/sleep 0.5\n[Install]\nWantedBy=multi-user.target\n",
    });
    expect(apply().code).toBe(4);
    const again = apply();
    expect(again, again.err).toMatchObject({ code: 0 });
    const finished = apply("--json");
    expect(JSON.parse(finished.out)).toMatchObject({
      actions: [],
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: "unit-finished" })]),
    });
    expect(status()).toMatchObject({ code: 0, out: expect.stringContaining("finished") });
    machine.remove(`${repo}/services/web/quadlet/brief.service`);
    const done7 = apply();
    expect(done7, done7.err).toMatchObject({ code: 0 });
  });

  test("--no-activate, then apply", () => {
    write({ "services/web/quadlet/web.container": container("/bin/sleep 2000") });
    const done8 = apply("--no-activate");
    expect(done8, done8.err).toMatchObject({ code: 0 });
    expect(machine.ask("podman", "inspect", "--format", "{{.Config.Cmd}}", "systemd-web")).toContain("1000");
    expect(status().code).toBe(2);
    const done9 = apply();
    expect(done9, done9.err).toMatchObject({ code: 0 });
    expect(machine.ask("podman", "inspect", "--format", "{{.Config.Cmd}}", "systemd-web")).toContain("2000");
    expect(status().code).toBe(0);
  });

  test("a changed network says that it is not changed in place, and --recreate makes it anew under its users; a pod changes with a restart", () => {
    const subnet = () =>
      machine.ask("podman", "network", "inspect", "--format", "{{(index .Subnets 0).Subnet}}", "systemd-net");
    write({
      "services/web/quadlet/net.network": "[Network]\nSubnet=10.99.1.0/24\n",
      "services/web/quadlet/p.pod": "[Pod]\nNetwork=none\nPodName=p\n",
      "services/web/quadlet/inpod.container":
        "[Container]\nImage=localhost/bb:1\nPod=p.pod\nStopTimeout=1\nExec=/bin/sleep 1000\n",
    });
    const first = apply();
    expect(first, first.err).toMatchObject({ code: 0 });
    expect(subnet()).toBe("10.99.1.0/24");
    write({
      "services/web/quadlet/net.network": "[Network]\nSubnet=10.99.2.0/24\n",
      "services/web/quadlet/p.pod": "[Pod]\nNetwork=none\nPodName=p\nPodmanArgs=--hostname=other\n",
    });
    const changed = apply();
    expect(changed, changed.err).toMatchObject({ code: 0, err: expect.stringContaining("not-changed-in-place") });
    expect(subnet()).toBe("10.99.1.0/24");
    expect(machine.ask("podman", "exec", "systemd-inpod", "cat", "/proc/sys/kernel/hostname")).toBe("other");
    expect(property("inpod.service", "ActiveState")).toBe("active");
    const anew = apply("--recreate");
    expect(anew, anew.err).toMatchObject({ code: 0, err: expect.not.stringContaining("not-changed-in-place") });
    expect(subnet()).toBe("10.99.2.0/24");
  });

  test("a volume that holds data is never made anew", () => {
    write({ "services/web/quadlet/data.volume": "[Volume]\n" });
    const done10 = apply();
    expect(done10, done10.err).toMatchObject({ code: 0 });
    const mount = machine.ask("podman", "volume", "inspect", "--format", "{{.Mountpoint}}", "systemd-data");
    machine.ask("sh", "-c", `echo precious > ${mount}/file`);
    write({ "services/web/quadlet/data.volume": "[Volume]\nLabel=a=1\n" });
    const done11 = apply("--recreate");
    expect(done11, done11.err).toMatchObject({ code: 0, err: expect.stringContaining("holds data") });
    expect(machine.ask("cat", `${mount}/file`)).toBe("precious");
    machine.ask("rm", `${mount}/file`);
    const done12 = apply("--recreate");
    expect(done12, done12.err).toMatchObject({ code: 0 });
    expect(machine.ask("podman", "volume", "inspect", "--format", "{{.Labels.a}}", "systemd-data")).toBe("1");
  });

  test("a default instance is enabled and started", () => {
    const template =
      "[Service]\nExecStart=/bin/sleep %i\n[Install]\nWantedBy=multi-user.target\nDefaultInstance=1000\n";
    const drawn =
      "[Container]\nImage=localhost/bb:1\nNetwork=none\nStopTimeout=1\nExec=/bin/sleep %i\n[Install]\nWantedBy=multi-user.target\nDefaultInstance=1000\n";
    write({ "services/web/quadlet/job@.service": template, "services/web/quadlet/box@.container": drawn });
    const applied = apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(property("job@1000.service", "ActiveState")).toBe("active");
    expect(property("box@1000.service", "ActiveState")).toBe("active");
    expect(machine.ask("systemctl", "is-enabled", "job@1000.service")).toBe("enabled");
    machine.remove(`${repo}/services/web/quadlet/job@.service`);
    machine.remove(`${repo}/services/web/quadlet/box@.container`);
    const done13 = apply();
    expect(done13, done13.err).toMatchObject({ code: 0 });
    expect(property("job@1000.service", "ActiveState")).toBe("inactive");
  });

  test("a pause keeps hands off, and everything says so", () => {
    expect(machine.stet("pause", "web", "--for", "1h")).toMatchObject({
      code: 0,
      out: expect.stringContaining("web.service until"),
    });
    machine.ask("systemctl", "stop", "web.service");
    const done14 = apply();
    expect(done14, done14.err).toMatchObject({ code: 0, err: expect.stringContaining("is paused") });
    expect(property("web.service", "ActiveState")).not.toBe("active");
    expect(status().out).toContain("paused");
    expect(machine.stet("resume")).toMatchObject({ code: 0 });
    const done15 = apply();
    expect(done15, done15.err).toMatchObject({ code: 0 });
    expect(property("web.service", "ActiveState")).toBe("active");
  });

  test("going back shows itself first, restores what the commit wanted, and the host stays managed while the commit is held", () => {
    const wanted = machine.ask("cat", "/etc/containers/systemd/web.container");
    machine.ask("sh", "-c", "echo '# by hand' >> /etc/containers/systemd/web.container");
    write({ "services/web/quadlet/web.container": container("/bin/sleep 3000") });
    const done16 = apply();
    expect(done16, done16.err).toMatchObject({ code: 0 });
    expect(machine.stet("rollback", "--dry-run")).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 file would change"),
    });
    expect(machine.stet("rollback")).toMatchObject({ code: 0 });
    expect(machine.ask("cat", "/etc/containers/systemd/web.container")).toBe(wanted);
    machine.ask("systemctl", "stop", "web.service");
    machine.ask("rm", "/etc/containers/systemd/data.volume");
    const done17 = apply();
    expect(done17, done17.err).toMatchObject({ code: 4, err: expect.stringContaining("is held") });
    expect(property("web.service", "ActiveState")).toBe("active");
    expect(machine.run("test", "-e", "/etc/containers/systemd/data.volume").code).toBe(0);
    expect(status()).toMatchObject({ code: 2, out: expect.stringContaining("held") });
    expect(machine.stet("history").out).toContain("held");
    const done18 = apply("--unhold");
    expect(done18, done18.err).toMatchObject({ code: 0 });
    expect(status().code).toBe(0);
  });

  test("the loop backs off from a unit that fails again and again, and its metrics say what runs and what is down", () => {
    write({
      "services/web/quadlet/bad.service": "[Service]\nExecStart=/bin/false\n[Install]\nWantedBy=multi-user.target\n",
    });
    const look = () =>
      machine.stet("watch", "--once", ...here, "--wait", "5s", "--metrics-file", "/run/stet.prom", "--json");
    expect(look().code).toBe(4);
    const second = JSON.parse(look().out);
    expect(second.actions).toMatchObject([{ action: "start", unit: "bad.service" }]);
    const third = look();
    expect(third.code).toBe(4);
    expect(JSON.parse(third.out)).toMatchObject({
      actions: [],
      diagnostics: expect.arrayContaining([expect.objectContaining({ code: "unit-down" })]),
    });
    expect(machine.ask("cat", "/run/stet.prom")).toMatch(/stet_host_units_failed 1\n[\s\S]*stet_host_held 0\n/);
    machine.remove(`${repo}/services/web/quadlet/bad.service`);
    const done19 = apply();
    expect(done19, done19.err).toMatchObject({ code: 0 });
  });

  test("records in root's home, as an older stet kept them, are taken over", () => {
    machine.ask(
      "sh",
      "-c",
      "mkdir -p -m 700 /root/.local/state/stet && mv /var/lib/stet/host /root/.local/state/stet/host",
    );
    expect(status(), "looking moves nothing").toMatchObject({ code: 0 });
    expect(machine.run("test", "-e", "/var/lib/stet/host").code).not.toBe(0);
    expect(JSON.parse(apply("--json").out)).toMatchObject({ changed: 0, actions: [] });
    expect(machine.run("test", "-e", "/root/.local/state/stet/host/system").code).not.toBe(0);
    expect(status()).toMatchObject({ code: 0 });
  });

  test("another host's name is refused until it is meant", () => {
    write({ "hosts/two/host.yaml": "host: two\nservices: []\n" });
    const two = ["--repo", `/opt/shared/${repo}`, "--host", "two"];
    expect(machine.stet("apply", ...two)).toMatchObject({ code: 1, err: expect.stringContaining("--host-changed") });
    expect(property("web.service", "ActiveState")).toBe("active");
    expect(machine.stet("apply", ...two, "--host-changed")).toMatchObject({ code: 0 });
    expect(property("web.service", "LoadState")).toBe("not-found");
  });
});
