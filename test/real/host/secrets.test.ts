// needs: podman podman-binary
import { afterAll, beforeAll, expect, test } from "vitest";
import { Machine } from "./machine.ts";

let machine: Machine;
const here = ["--repo", "/opt/shared/secrets", "--host", "box", "--wait", "20s"];
const write = (files: Record<string, string>) =>
  machine.write(Object.fromEntries(Object.entries(files).map(([path, text]) => [`secrets/${path}`, text])));

beforeAll(() => {
  machine = new Machine();
  machine.run("systemctl", "is-system-running", "--wait");
  machine.ask("podman", "import", "-q", "-c", 'CMD ["/bin/sh"]', "/opt/busybox.tar", "localhost/bb:1");
  write({ "hosts/box/host.yaml": "host: box\nservices: [web]\n" });
});
afterAll(() => machine?.stop());

test("a credential that systemd-creds encrypted on the host comes from the repository, and only its service can read it", () => {
  const encrypted = machine.ask("sh", "-c", "printf hunter2 | systemd-creds encrypt --with-key=host --name=db - -");
  const unit = `[Service]
Type=oneshot
RemainAfterExit=yes
User=daemon
LoadCredentialEncrypted=db:/etc/web/db.cred
ExecStart=/bin/sh -c "echo db is $$(cat $$CREDENTIALS_DIRECTORY/db)"
[Install]
WantedBy=multi-user.target
`;
  write({ "services/web/quadlet/web.service": unit, "services/web/config/etc/web/db.cred": "hunter2\n" });
  expect(machine.stet("apply", ...here)).toMatchObject({ code: 1, err: expect.stringContaining("[plain-secret]") });
  write({
    "services/web/config/etc/web/db.cred": `${encrypted}\n`,
    "services/web/config/etc/tmpfiles.d/web.conf": "z /etc/web/db.cred 0640 root daemon\n",
  });
  const applied = machine.stet("apply", ...here);
  expect(applied, applied.err).toMatchObject({ code: 0 });
  expect(machine.ask("journalctl", "-o", "cat", "--unit=web.service")).toContain("db is hunter2");
  expect(machine.run("runuser", "-u", "nobody", "--", "cat", "/run/credentials/web.service/db").code).not.toBe(0);
  expect(machine.ask("stat", "-c", "%a %U %G", "/etc/web/db.cred")).toBe("640 root daemon");
});

test("a container reads an encrypted credential as the page about hosts says; a changed one restarts it", () => {
  const encrypt = (text: string) =>
    machine.ask("sh", "-c", `printf ${text} | systemd-creds encrypt --with-key=host --name=db - -`);
  const container = `[Container]
Image=localhost/bb:1
Network=none
StopTimeout=1
Volume=%d/db:/run/secrets/db:ro
Exec=/bin/sleep 1000
[Service]
LoadCredentialEncrypted=db:/etc/web/db.cred
[Install]
WantedBy=multi-user.target
`;
  for (const secret of ["first", "second"]) {
    write({
      "services/web/quadlet/vault.container": container,
      "services/web/config/etc/web/db.cred": `${encrypt(secret)}\n`,
    });
    const applied = machine.stet("apply", ...here);
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(machine.ask("podman", "exec", "systemd-vault", "cat", "/run/secrets/db")).toBe(secret);
  }
});

test("a podman secret that the host does not have is told, and one that it has reaches the container", () => {
  const container = `[Container]
Image=localhost/bb:1
Network=none
StopTimeout=1
Secret=token,type=env,target=TOKEN
Exec=/bin/sh -c "echo token is $$TOKEN; exec sleep 1000"
[Install]
WantedBy=multi-user.target
`;
  write({ "services/web/quadlet/app.container": container });
  expect(machine.stet("apply", ...here, "--strict")).toMatchObject({
    code: 1,
    err: expect.stringContaining("[missing-secret]"),
  });
  machine.ask("sh", "-c", "printf s3cret | podman secret create token -");
  const applied = machine.stet("apply", ...here, "--strict");
  expect(applied, applied.err).toMatchObject({ code: 0 });
  expect(machine.ask("journalctl", "-o", "cat", "CONTAINER_NAME=systemd-app")).toContain("token is s3cret");
});
