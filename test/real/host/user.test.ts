// needs: user-systemd
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UserManager } from "./user-manager.ts";

const user = new UserManager();
const repo = join(user.home, "repo");
const units = join(user.home, ".config/systemd/user");
const service = (command: string, unit = "") =>
  `[Unit]\nDescription=Test\n${unit}[Service]\nExecStart=${command}\n[Install]\nWantedBy=default.target\n`;

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const web = "services/web/quadlet/web.service";
const invocation = (unit: string) => user.property(unit, "InvocationID");

/** One apply, with its exit code and what it says it did to units. */
async function apply() {
  const said = await user.stet("apply", "--user", "--repo", repo, "--host", "box", "--no-audit", "--json");
  const document = JSON.parse(said.out);
  const actions = document.actions?.map(({ action, unit }: { action: string; unit: string }) => `${action} ${unit}`);
  return { ...said, document, actions };
}

beforeAll(() => {
  user.start();
  write(repo, {
    [web]: service("/bin/sleep 1001"),
    "services/other/quadlet/other.service": service("/bin/sleep 5000"),
    "hosts/box/host.yaml": "host: box\nservices: [web, other]\n",
  });
  // The user's own, which the repository knows nothing of.
  write(units, { "mine.service": service("/bin/sleep 6000") });
  user.systemctl("daemon-reload");
});
afterAll(() => user.stop());

// One story: each part begins where the one before ended.
describe.sequential("a real systemd of a user", () => {
  test("apply: the unit is in the user's folder, enabled and running", async () => {
    const applied = await apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(readFileSync(join(units, "web.service"), "utf8")).toBe(service("/bin/sleep 1001"));
    expect(user.property("web.service", "FragmentPath")).toBe(join(units, "web.service"));
    expect(user.property("web.service", "UnitFileState")).toBe("enabled");
    expect(user.property("web.service", "ActiveState")).toBe("active");
    expect(user.commandLine("web.service")).toBe("/bin/sleep 1001");
  });

  test("a second apply does nothing", async () => {
    const before = invocation("web.service");
    expect(await apply()).toMatchObject({ code: 0, document: { changed: 0 }, actions: [] });
    expect(invocation("web.service")).toBe(before);
  });

  test("a changed unit is restarted, its neighbour is not", async () => {
    const before = ["web.service", "other.service"].map(invocation);
    write(repo, { [web]: service("/bin/sleep 1002") });
    const applied = await apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(applied.actions).toEqual(["enable web.service", "daemon-reload systemd", "restart web.service"]);
    expect(user.commandLine("web.service")).toBe("/bin/sleep 1002");
    expect(invocation("web.service")).not.toBe(before[0]);
    expect(invocation("other.service")).toBe(before[1]);
  });

  test("a payload goes below the user's folder for configuration, and restarts its service", async () => {
    const before = invocation("web.service");
    write(repo, { "services/web/config/etc/web/motd": "hello\n" });
    const applied = await apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(readFileSync(join(user.home, ".config/web/motd"), "utf8")).toBe("hello\n");
    expect(invocation("web.service")).not.toBe(before);
  });

  test("a unit may require one that only this user has", async () => {
    write(repo, { [web]: service("/bin/sleep 1003", "Requires=mine.service\n") });
    const applied = await apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(user.commandLine("mine.service")).toBe("/bin/sleep 6000");
    expect(user.commandLine("web.service")).toBe("/bin/sleep 1003");
  });

  test("a unit that does not come up: exit 4 and its name; the next commit repairs it", async () => {
    write(repo, { [web]: service("/bin/false") });
    const failed = await apply();
    expect(failed.code).toBe(4);
    expect(failed.err).toContain("web.service did not come up: failed");
    write(repo, { [web]: service("/bin/sleep 1004") });
    const repaired = await apply();
    expect(repaired, repaired.err).toMatchObject({ code: 0 });
    expect(user.commandLine("web.service")).toBe("/bin/sleep 1004");
  });

  test("a service the host no longer selects is stopped and gone, the user's own runs on", async () => {
    write(repo, { "hosts/box/host.yaml": "host: box\nservices: [other]\n" });
    const own = invocation("mine.service");
    const applied = await apply();
    expect(applied, applied.err).toMatchObject({ code: 0 });
    expect(user.commandLine("web.service")).toBeUndefined();
    expect(user.property("web.service", "LoadState")).toBe("not-found");
    for (const gone of ["web.service", "default.target.wants/web.service"])
      expect(existsSync(join(units, gone))).toBe(false);
    expect([user.commandLine("other.service"), user.commandLine("mine.service")]).toEqual([
      "/bin/sleep 5000",
      "/bin/sleep 6000",
    ]);
    expect(invocation("mine.service")).toBe(own);
  });
});
