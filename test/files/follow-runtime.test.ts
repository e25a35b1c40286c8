import { expect, it } from "vitest";
import { verdicts, World } from "./world.ts";

const pack = (version: string, template: object) => ({
  name: "zylos",
  version,
  files: [{ target: "~/.copilot/config.json", template }],
});

it("an entry that the runtime itself moved to another of its files is found there, and kept current there", async () => {
  const world = new World();
  world.write(".copilot/config.json", { loggedInUsers: ["ann"] });
  await world.apply(pack("1", { model: "gpt-5", banner: "never", trusted_folders: ["/srv/shop"] }));
  // As Copilot CLI does when it starts: settings go, its own state stays.
  world.write(".copilot/config.json", { loggedInUsers: ["ann"] });
  world.write(".copilot/settings.json", { theme: "dark", model: "gpt-5", trusted_folders: ["/srv/shop"] });
  const plan = await world.plan(pack("1", { model: "gpt-5", banner: "never", trusted_folders: ["/srv/shop"] }));
  expect(verdicts(plan)).toEqual({
    "setting:banner": "restore",
    "setting:model": "unchanged",
    "folder:/srv/shop": "unchanged",
  });
  await world.apply(pack("2", { model: "gpt-6", banner: "never", trusted_folders: ["/srv/shop"] }));
  expect(world.json(".copilot/settings.json")).toEqual({
    theme: "dark",
    model: "gpt-6",
    trusted_folders: ["/srv/shop"],
  });
  expect(world.json(".copilot/config.json")).toEqual({ loggedInUsers: ["ann"], banner: "never" });
  const again = pack("2", { model: "gpt-6", banner: "never", trusted_folders: ["/srv/shop"] });
  expect(await world.apply(again)).toMatchObject({ changed: 0 });
  await world.uninstall();
  expect(world.json(".copilot/settings.json")).toMatchObject({ theme: "dark" });
  expect(world.read(".copilot/settings.json")).not.toMatch(/gpt|shop/);
  expect(world.json(".copilot/config.json")).toEqual({ loggedInUsers: ["ann"] });
});

it("is taken out there, also where nothing was applied since", async () => {
  const world = new World();
  await world.apply(pack("1", { model: "gpt-5" }));
  world.write(".copilot/config.json", {});
  world.write(".copilot/settings.json", { theme: "dark", model: "gpt-5" });
  await world.uninstall();
  expect(world.json(".copilot/settings.json")).toEqual({ theme: "dark" });
});
