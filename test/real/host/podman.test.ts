// needs: podman podman-binary
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine } from "./machine.ts";

let machine: Machine;
const repo = "repo";
const here = ["--repo", `/opt/shared/${repo}`, "--host", "box", "--wait", "20s"];
const web = (exec: string, more = "") => `[Unit]
Description=Web
[Container]
Image=localhost/bb:1
Network=none
StopTimeout=1
Volume=data.volume:/data
Volume=/etc/web:/etc/web:ro
Exec=${exec}
${more}[Install]
WantedBy=multi-user.target
`;
const saying = '/bin/sh -c "cat /etc/web/motd; exec sleep 1000"';
const write = (files: Record<string, string>) =>
  machine.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`${repo}/${path}`, text])));
const property = (unit: string, name: string) =>
  machine.ask("systemctl", "show", "--value", `--property=${name}`, unit);
const invocation = () => property("web.service", "InvocationID");

beforeAll(() => {
  machine = new Machine();
  machine.run("systemctl", "is-system-running", "--wait");
  machine.ask("podman", "import", "-q", "-c", 'CMD ["/bin/sh"]', "/opt/busybox.tar", "localhost/bb:1");
  write({
    "services/web/quadlet/web.container": web(saying),
    "services/web/quadlet/data.volume": "[Volume]\n",
    "services/web/config/etc/web/motd": "first words\n",
    "hosts/box/host.yaml": "host: box\nservices: [web]\n",
  });
});
afterAll(() => machine?.stop());

// One story: each part begins where the one before ended.
describe.sequential("a real systemd with podman", () => {
  test("apply: podman's generator and systemd make units of the files, and the container really runs", () => {
    const applied = machine.stet("apply", ...here);
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(property("web.service", "ActiveState")).toBe("active");
    expect(machine.ask("podman", "ps", "--format", "{{.Names}}")).toBe("systemd-web");
    expect(machine.ask("journalctl", "-o", "cat", "CONTAINER_NAME=systemd-web")).toContain("first words");
  });

  test("a second apply restarts nothing", () => {
    const before = invocation();
    const again = machine.stet("apply", ...here, "--json");
    expect(JSON.parse(again.out)).toMatchObject({ changed: 0, actions: [] });
    expect(invocation()).toBe(before);
  });

  test("a changed config payload restarts its service", () => {
    const before = invocation();
    write({ "services/web/config/etc/web/motd": "second words\n" });
    expect(machine.stet("apply", ...here)).toMatchObject({ code: 0 });
    expect(invocation()).not.toBe(before);
    expect(machine.ask("journalctl", "-o", "cat", "CONTAINER_NAME=systemd-web")).toContain("second words");
  });

  test("a host's drop-in reaches the container", () => {
    write({ "hosts/box/overrides/quadlet/web.container.d/20-host.conf": "[Container]\nEnvironment=GREETING=hello\n" });
    expect(machine.stet("apply", ...here)).toMatchObject({ code: 0 });
    expect(machine.ask("podman", "inspect", "--format", "{{.Config.Env}}", "systemd-web")).toContain("GREETING=hello");
  });

  test("what podman's generator refuses is refused with its words, and nothing changes", () => {
    const before = invocation();
    // A key that a later podman knows.
    write({ "services/web/quadlet/lost.pod": "[Pod]\nHostName=x\n" });
    const refused = machine.stet("apply", ...here);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("services/web/quadlet/lost.pod: podman's generator says:");
    expect(machine.run("test", "-e", "/etc/containers/systemd/lost.pod").code).not.toBe(0);
    expect(invocation()).toBe(before);
    machine.remove(`${repo}/services/web/quadlet/lost.pod`);
  });

  test("a unit that does not come up: exit 4, its name and its last words", () => {
    write({
      "services/web/quadlet/bad.container":
        '[Container]\nImage=localhost/bb:1\nNetwork=none\nExec=/bin/sh -c "echo no such luck; exit 3"\n',
    });
    const failed = machine.stet("apply", ...here, "--wait", "5s");
    expect(failed.code).toBe(4);
    expect(failed.err).toContain("bad.service did not come up");
    expect(failed.err).toContain("no such luck");
    expect(property("web.service", "ActiveState")).toBe("active");
    machine.remove(`${repo}/services/web/quadlet/bad.container`);
    expect(machine.stet("apply", ...here)).toMatchObject({ code: 0 });
    expect(property("bad.service", "LoadState")).toBe("not-found");
    expect(machine.ask("systemctl", "--failed", "--plain", "--no-legend"), "and nobody remembers that it failed").toBe(
      "",
    );
  });

  test("--rollback-on-failure puts the previous state back, running, and holds the bad one", () => {
    const before = machine.ask("cat", "/etc/containers/systemd/web.container");
    write({ "services/web/quadlet/web.container": web("/bin/false") });
    const failed = machine.stet("apply", ...here, "--rollback-on-failure", "--wait", "5s");
    expect(failed.code).toBe(4);
    expect(failed.err).toContain("was rolled back and is held");
    expect(machine.ask("cat", "/etc/containers/systemd/web.container")).toBe(before);
    expect(property("web.service", "ActiveState")).toBe("active");
    const held = machine.stet("apply", ...here);
    expect(held).toMatchObject({ code: 4, err: expect.stringContaining("is held") });
    expect(machine.stet("status", "--exit-code", "--offline")).toMatchObject({
      code: 2,
      out: expect.stringContaining("held"),
    });
    write({ "services/web/quadlet/web.container": web(saying, "Label=a=1\n") });
    expect(machine.stet("apply", ...here)).toMatchObject({ code: 0 });
    expect(property("web.service", "ActiveState")).toBe("active");
  });

  test("review remark: a changed socket drop-in takes effect without a hand", () => {
    write({
      "services/echo/quadlet/echo.socket":
        "[Socket]\nListenStream=127.0.0.1:7001\n[Install]\nWantedBy=sockets.target\n",
      "services/echo/quadlet/echo.service":
        "[Unit]\nRequires=echo.socket\n[Service]\nExecStart=/bin/sleep 1000\n[Install]\nWantedBy=multi-user.target\n",
      "hosts/box/host.yaml": "host: box\nservices: [web, echo]\n",
    });
    expect(machine.stet("apply", ...here)).toMatchObject({ code: 0 });
    expect(property("echo.socket", "Listen")).toContain("7001");
    expect(property("echo.service", "ActiveState")).toBe("active");
    expect(machine.ask("systemctl", "is-enabled", "echo.socket")).toBe("enabled");
    write({
      "hosts/box/overrides/quadlet/echo.socket.d/20-host.conf":
        "[Socket]\nListenStream=\nListenStream=127.0.0.1:7002\n",
    });
    const changed = machine.stet("apply", ...here);
    expect(changed, changed.err).toMatchObject({ code: 0 });
    expect(property("echo.socket", "Listen")).toContain("7002");
    expect(property("echo.socket", "Listen")).not.toContain("7001");
    expect(property("echo.service", "ActiveState")).toBe("active");
  });

  test("a native unit that systemd would not start is refused by systemd-analyze", () => {
    write({ "services/echo/quadlet/wrong.service": "[Service]\nExecStart=/no/such/program\n" });
    const refused = machine.stet("apply", ...here);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("wrong.service: systemd-analyze says:");
    machine.remove(`${repo}/services/echo/quadlet/wrong.service`);
  });

  test("a missing podman secret is a warning at its line", () => {
    write({
      "hosts/box/overrides/quadlet/web.container.d/30-secret.conf": "[Container]\nSecret=db-password,type=env\n",
    });
    const planned = JSON.parse(machine.stet("plan", ...here, "--json").out);
    expect(planned.diagnostics).toContainEqual(
      expect.objectContaining({ code: "missing-secret", file: expect.stringContaining("30-secret.conf"), line: 2 }),
    );
    machine.remove(`${repo}/hosts/box/overrides/quadlet/web.container.d/30-secret.conf`);
  });

  test("every run leaves one record in the journal, readable as JSON", () => {
    const records = machine
      .ask("journalctl", "-o", "json", "SYSLOG_IDENTIFIER=stet")
      .split("\n")
      .map((line) => JSON.parse(line));
    const first = records[0];
    expect(first).toMatchObject({ STET_HOST: "box", STET_OUTCOME: "changed", STET_CHANGED: "3", PRIORITY: "5" });
    expect(JSON.parse(first.STET_ACTIONS)).toContainEqual({
      action: "start",
      unit: "web.service",
      reason: "new",
      outcome: "done",
    });
    expect(Number(first.STET_DURATION_MS)).toBeGreaterThan(0);
    expect(records.map((record) => record.STET_OUTCOME)).toEqual(
      expect.arrayContaining(["unchanged", "failed", "rolled-back", "refused"]),
    );
  });

  test("the hardened unit of the examples follows a Git remote, tells systemd, writes metrics, and looks at once on reload", () => {
    const unit = readFileSync(join(import.meta.dirname, "../../../examples/host/stet-host.service"), "utf8").replace(
      /^ExecStart=.*$/m,
      "ExecStart=/opt/stet host watch --interval 1h --metrics-file /var/lib/stet/stet.prom",
    );
    machine.write({ "stet-host.service": unit, "host.env": `STET_REPO=file:///opt/shared/${repo}\nSTET_HOST=box\n` });
    const commit = () =>
      machine.ask(
        "sh",
        "-c",
        `cd /opt/shared/${repo} && git add -A && git -c user.name=t -c user.email=t@example.org commit -qm change && git rev-parse HEAD`,
      );
    machine.ask("git", "init", "-q", "-b", "main", `/opt/shared/${repo}`);
    const first = commit();
    machine.ask(
      "sh",
      "-c",
      "mkdir -p /etc/stet && cp /opt/shared/host.env /etc/stet/ && cp /opt/shared/stet-host.service /etc/systemd/system/",
    );
    machine.ask("systemctl", "daemon-reload");
    const started = machine.run("systemctl", "start", "stet-host.service");
    expect(started, machine.run("journalctl", "-u", "stet-host.service", "-o", "cat").out).toMatchObject({ code: 0 });
    expect(property("stet-host.service", "StatusText")).toContain("box");
    expect(machine.ask("cat", "/var/lib/stet/stet.prom")).toContain(`stet_host_info{host="box",commit="${first}"}`);
    const before = invocation();
    write({ "services/web/config/etc/web/motd": "third words\n" });
    const second = commit();
    machine.ask("systemctl", "reload", "stet-host.service");
    machine.ask(
      "sh",
      "-c",
      'for i in $(seq 500); do grep -q "outcome=\\"changed\\"} 1" /var/lib/stet/stet.prom && exit 0; sleep 0.2; done; cat /var/lib/stet/stet.prom; exit 1',
    );
    expect(invocation()).not.toBe(before);
    expect(machine.ask("journalctl", "-o", "json", "SYSLOG_IDENTIFIER=stet", `STET_COMMIT=${second}`)).toContain(
      '"STET_OUTCOME":"changed"',
    );
    machine.ask("systemctl", "stop", "stet-host.service");
    expect(property("stet-host.service", "Result")).toBe("success");
  });

  test("a deselected service is stopped and removed with its config; its data and foreign files stay", () => {
    machine.ask("sh", "-c", "echo '[Network]' > /etc/containers/systemd/foreign.network");
    machine.ask("podman", "exec", "systemd-web", "/bin/sh", "-c", "echo precious > /data/file");
    write({ "hosts/box/host.yaml": "host: box\nservices: []\n" });
    machine.remove(`${repo}/hosts/box/overrides`);
    const applied = machine.stet("apply", ...here);
    expect(applied, applied.err).toMatchObject({ code: 0, err: expect.stringContaining("data-kept") });
    expect(property("web.service", "LoadState")).toBe("not-found");
    expect(machine.ask("podman", "ps", "--quiet")).toBe("");
    expect(machine.run("test", "-e", "/etc/web").code).not.toBe(0);
    expect(machine.ask("cat", "/etc/containers/systemd/foreign.network")).toBe("[Network]");
    expect(machine.ask("sh", "-c", "cat $(podman volume inspect --format '{{.Mountpoint}}' systemd-data)/file")).toBe(
      "precious",
    );
  });
});
