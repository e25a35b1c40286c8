import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stetHost } from "./cli.ts";
import { GitRepository } from "./git-repository.ts";

let repository: GitRepository;
beforeEach(() => {
  repository = new GitRepository();
});
afterEach(() => repository.remove());

const diff = async (...args: string[]) =>
  stetHost(["diff", "before", "--repo", repository.work, "--all-hosts", ...args], {
    PATH: process.env.PATH,
    HOME: repository.folder,
  });

/** Hosts that take the service `web`, and each something of its own over it. */
function fleet(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      [`hosts/host${i}/host.yaml`, `host: host${i}\nservices: [web]\n`],
      [
        `hosts/host${i}/overrides/quadlet/web.container.d/20.conf`,
        `[Container]\nHostName=host${i}\nImage=example.org/web:own\n`,
      ],
    ]).flat(),
  );
}
const web = (tag: string) => ({ "services/web/quadlet/web.container": `[Container]\nImage=example.org/web:${tag}\n` });

describe("diff --all-hosts", () => {
  test("one changed line on 1,000 hosts is one diff, below a table", async () => {
    repository.commit({ ...web("1"), ...fleet(1000), "hosts/idle/host.yaml": "host: idle\nservices: []\n" });
    repository.git("tag", "before");
    repository.write(web("2"));
    const text = await diff();
    expect(text).toMatchObject({ code: 0, err: "" });
    expect(text.out.match(/^\+Image=/gm)).toHaveLength(1);
    expect(text.out).toMatch(
      /^1000 of 1001 hosts change\n\n {2}HOSTS +FILES {2}UNITS\n {2}host0, host1, .* and \d+ more +1 +restart web\.service\n {2}idle +- +no change\n/,
    );
    const markdown = await diff("--format", "markdown");
    expect(markdown.out).toMatch(
      /^\*\*1000 of 1001 hosts change\.\*\*\n\n\| hosts \| files \| units \|\n\|---\|---\|---\|\n\| host0, .* and \d+ more \| 1 \| restart web\.service \|\n/,
    );
    expect(markdown.out.match(/^\+Image=/gm)).toHaveLength(1);
    const { groups } = JSON.parse((await diff("--json")).out);
    expect(
      groups.map(({ hosts, files }: { hosts: string[]; files: unknown[] }) => [hosts.length, files.length]),
    ).toEqual([
      [1000, 1],
      [1, 0],
    ]);
  });

  test("a change that several groups share is shown once", async () => {
    const db = (tag: string) => ({ "services/db/quadlet/db.container": `[Container]\nImage=example.org/db:${tag}\n` });
    const hosts = {
      "hosts/a/host.yaml": "host: a\nservices: [web]\n",
      "hosts/b/host.yaml": "host: b\nservices: [web, db]\n",
    };
    repository.commit({ ...web("1"), ...db("1"), ...hosts });
    repository.git("tag", "before");
    repository.write({ ...web("2"), ...db("2") });
    for (const format of ["text", "markdown"]) {
      const { out } = await diff("--format", format);
      expect(out.match(/^\+Image=example.org\/web:2/gm)).toHaveLength(1);
      expect(out).toContain(": as above\n");
    }
  });

  test.each(["text", "markdown"])("%s stays below 60,000 characters, and counts what it leaves out", async (format) => {
    repository.commit({ ...web("1"), ...fleet(300) });
    repository.git("tag", "before");
    const long = Array.from({ length: 100 }, (_, i) => `Environment=A${i}=${"x".repeat(20)}\n`).join("");
    repository.write(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [
          `hosts/host${i}/overrides/quadlet/web.container.d/30.conf`,
          `[Container]\nLabel=n=${i}\n${long}`,
        ]),
      ),
    );
    const { out, code } = await diff("--format", format);
    expect(code).toBe(0);
    expect(out.length).toBeLessThan(60_000);
    expect(out.length).toBeGreaterThan(30_000);
    expect(out).toMatch(
      /\nNot shown for want of room: \d+ files of changes on \d+ hosts\. --format\sjson has\sthem all\.\n$/,
    );
    expect(out).toMatch(/… and \d+ more hosts/);
  });

  test("one file that is longer than a page", async () => {
    repository.commit({ ...web("1"), ...fleet(1) });
    repository.git("tag", "before");
    repository.write({
      "services/web/config/etc/web/big": Array.from({ length: 20_000 }, (_, i) => `line ${i}\n`).join(""),
    });
    for (const format of ["text", "markdown"]) {
      const { out } = await diff("--format", format);
      expect(out.length).toBeLessThan(60_000);
      expect(out).toMatch(/… and \d{5} more lines\n/);
    }
    expect(JSON.parse((await diff("--json")).out).groups[0].files[0].diff).toContain("+line 19999\n");
  });

  test("--strict: a conflict between overlays of the newer revision is an error", async () => {
    repository.commit({ ...web("1"), ...fleet(1) });
    repository.git("tag", "before");
    const twice = "[Container]\nHostName=a\nHostName=b\n";
    repository.write({ "hosts/host0/overrides/quadlet/web.container.d/20.conf": twice });
    expect(await diff()).toMatchObject({ code: 0, err: expect.stringContaining("warning: ") });
    const strict = await diff("--strict");
    expect(strict).toMatchObject({ code: 1, err: expect.stringContaining("[conflicting-keys]") });
    expect(strict.err).not.toContain("warning");
  });
});
