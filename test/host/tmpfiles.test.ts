import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { contentMode } from "../../src/host/evaluate/evaluation.ts";
import { stetHost } from "./cli.ts";
import { webFiles } from "./git-repository.ts";
import { evaluateBox, told } from "./repository.ts";

const conf = "services/web/config/etc/tmpfiles.d/web.conf";
const payload = {
  "services/web/config/etc/web/key": "k",
  "services/web/config/etc/web/tls/a.pem": "a",
  "services/web/config/etc/web/plain": "p",
};

describe("a service's tmpfiles.d lines", () => {
  const modes = (text: string, more = {}) => {
    const evaluation = evaluateBox({ ...payload, [conf]: text, ...more });
    expect(told(evaluation)).toEqual([]);
    return Object.fromEntries(
      evaluation.files.filter(({ kind }) => kind === "config").map(({ path, content }) => [path, contentMode(content)]),
    );
  };

  test("give its files a stricter mode, and are delivered themselves", () => {
    expect(modes("# keys\nZ /etc/web/tls 0640 root www\nz /etc/web/k* 0600 - -\n")).toEqual({
      "/etc/tmpfiles.d/web.conf": "0644",
      "/etc/web/key": "0600",
      "/etc/web/plain": "0644",
      "/etc/web/tls/a.pem": "0640",
    });
  });

  test("a host's replace the shared ones as a whole", () => {
    const own = { "hosts/box/overrides/config/etc/tmpfiles.d/web.conf": "z /etc/web/plain 0400\n" };
    expect(modes("z /etc/web/key 0600\n", own)).toMatchObject({ "/etc/web/key": "0644", "/etc/web/plain": "0400" });
  });

  test.each([
    ["d /etc/web/x 0755", "invalid-tmpfiles"],
    ["f /etc/shadow 0600 - - - x", "invalid-tmpfiles"],
    ["z /etc/shadow 0644", "invalid-tmpfiles"],
    ["z /etc/web/../shadow 0644", "invalid-tmpfiles"],
    ["z /etc/web/key 0666", "invalid-tmpfiles"],
    ["z /etc/web/key 4755", "invalid-tmpfiles"],
    ["z /etc/web/key rw", "invalid-tmpfiles"],
    ["z /etc/web/key 0600 $(id)", "invalid-tmpfiles"],
    ["z /etc/web/kee 0600", "missing-reference"],
  ])("%s is refused", (line, code) => {
    expect(told(evaluateBox({ ...payload, [conf]: `# one\n${line}\n` }))).toEqual([`${code} ${conf}:2`]);
  });

  test("only under the service's own name", () => {
    expect(told(evaluateBox({ "services/web/config/etc/tmpfiles.d/other.conf": "" }))).toEqual([
      "path-outside-service services/web/config/etc/tmpfiles.d/other.conf",
    ]);
  });
});

describe("applied", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "stet-home-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test("files have the mode from the first moment, and the owner that systemd-tmpfiles gives them", async () => {
    const isRoot = process.geteuid!() === 0;
    const owner = isRoot ? "65534 65534" : "- -";
    for (const [path, text] of Object.entries({ ...webFiles, ...payload, [conf]: `z /etc/web/key 0600 ${owner}\n` })) {
      mkdirSync(dirname(join(home, "repo", path)), { recursive: true });
      writeFileSync(join(home, "repo", path), text);
    }
    const stet = (command: string) =>
      stetHost([command, "--repo", join(home, "repo"), "--host", "box", "--root", join(home, "root"), "--json"], {
        PATH: process.env.PATH,
        HOME: home,
      });
    const said = await stet("apply");
    expect(said, said.err).toMatchObject({ code: 0 });
    expect(
      JSON.parse(said.out).diagnostics.filter(({ severity }: { severity: string }) => severity !== "info"),
    ).toEqual([]);
    const status = statSync(join(home, "root/etc/web/key"));
    expect(status.mode & 0o7777).toBe(0o600);
    if (isRoot) expect([status.uid, status.gid]).toEqual([65534, 65534]);
    expect(readFileSync(join(home, "root/etc/tmpfiles.d/web.conf"), "utf8")).toContain("0600");
    // A second run has nothing to do, whoever owns the file.
    expect(JSON.parse((await stet("apply")).out).changed).toBe(0);
  });
});
