import { expect, it } from "vitest";
import { applyStable } from "./stable.ts";
import { World } from "./world.ts";

function packOf(version: string, target: string, template: object): object {
  return { name: "zylos", version, files: [{ target: `~/${target}`, template }] };
}

it.each([
  [".gitconfig", "[Core]\n\tEditor = vi\n", "core", "editor", "pager"],
  [".editorconfig", "root = true\n\n[*] ; all [files]\nIndent_Size = 2\n", "*", "indent_size", "charset"],
  [".config/pip/pip.conf", "[global]\nTimeout: 60\n", "global", "timeout", "retries"],
])(
  "%s: what a person wrote in another case is theirs, and ours goes beside it",
  async (file, text, section, theirs, ours) => {
    const world = new World();
    world.write(file, text);
    const wanted = { [section]: { [theirs]: "9", [ours]: "1" } };
    expect(await applyStable(world, packOf("1.0.0", file, wanted))).toEqual({
      [`setting:${section}.${theirs}`]: "keep user-owned",
      [`setting:${section}.${ours}`]: "create",
    });
    const installed = world.read(file);
    expect(installed.startsWith(text)).toBe(true);
    expect(installed.match(/\[/g)).toHaveLength(text.match(/\[/g)!.length);
    // In another case it is still ours.
    world.write(file, installed.replace(ours, ours.toUpperCase()));
    const next = { [section]: { [theirs]: "9", [ours]: "2" } };
    expect(await applyStable(world, packOf("2.0.0", file, next))).toMatchObject({
      [`setting:${section}.${ours}`]: "update",
    });
    await world.uninstall();
    expect(world.read(file)).toBe(text);
  },
);
