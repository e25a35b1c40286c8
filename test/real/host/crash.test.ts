// needs: strace podman-binary
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const stet = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test"), "stet-binary");
const folder = mkdtempSync(join(tmpdir(), "stet-crash-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (place: string, files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
};
const box = { "hosts/box/host.yaml": "host: box\nservices: [web]\n" };
const before = {
  ...box,
  "services/web/quadlet/web.container": "[Container]\nImage=a.b/c:1\n",
  "services/web/quadlet/old.container": "[Container]\nImage=a.b/c\n",
  "services/web/config/etc/web/a": "1\n",
};
const after = {
  ...box,
  "services/web/quadlet/web.container": "[Container]\nImage=a.b/c:2\n",
  "services/web/quadlet/new.container": "[Container]\nImage=a.b/c\n",
  "services/web/config/etc/web/a": "2\n",
  "services/web/config/etc/web/b": "3\n",
};
write(join(folder, "before"), before);
write(join(folder, "after"), after);

/** Everything below a root, as text. */
function tree(root: string): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length), readFileSync(path, "utf8")]),
  );
}

const apply = (home: string, repo: string, wrap: string[] = []) => {
  const [program, ...args] = [...wrap, stet, "host", "apply", "--repo", join(folder, repo), "--host", "box", "--root", join(home, "root")];
  return spawnSync(program!, args, { env: { PATH: process.env.PATH, HOME: home }, encoding: "utf8" });
};

describe("killed in the middle", () => {
  const start = join(folder, "start");
  mkdirSync(start);
  apply(start, "before");
  const old = tree(join(start, "root"));
  const done = join(folder, "done");
  mkdirSync(done);
  apply(done, "before");
  apply(done, "after");
  const next = tree(join(done, "root"));

  test.each([
    1, 2, 3, 4, 5, 6, 7, 8,
  ])("at rename %i: the next run ends where an undisturbed one does, and going back still works", (when) => {
    const home = mkdtempSync(join(folder, "home-"));
    apply(home, "before");
    const killed = apply(home, "after", [
      "strace",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      "trace=rename,renameat,renameat2",
      "-e",
      `inject=rename,renameat,renameat2:signal=SIGKILL:when=${when}`,
    ]);
    expect(killed.status).not.toBe(0);
    const again = apply(home, "after");
    expect(again.status, again.stderr).toBe(0);
    expect(tree(join(home, "root"))).toEqual(next);
    const back = spawnSync(stet, ["host", "rollback", "--root", join(home, "root")], {
      env: { PATH: process.env.PATH, HOME: home },
      encoding: "utf8",
    });
    expect(back.status, back.stderr).toBe(0);
    expect(tree(join(home, "root"))).toEqual(old);
  });
});
