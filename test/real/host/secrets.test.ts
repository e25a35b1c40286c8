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

// Services of this machine get no credentials at all, encrypted or not: it may not mount what they are kept in.
test("a credential that systemd-creds encrypted on the host comes from the repository, protected, and can be decrypted", () => {
  const encrypted = machine.ask("sh", "-c", "printf hunter2 | systemd-creds encrypt --with-key=host --name=db - -");
  const unit = `[Service]
Type=oneshot
RemainAfterExit=yes
LoadCredentialEncrypted=db:/etc/web/db.cred
ExecStart=/bin/true
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
  expect(machine.ask("systemd-creds", "decrypt", "--name=db", "/etc/web/db.cred", "-")).toBe("hunter2");
  expect(machine.ask("stat", "-c", "%a %U %G", "/etc/web/db.cred")).toBe("640 root daemon");
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
