// needs: podman podman-binary
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Machine, type Ran } from "./machine.ts";

let machine: Machine;

/** A user of the machine with a systemd of their own, as after a login. */
class User {
  private readonly env: readonly string[];

  constructor(
    readonly name: string,
    readonly id: number,
  ) {
    this.env = [`HOME=/home/${name}`, `XDG_RUNTIME_DIR=/run/user/${id}`, `USER=${name}`];
    const containers = `/home/${name}/.local/share/containers`;
    const steps = [
      `useradd --uid ${id} --create-home ${name}`,
      // Without newuidmap there is one id: podman says so and goes on.
      ": > /etc/subuid; : > /etc/subgid",
      `install -d -m 700 -o ${name} -g ${name} /run/user/${id}`,
      `install -d -o ${name} -g ${name} /home/${name}/.local /home/${name}/.local/share ${containers} /home/${name}/.config`,
      // podman can't stack its layers on ours.
      `mount -t tmpfs -o uid=${id},gid=${id} tmpfs ${containers}`,
      `systemd-run --quiet --unit=manager-${name} --uid=${name} --gid=${name} -p Delegate=yes -E XDG_RUNTIME_DIR=/run/user/${id} -E HOME=/home/${name} /usr/lib/systemd/systemd --user`,
      `for i in $(seq 600); do [ -S /run/user/${id}/systemd/private ] && break; sleep 0.1; done`,
    ];
    machine.ask("sh", "-c", steps.join("\n"));
    this.ask("podman", "import", "-q", "-c", 'CMD ["/bin/sh"]', "/tmp/busybox.tar", "localhost/bb:1");
  }

  run(...command: string[]): Ran {
    return machine.run(
      "setpriv",
      `--reuid=${this.id}`,
      `--regid=${this.id}`,
      "--init-groups",
      "env",
      ...this.env,
      ...command,
    );
  }

  ask(...command: string[]): string {
    const { code, out, err } = this.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")}: ${err || out}`);
    return out.trim();
  }

  stet(command: string, ...args: string[]): Ran {
    return this.run("/opt/stet", "host", command, "--user", ...args);
  }

  apply(...args: string[]): Ran {
    return this.stet("apply", "--repo", `/opt/shared/${this.name}`, "--host", "box", "--wait", "20s", ...args);
  }

  property(unit: string, name: string): string {
    return this.ask("systemctl", "--user", "show", "--value", `--property=${name}`, unit);
  }
}

// The machine's own /proc is not whole, so that no user may mount another: containers share it.
const container = (words: string) =>
  `[Container]\nImage=localhost/bb:1\nNetwork=none\nStopTimeout=1\nPodmanArgs=--pid=host\nVolume=%h/.config/web:/etc/web:ro\nExec=/bin/sh -c "echo ${words}; cat /etc/web/motd; exec sleep 1000"\n[Install]\nWantedBy=default.target\n`;
const repository = (name: string, words: string) => ({
  [`${name}/services/web/quadlet/web.container`]: container(words),
  [`${name}/services/web/config/etc/web/motd`]: "first\n",
  [`${name}/services/other/quadlet/other.container`]: container("other").replace(/Volume=.*\n/, ""),
  [`${name}/hosts/box/host.yaml`]: "host: box\nservices: [web, other]\n",
});

let alice: User;
let bob: User;

beforeAll(() => {
  machine = new Machine();
  machine.run("systemctl", "is-system-running", "--wait");
  // Containers of users wait for the network, which nobody brings up here.
  machine.ask(
    "sh",
    "-c",
    "systemctl start network-online.target; cp /opt/busybox.tar /tmp/busybox.tar; chmod 644 /tmp/busybox.tar",
  );
  machine.write({ ...repository("alice", "alice"), ...repository("bob", "bob") });
  alice = new User("alice", 1000);
  bob = new User("bob", 1001);
});
afterAll(() => machine?.stop());

// One story: each part begins where the one before ended.
describe.sequential("units of users", () => {
  test("arrive, run without root, and are warned about where nobody lingers", () => {
    const applied = alice.apply();
    expect(applied, applied.err).toMatchObject({ code: 0, err: expect.stringContaining("no-lingering") });
    expect(alice.property("web.service", "ActiveState")).toBe("active");
    expect(alice.ask("podman", "ps", "--format", "{{.Names}}").split("\n").sort()).toEqual([
      "systemd-other",
      "systemd-web",
    ]);
    expect(machine.run("test", "-e", "/home/alice/.local/state/stet/host/user/registry.json").code).toBe(0);
    machine.ask("sh", "-c", "mkdir -p /var/lib/systemd/linger && touch /var/lib/systemd/linger/alice");
    const again = alice.apply("--json");
    expect(JSON.parse(again.out)).toMatchObject({ changed: 0, actions: [], diagnostics: [] });
  });

  test("a changed file restarts what mounts it by %h, and nothing else", () => {
    const before = alice.property("other.service", "InvocationID");
    machine.write({ "alice/services/web/config/etc/web/motd": "second\n" });
    const changed = alice.apply("--json");
    expect(JSON.parse(changed.out).actions).toMatchObject([{ action: "restart", unit: "web.service" }]);
    expect(alice.ask("podman", "logs", "systemd-web")).toContain("second");
    expect(alice.property("other.service", "InvocationID")).toBe(before);
  });

  test("several users side by side know nothing of each other, nor the system of them", () => {
    expect(bob.apply()).toMatchObject({ code: 0 });
    expect(bob.property("web.service", "ActiveState")).toBe("active");
    machine.write({ "bob/hosts/box/host.yaml": "host: box\nservices: []\n" });
    expect(bob.apply()).toMatchObject({ code: 0 });
    expect(bob.property("web.service", "LoadState")).toBe("not-found");
    expect(alice.property("web.service", "ActiveState")).toBe("active");
    expect(machine.stet("status").out).toContain("nothing is applied here");
  });

  test("what a user's unit does by itself is noticed: stopped by hand, failed, and who stopped it", () => {
    alice.ask("systemctl", "--user", "stop", "web.service");
    expect(alice.stet("status", "--exit-code", "--offline").code).toBe(2);
    expect(alice.apply("--keep-drift")).toMatchObject({
      code: 0,
      err: expect.stringContaining("stopped on this host"),
    });
    expect(alice.property("web.service", "ActiveState")).not.toBe("active");
    expect(alice.apply()).toMatchObject({ code: 0 });
    expect(alice.property("web.service", "ActiveState")).toBe("active");
  });

  test("without XDG_RUNTIME_DIR, as from cron, the user's systemd is found all the same", () => {
    const plain = machine.run(
      ...[
        "setpriv",
        "--reuid=1000",
        "--regid=1000",
        "--init-groups",
        "env",
        "HOME=/home/alice",
        "/opt/stet",
        "host",
        "status",
        "--user",
      ],
    );
    expect(plain, plain.err).toMatchObject({ code: 0, out: expect.stringContaining("web.service  active") });
  });

  test("the example unit keeps it so", () => {
    const unit = readFileSync(
      join(import.meta.dirname, "../../../examples/host/stet-host-user.service"),
      "utf8",
    ).replace(/^ExecStart=\S+/m, "ExecStart=/opt/stet");
    machine.write({ "user.service": unit, "host.env": "STET_REPO=/opt/shared/alice\nSTET_HOST=box\n" });
    const put =
      "mkdir -p ~/.config/stet ~/.config/systemd/user && cp /opt/shared/host.env ~/.config/stet/ && cp /opt/shared/user.service ~/.config/systemd/user/stet-host.service";
    alice.ask("sh", "-c", put);
    alice.ask("systemctl", "--user", "daemon-reload");
    const started = alice.run("systemctl", "--user", "start", "stet-host.service");
    expect(started, alice.run("journalctl", "--user", "-n", "20", "-o", "cat").out).toMatchObject({ code: 0 });
    expect(alice.property("stet-host.service", "StatusText")).toContain("box");
    alice.ask("systemctl", "--user", "stop", "web.service");
    alice.ask("systemctl", "--user", "reload", "stet-host.service");
    alice.ask(
      "sh",
      "-c",
      "for i in $(seq 500); do systemctl --user is-active -q web.service && exit 0; sleep 0.2; done; exit 1",
    );
    alice.ask("systemctl", "--user", "stop", "stet-host.service");
    const said = alice.run("journalctl", "--user", "-n", "20", "-o", "cat", "--user-unit=stet-host.service").out;
    expect(alice.property("stet-host.service", "Result"), said).toBe("success");
  });
});
