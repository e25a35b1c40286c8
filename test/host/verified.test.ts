import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stetHost } from "./cli.ts";
import { webFiles } from "./git-repository.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "stet-home-"));
  write(webFiles);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>, mode = 0o644): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, "repo", path)), { recursive: true });
    writeFileSync(join(home, "repo", path), text, { mode });
  }
}

const stet = (command: string, ...args: string[]) => {
  const at = ["--repo", join(home, "repo"), "--host", "box", "--root", join(home, "root")];
  return stetHost([command, ...at, ...args], { PATH: process.env.PATH, HOME: home, STET_QUADLET: generator });
};
let generator: string | undefined;

/** Complains as podman does about a unit that holds `refuse`, and counts how often it was asked. */
function makeGenerator(): void {
  generator = join(home, "generator");
  const script = `#!/bin/sh\necho . >> ${home}/asked\nif grep -q refuse -r "$QUADLET_UNIT_DIRS"; then echo "converting \\"web.container\\": no" >&2; exit 1; fi\n`;
  writeFileSync(generator, script, { mode: 0o755 });
}

const asked = () => readFileSync(join(home, "asked"), "utf8").length / 2;
const refused = { "services/web/quadlet/web.container": "[Container]\nImage=example.org/refuse:1\n" };

describe("podman's generator is asked before anything is applied", () => {
  test.each(["check", "plan", "apply"])("%s fails with its words, at the file in the repository", async (command) => {
    makeGenerator();
    expect(await stet(command)).toMatchObject({ code: 0 });
    write(refused);
    const said = await stet(command);
    expect(said).toMatchObject({
      code: 1,
      err: expect.stringContaining("services/web/quadlet/web.container: podman's generator says:"),
    });
    const document = JSON.parse((await stet(command, "--json")).out);
    expect(document.diagnostics).toContainEqual(expect.objectContaining({ code: "invalid-unit", severity: "error" }));
  });

  test("check asks once for hosts with the same units, and once more for each that differs", async () => {
    makeGenerator();
    for (const host of ["a", "b", "c"]) write({ [`hosts/${host}/host.yaml`]: `host: ${host}\nservices: [web]\n` });
    write({ "hosts/c/overrides/quadlet/web.container.d/10.conf": "[Container]\nUser=1\n" });
    expect(await stet("check")).toMatchObject({ code: 0 });
    expect(asked()).toBe(2);
    write({ "hosts/c/overrides/quadlet/web.container.d/10.conf": "[Container]\nUser=refuse\n" });
    const said = JSON.parse((await stet("check", "--json")).out);
    expect(said.hosts.map(({ host, ok }: { host: string; ok: boolean }) => `${host} ${ok}`)).toEqual([
      "a true",
      "b true",
      "box true",
      "c false",
    ]);
  });

  test("nothing to change: nothing to ask", async () => {
    makeGenerator();
    expect(await stet("apply")).toMatchObject({ code: 0 });
    const before = asked();
    expect(await stet("plan")).toMatchObject({ code: 0 });
    expect(asked()).toBe(before);
  });

  test.each(["check", "plan", "apply"])("%s says where there is none", async (command) => {
    generator = undefined;
    const document = JSON.parse((await stet(command, "--json")).out);
    expect(document.diagnostics).toContainEqual(expect.objectContaining({ code: "no-generator", severity: "info" }));
    rmSync(join(home, "root"), { recursive: true, force: true });
    const said = await stet(command);
    expect(said.out + said.err).toContain("podman's generator is not on this machine");
  });
});

describe("--strict", () => {
  const conflict = {
    "hosts/box/overrides/quadlet/web.container.d/10.conf": "[Container]\nUser=1\n",
    "hosts/box/overrides/quadlet/web.container.d/20.conf": "[Container]\nUser=2\n",
  };
  test.each(["evaluate", "check", "plan", "apply", "show web.container"])(
    "conflicting overlays fail: %s",
    async (command) => {
      generator = undefined;
      write(conflict);
      const [name, ...args] = command.split(" ");
      expect(await stet(name!, ...args)).toMatchObject({ code: 0, err: expect.stringContaining("[conflicting-keys]") });
      rmSync(join(home, "root"), { recursive: true, force: true });
      const said = await stet(name!, ...args, "--strict");
      expect(said).toMatchObject({ code: 1, out: expect.not.stringContaining("web.container") });
      expect(said.err).toMatch(
        /^stet: hosts\/box\/overrides\/quadlet\/web\.container\.d\/20\.conf:2:1: .*\[conflicting-keys\]\n$/m,
      );
      expect(() => readFileSync(join(home, "root/etc/containers/systemd/web.container"))).toThrow();
    },
  );

  test("an empty drop-in folder, too, and nothing that is only a note", async () => {
    write({ "hosts/box/overrides/quadlet/web.container.d/.gitkeep": "" });
    expect(await stet("apply", "--strict")).toMatchObject({
      code: 1,
      err: expect.stringContaining("[empty-dropin-dir]"),
    });
    write({ "hosts/box/overrides/quadlet/web.container.d/10.conf": "[Container]\nImage=example.org/web:2\n" });
    expect(await stet("apply", "--strict")).toMatchObject({ code: 0 });
  });
});
