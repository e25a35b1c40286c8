import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isSettled } from "../../src/host/status.ts";
import { applied, Box } from "./box.ts";
import { container, link, repository, webOnBox } from "./repository.ts";

const quadlet = "/etc/containers/systemd";
let box: Box;
beforeEach(() => {
  box = new Box();
});
afterEach(() => box.remove());

describe("files", () => {
  test("FR-009: the desired state arrives, modes and links included", async () => {
    await box.apply(
      webOnBox({
        "services/web/config/etc/web/run.sh": { kind: "file", bytes: Buffer.from("#!/bin/sh\n"), executable: true },
        "services/web/config/etc/web/current": link("run.sh"),
        "hosts/box/overrides/quadlet/web.container.d/20-host.conf": "[Container]\nExec=x\n",
      }),
    );
    expect(box.tree()).toEqual({
      [`${quadlet}/web.container`]: `644 ${container}`,
      [`${quadlet}/web.container.d/20-host.conf`]: "644 [Container]\nExec=x\n",
      "/etc/web/current": "-> run.sh",
      "/etc/web/run.sh": "755 #!/bin/sh\n",
    });
  });

  test("a second apply changes nothing at all: no write, no lock, no reload", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "x" });
    await box.apply(catalog);
    const before = box.fingerprint();
    box.asked.length = 0;
    const again = applied(await box.apply(catalog));
    expect(again.plan.document.changed).toBe(0);
    expect(again.plan.document.summary).toEqual({ unchanged: 2 });
    expect(box.fingerprint()).toBe(before);
    expect(box.asked).toEqual([]);
  });

  test("review remark: a deselected service goes with its config and the folders made for it; foreign files in the same folders stay", async () => {
    const files = {
      "services/web/config/etc/web/d/a": "x",
      "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "",
    };
    await box.apply(webOnBox(files));
    box.write(`${quadlet}/foreign.container`, "not ours");
    await box.apply(webOnBox({ ...files, "hosts/box/host.yaml": "host: box\nservices: []\n" }));
    expect(box.tree()).toEqual({ [`${quadlet}/foreign.container`]: "644 not ours" });
    expect(box.exists("/etc/web")).toBe(false);
    expect(box.exists(`${quadlet}/web.container.d`)).toBe(false);
  });

  test("review remark: a config file that leaves the repository leaves the host", async () => {
    await box.apply(webOnBox({ "services/web/config/etc/web/a": "x", "services/web/config/etc/web/b": "y" }));
    const { plan } = applied(await box.apply(webOnBox({ "services/web/config/etc/web/a": "x" })));
    expect(plan.document.summary).toEqual({ unchanged: 2, remove: 1 });
    expect(box.exists("/etc/web/b")).toBe(false);
  });

  test("a folder that somebody else made stays, and so does what they put into ours", async () => {
    mkdirSync(box.at("/etc/web"), { recursive: true });
    await box.apply(webOnBox({ "services/web/config/etc/web/d/a": "x" }));
    box.write("/etc/web/d/theirs", "y");
    await box.apply(webOnBox());
    expect(box.tree()).toMatchObject({ "/etc/web/d/theirs": "644 y" });
    expect(box.exists("/etc/web/d/a")).toBe(false);
  });

  test("folders made for a file that went first still go with the last one", async () => {
    await box.apply(webOnBox({ "services/web/config/etc/web/d/a": "x", "services/web/config/etc/web/d/b": "x" }));
    await box.apply(webOnBox({ "services/web/config/etc/web/d/b": "x", "services/web/config/etc/web/d/c": "x" }));
    await box.apply(webOnBox({ "services/web/config/etc/web/d/c": "x" }));
    await box.apply(webOnBox());
    expect(box.exists("/etc/web")).toBe(false);
  });

  test("foreign-file: an unrecorded file on a desired path stops everything, and nothing is written", async () => {
    box.write("/etc/web/a", "theirs");
    const before = box.fingerprint();
    const result = await box.apply(webOnBox({ "services/web/config/etc/web/a": "ours" }));
    expect(result.kind).toBe("refused");
    expect(result.kind === "refused" && result.diagnostics).toMatchObject([
      { code: "foreign-file", severity: "error", file: "services/web/config/etc/web/a" },
    ]);
    expect(box.fingerprint()).toBe(before);
  });

  test("an equal unrecorded file is taken over without a write", async () => {
    box.write("/etc/web/a", "same");
    const { plan } = applied(await box.apply(webOnBox({ "services/web/config/etc/web/a": "same" })));
    expect(plan.document.summary).toEqual({ adopt: 1, create: 1 });
    await box.apply(webOnBox());
    expect(box.exists("/etc/web/a")).toBe(false);
  });

  test("an edit on the host is undone, said, and kept in the history", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "git\n" });
    await box.apply(catalog);
    box.write("/etc/web/a", "edited\n");
    const { plan } = applied(await box.apply(catalog));
    expect(box.read("/etc/web/a")).toBe("git\n");
    expect(plan.document.diagnostics).toMatchObject([{ code: "edited-on-host", file: "/etc/web/a" }]);
    expect(Object.values(box.tree(`${box.target.stateDir}`)).some((file) => file.endsWith("edited\n"))).toBe(true);
  });

  test("foreign-file: what is neither a file nor a folder is somebody else's, too", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "x" });
    await box.apply(catalog);
    rmSync(box.at("/etc/web/a"));
    execFileSync("mkfifo", [box.at("/etc/web/a")]);
    const plan = await box.plan(catalog);
    expect(plan).toMatchObject({
      kind: "refused",
      diagnostics: [{ code: "foreign-file", message: expect.stringContaining("is not a file") }],
    });
  });

  test("of an edited file that the repository no longer has, it is not said that it is put back", async () => {
    await box.apply(webOnBox({ "services/web/config/etc/web/a": "git\n" }));
    box.write("/etc/web/a", "edited\n");
    const { plan } = applied(await box.apply(webOnBox()));
    expect(box.exists("/etc/web/a")).toBe(false);
    const message =
      "was edited on this host; it is removed, because the repository no longer has it, and the history keeps the edited file";
    expect(plan.document.diagnostics).toMatchObject([{ code: "edited-on-host", file: "/etc/web/a", message }]);
  });

  test("--keep-drift leaves the edit, and a deleted file comes back all the same", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "git\n", "services/web/config/etc/web/b": "b\n" });
    await box.apply(catalog);
    box.write("/etc/web/a", "edited\n");
    rmSync(box.at("/etc/web/b"));
    const { plan } = applied(await box.apply(catalog, { keepDrift: true }));
    expect(box.read("/etc/web/a")).toBe("edited\n");
    expect(box.read("/etc/web/b")).toBe("b\n");
    expect(plan.document.summary).toMatchObject({ keep: 1, restore: 1 });
  });

  test("a changed mode is a change", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "x" });
    await box.apply(catalog);
    chmodSync(box.at("/etc/web/a"), 0o600);
    const { plan } = applied(await box.apply(catalog));
    expect(plan.document.changed).toBe(1);
    expect(box.tree()["/etc/web/a"]).toBe("644 x");
  });

  test("a file that became a link is replaced, not written through", async () => {
    const catalog = webOnBox({ "services/web/config/etc/web/a": "ours" });
    await box.apply(catalog);
    box.write("/elsewhere", "precious");
    rmSync(box.at("/etc/web/a"));
    symlinkSync(box.at("/elsewhere"), box.at("/etc/web/a"));
    await box.apply(catalog);
    expect(box.tree()).toMatchObject({ "/elsewhere": "644 precious", "/etc/web/a": "644 ours" });
  });

  test("a root whose folders lead out of it is refused", async () => {
    mkdirSync(box.root, { recursive: true });
    mkdirSync(`${box.folder}/outside`);
    symlinkSync(`${box.folder}/outside`, box.at("/etc"));
    const result = await box.apply(webOnBox());
    expect(result.kind === "refused" && result.diagnostics.map(({ code }) => code)).toEqual(["unsafe-path"]);
    expect(box.tree(`${box.folder}/outside`)).toEqual({});
  });

  test("two roots and the user's units have owners of their own", async () => {
    const catalog = webOnBox();
    await box.apply(catalog);
    const other = new Box();
    try {
      other.target = { ...other.target, stateDir: box.target.stateDir };
      await other.apply(webOnBox({ "hosts/box/host.yaml": "host: box\nservices: []\n" }));
      expect(box.exists(`${quadlet}/web.container`)).toBe(true);
    } finally {
      other.remove();
    }
  });

  test("errors in the repository: nothing is planned, nothing is written", async () => {
    const result = await box.apply(webOnBox({ "services/web/quadlet/x.txt": "" }));
    expect(result.kind).toBe("refused");
    expect(box.tree()).toEqual({});
    expect(box.asked).toEqual([]);
  });

  test("the plan has a diff for text, a note for binary files and modes", async () => {
    const planned = await box.plan(webOnBox({ "services/web/config/etc/web/bin": Uint8Array.from([0, 1, 2]) }));
    const files = planned.kind === "planned" ? planned.plan.document.files : [];
    expect(files.find(({ path }) => path.endsWith("web.container"))).toMatchObject({
      action: "create",
      diff: expect.stringContaining("+Image=example.org/web:1"),
    });
    expect(files.find(({ path }) => path.endsWith("bin"))?.diff).toContain("Binary files");
    expect(box.tree()).toEqual({});
  });
});

describe("going back", () => {
  const v1 = () => webOnBox({ "services/web/config/etc/web/a": "one\n" });
  const v2 = () =>
    webOnBox({
      "services/web/quadlet/web.container": `${container}Exec=two\n`,
      "services/web/config/etc/web/b": "two\n",
    });

  test("rollback puts the state before the last commit back, running, and holds that commit", async () => {
    await box.apply(v1(), { version: "v1" });
    const before = box.tree();
    await box.apply(v2(), { version: "v2" });
    box.asked.length = 0;
    await box.rollBack();
    expect(box.tree()).toEqual(before);
    expect(box.asked).toContain("restart web.service");
    const held = applied(await box.apply(v2(), { version: "v2" }));
    expect(held.plan.document.diagnostics).toMatchObject([{ code: "held" }]);
    expect(box.tree()).toEqual(before);
  });

  test("what a commit wanted comes back, never a hand edit that the next commit had undone", async () => {
    await box.apply(v1(), { version: "v1" });
    const wanted = box.tree();
    box.write("/etc/web/a", "edited by hand\n");
    await box.apply(webOnBox({ "services/web/config/etc/web/a": "two\n" }), { version: "v2" });
    await box.rollBack();
    expect(box.tree()).toEqual(wanted);
    expect((await box.status()).version).toBe("v1");
    expect((await box.status()).files.every(({ state }) => state === "ok")).toBe(true);
  });

  test("the same after many generations, and for a file that was taken over as it stood", async () => {
    box.write("/etc/web/a", "one\n");
    await box.apply(v1(), { version: "v1" });
    const wanted = box.tree();
    for (let i = 0; i < 60; i++) {
      box.write("/etc/containers/systemd/web.container", `edit ${i}`);
      await box.apply(v1(), { version: "v1" });
    }
    box.write("/etc/web/a", "edited by hand\n");
    await box.apply(webOnBox(), { version: "v2" });
    await box.rollBack();
    expect(box.tree()).toEqual(wanted);
  });

  test("while a commit is held, the host is managed at what it went back to", async () => {
    await box.apply(v1(), { version: "v1" });
    const wanted = box.tree();
    await box.apply(v2(), { version: "v2" });
    await box.rollBack();
    box.write("/etc/web/a", "edited by hand\n");
    rmSync(box.at(`${quadlet}/web.container`));
    box.states.set("web.service", { active: "failed", sub: "failed" });
    box.asked.length = 0;
    const { plan } = applied(await box.apply(v2(), { version: "v2" }));
    expect(plan.document).toMatchObject({ version: "v1", held: "v2", changed: 2 });
    expect(box.tree()).toEqual(wanted);
    expect(box.asked).toContain("restart web.service");
    expect(await box.status()).toMatchObject({ version: "v1", held: "v2" });
    expect(isSettled(await box.status())).toBe(false);
    // And once more back is to before the first commit, not to the held one.
    await box.rollBack();
    expect(box.tree()).toEqual({});
  });

  test("another commit, or --unhold, ends the hold", async () => {
    await box.apply(v1(), { version: "v1" });
    await box.apply(v2(), { version: "v2" });
    await box.rollBack();
    await box.apply(v2(), { version: "v2", unhold: true });
    expect(box.exists("/etc/web/b")).toBe(true);
    await box.rollBack();
    await box.apply(v2(), { version: "v3" });
    expect(box.exists("/etc/web/b")).toBe(true);
  });

  test("whoever goes back twice holds both commits: neither is applied again by itself", async () => {
    const [one, two, three] = ["c0ffee", "badc0de", "facade"];
    await box.apply(v1(), { version: one });
    const first = box.tree();
    await box.apply(v2(), { version: two });
    await box.apply(webOnBox(), { version: three });
    await box.rollBack();
    await box.rollBack();
    expect(box.tree()).toEqual(first);
    expect(applied(await box.apply(webOnBox(), { version: three })).plan.document).toMatchObject({ held: three });
    expect(applied(await box.apply(v2(), { version: two })).plan.document).toMatchObject({ held: two });
    expect(box.tree()).toEqual(first);
    await box.apply(v2(), { version: "deed" });
    expect(await box.status()).toMatchObject({ version: "deed", held: null });
  });

  test("rollback of the first commit takes everything away again", async () => {
    await box.apply(v1(), { version: "v1" });
    await box.rollBack();
    expect(box.tree()).toEqual({});
  });

  test("--to a generation goes back over several commits", async () => {
    await box.apply(v1(), { version: "v1" });
    const first = box.tree();
    await box.apply(v2(), { version: "v2" });
    await box.apply(webOnBox(), { version: "v3" });
    await box.rollBack(1);
    expect(box.tree()).toEqual(first);
    // Once more changes nothing: it is v3 that was left, and stays held.
    const still = box.fingerprint();
    await box.rollBack(1);
    expect(box.fingerprint()).toBe(still);
  });

  test("from a commit that changed nothing here it is back to before the last that did", async () => {
    await box.apply(v1(), { version: "v1" });
    const first = box.tree();
    await box.apply(v2(), { version: "v2" });
    await box.apply(v2(), { version: "v3" });
    await box.rollBack();
    expect(box.tree()).toEqual(first);
    expect(await box.status()).toMatchObject({ version: "v1", held: "v3" });
  });

  test("nothing to go back to is an error in one line", async () => {
    await expect(box.rollBack()).rejects.toThrow(/no earlier state/);
  });
});

describe("data that outlives its unit", () => {
  const withVolume = (name: string) => webOnBox({ [`services/web/quadlet/${name}.volume`]: "" });

  test("a removed volume's data is kept, and it is said", async () => {
    await box.apply(withVolume("data"));
    const { plan } = applied(await box.apply(webOnBox()));
    expect(plan.document.diagnostics).toMatchObject([{ code: "data-kept", file: `${quadlet}/data.volume` }]);
  });

  test("a renamed volume is a new, empty one: a warning says so", async () => {
    await box.apply(withVolume("data"));
    const { plan } = applied(await box.apply(withVolume("store")));
    expect(plan.document.diagnostics[0]?.message).toContain("store.volume");
  });
});

test.each([
  ["", false],
  [", also where /etc is a link", true],
] as const)(
  "property: from any earlier state, apply converges to the same tree, and leaves no folder%s",
  async (_, isLinked) => {
    const states = [
      webOnBox(),
      webOnBox({ "services/web/config/etc/web/a": "1", "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "" }),
      webOnBox({ "services/web/config/etc/web/a/b": "2" }),
      repository({ "hosts/box/host.yaml": "host: box\nservices: []\n" }),
      webOnBox({
        "services/web/quadlet/web.container": `${container}User=1\n`,
        "services/web/quadlet/x.volume": "",
        "services/web/config/etc/web/a": link("z"),
      }),
    ];
    const direct: Record<string, string>[] = [];
    for (const state of states) {
      const fresh = new Box();
      await fresh.apply(state);
      direct.push(fresh.tree());
      fresh.remove();
    }
    for (const [from] of states.entries()) {
      for (const [to] of states.entries()) {
        const each = new Box();
        if (isLinked) {
          mkdirSync(each.at("/srv/etc"), { recursive: true });
          symlinkSync("srv/etc", each.at("/etc"));
        }
        const etc = isLinked ? each.at("/srv") : each.root;
        await each.apply(states[from]!);
        await each.apply(states[to]!);
        expect(each.tree(etc), `${from} -> ${to}`).toEqual(direct[to]);
        await each.apply(states[3]!);
        expect(each.exists("/etc/web"), `${from} -> ${to} -> nothing`).toBe(false);
        each.remove();
      }
    }
  },
);
