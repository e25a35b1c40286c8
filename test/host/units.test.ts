import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InputError } from "../../src/core/diagnostic.ts";
import { applied, Box } from "./box.ts";
import { container, type Given, link, webOnBox } from "./repository.ts";

let box: Box;
beforeEach(() => {
  box = new Box();
});
afterEach(() => box.remove());

const socket = "[Socket]\nListenStream=80\n[Install]\nWantedBy=sockets.target\n";
const installed = `${container}[Install]\nWantedBy=multi-user.target\n`;

/** What changing from one repository to another does to units. */
async function between(before: Record<string, Given>, after: Record<string, Given>): Promise<string[]> {
  await box.apply(webOnBox(before));
  return box.actions(webOnBox(after));
}

describe("unit actions", () => {
  test("a new container is started after one reload", async () => {
    expect(await box.actions(webOnBox())).toEqual(["daemon-reload systemd", "start web.service"]);
  });

  test("nothing changed: nothing to do", async () => {
    expect(await between({}, {})).toEqual([]);
  });

  test("exactly what changed is restarted, once", async () => {
    const other = { "services/web/quadlet/other.container": container };
    expect(await between(other, { ...other, "services/web/quadlet/web.container": `${container}User=1\n` })).toEqual([
      "daemon-reload systemd",
      "restart web.service",
    ]);
  });

  test("a changed, added or removed drop-in restarts its unit", async () => {
    const dropIn = { "hosts/box/overrides/quadlet/web.container.d/10-a.conf": "[Container]\nUser=1\n" };
    expect(await between({}, dropIn)).toEqual(["daemon-reload systemd", "restart web.service"]);
    expect(await between(dropIn, {})).toEqual(["daemon-reload systemd", "restart web.service"]);
  });

  test("a changed config payload restarts the service it belongs to, without a reload, and no other", async () => {
    const files = {
      "services/other/quadlet/other.container": container,
      "hosts/box/host.yaml": "host: box\nservices: [web, other]\n",
      "services/web/config/etc/web/a": "1",
    };
    expect(await between(files, { ...files, "services/web/config/etc/web/a": "2" })).toEqual(["restart web.service"]);
  });

  test("a removed unit is stopped while its ExecStop still exists, before the files change", async () => {
    const files = { "services/web/quadlet/old.container": container };
    expect(await between(files, {})).toEqual(["stop old.service", "daemon-reload systemd"]);
  });

  test("native units are enabled when new and disabled when they go", async () => {
    const files = {
      "services/web/quadlet/tick.timer": "[Timer]\nOnBootSec=1\n[Install]\nWantedBy=timers.target\n",
      "services/web/quadlet/tick.service": "[Service]\nExecStart=/bin/true\n",
    };
    expect(await box.actions(webOnBox(files))).toEqual([
      "enable tick.timer",
      "daemon-reload systemd",
      "start web.service",
      "start tick.timer",
    ]);
    expect(await between(files, {})).toEqual([
      "stop tick.timer",
      "stop tick.service",
      "disable tick.service",
      "disable tick.timer",
      "daemon-reload systemd",
    ]);
  });

  test("review remark: a changed socket, or its drop-in, makes its service stop, restarts the socket and starts the service again", async () => {
    const files = { "services/web/quadlet/web.socket": socket, "services/web/quadlet/web.container": installed };
    const expected = ["stop web.service", "daemon-reload systemd", "restart web.socket", "start web.service"];
    const changed = { ...files, "services/web/quadlet/web.socket": socket.replace("80", "81") };
    expect((await between(files, changed)).filter((action) => !action.startsWith("enable"))).toEqual(expected);
    const dropIn = { ...files, "hosts/box/overrides/quadlet/web.socket.d/10-a.conf": "[Socket]\nBacklog=1\n" };
    expect((await between(files, dropIn)).filter((action) => !action.startsWith("enable"))).toEqual(expected);
    expect((await between(dropIn, files)).filter((action) => !action.startsWith("enable"))).toEqual(expected);
  });

  test("a service that only its socket starts is left to it", async () => {
    const files = { "services/web/quadlet/web.socket": socket };
    expect(await box.actions(webOnBox(files))).toEqual([
      "enable web.socket",
      "daemon-reload systemd",
      "start web.socket",
    ]);
    expect(await between(files, { ...files, "services/web/quadlet/web.container": `${container}User=1\n` })).toEqual([
      "daemon-reload systemd",
      "try-restart web.service",
    ]);
  });

  test("volumes and networks come before those that use them, and are not restarted", async () => {
    const files = {
      "services/web/quadlet/data.volume": "[Volume]\n",
      "services/web/quadlet/net.network": "[Network]\n",
    };
    expect(await box.actions(webOnBox(files))).toEqual([
      "daemon-reload systemd",
      "start data-volume.service",
      "start net-network.service",
      "start web.service",
    ]);
    expect(await between(files, { ...files, "services/web/quadlet/data.volume": "[Volume]\nLabel=a=1\n" })).toEqual([
      "daemon-reload systemd",
    ]);
  });

  test("a template is not started; its instances are, and are restarted with it", async () => {
    const files = {
      "services/web/quadlet/job@.container": container,
      "services/web/quadlet/job@1.container": link("job@.container"),
    };
    expect(await box.actions(webOnBox(files))).toContain("start job@1.service");
    expect(await box.actions(webOnBox(files))).not.toContain("start job@.service");
    const actions = await between(files, { ...files, "services/web/quadlet/job@.container": `${container}User=1\n` });
    expect(actions).toEqual(["daemon-reload systemd", "try-restart job@*.service", "start job@1.service"]);
  });

  test("each action says why", async () => {
    await box.apply(webOnBox());
    const planned = await box.plan(webOnBox({ "services/web/quadlet/web.container": `${container}User=1\n` }));
    expect(planned.kind === "planned" && planned.plan.actions.map(({ reason }) => reason)).toEqual([
      "units changed",
      "changed: /etc/containers/systemd/web.container",
    ]);
  });
});

describe("doing them", () => {
  test("in order: images, stop, files, one reload, restart, start", async () => {
    await box.apply(webOnBox({ "services/web/quadlet/old.container": container }));
    box.asked.length = 0;
    box.images.length = 0;
    const files = {
      "services/web/quadlet/web.container": `${container}User=1\n`,
      "services/web/quadlet/new.container": "[Container]\nImage=example.org/new:1\n",
    };
    await box.apply(webOnBox(files));
    expect(box.images.sort()).toEqual(["example.org/new:1", "example.org/web:1"]);
    expect(box.asked).toEqual(["stop old.service", "daemon-reload", "restart web.service", "start new.service"]);
  });

  test("an image that can't be fetched stops the run before anything is touched", async () => {
    await box.apply(webOnBox({ "services/web/quadlet/old.container": container }));
    const before = box.tree();
    box.asked.length = 0;
    await expect(
      box.apply(webOnBox({ "services/web/quadlet/new.container": "[Container]\nImage=example.org/gone:1\n" })),
    ).rejects.toThrow(/nothing was changed/);
    expect(box.asked).toEqual([]);
    expect(box.tree()).toEqual(before);
  });

  test("files that can't be written: what was stopped for them runs again, and nothing else happens", async () => {
    await box.apply(webOnBox({ "services/web/quadlet/old.container": container }));
    const before = box.tree();
    box.asked.length = 0;
    const { gate } = box.target;
    const fullBelow = (folder: string) => {
      const createFile: typeof gate.createFile = (path, ...rest) => {
        if (path.startsWith(folder)) throw new InputError({ code: "disk-full", message: "no space is left" });
        return gate.createFile(path, ...rest);
      };
      box.target = { ...box.target, gate: { ...gate, createFile } };
    };
    fullBelow(box.root);
    await expect(box.apply(webOnBox())).rejects.toThrow("no space is left");
    expect(box.asked).toEqual(["stop old.service", "start old.service"]);
    expect(box.tree()).toEqual(before);
    box.asked.length = 0;
    fullBelow(box.target.stateDir);
    await expect(box.apply(webOnBox())).rejects.toThrow("no space is left");
    expect(box.asked, "what can't be recorded is not begun").toEqual([]);
  });

  test("--no-activate writes files and touches no unit", async () => {
    const result = applied(await box.apply(webOnBox(), { activate: false }));
    expect(box.asked).toEqual([]);
    expect(result.plan.document.activate).toBe(false);
    expect(box.exists("/etc/containers/systemd/web.container")).toBe(true);
  });

  test("a unit that does not come up is named with its last words, and tried again by the next run", async () => {
    box.broken.add("web.service");
    const result = applied(await box.apply(webOnBox()));
    expect(result.failed).toEqual([
      { unit: "web.service", state: "failed (failed, exit-code)", log: ["web.service: the last words"] },
    ]);
    box.asked.length = 0;
    expect(applied(await box.apply(webOnBox())).failed).toHaveLength(1);
    expect(box.asked).toEqual(["reset-failed web.service", "start web.service"]);
    box.broken.clear();
    box.asked.length = 0;
    expect(applied(await box.apply(webOnBox())).failed).toEqual([]);
    expect(box.asked).toEqual([]);
  });

  test("a run that ends between the files and the units is taken up by the next", async () => {
    const { manager, ...rest } = box.effects(true);
    const { applyHost } = await import("../../src/host/apply.ts");
    const dying = { ...rest, manager: { ...manager!, reload: async () => Promise.reject(new Error("killed")) } };
    await expect(applyHost(box.target, () => box.plan(webOnBox()), dying)).rejects.toThrow("killed");
    expect(box.exists("/etc/containers/systemd/web.container")).toBe(true);
    box.asked.length = 0;
    await box.apply(webOnBox());
    expect(box.asked).toEqual(["daemon-reload", "start web.service"]);
  });
});
