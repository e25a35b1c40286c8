import fs from "node:fs";
import path from "node:path";
import { readPack } from "../../src/files/manifest/load-manifest.ts";
import { applyPack, planPack } from "../../src/files/plan.ts";
import type { World } from "./world.ts";

type Shipped = string | Uint8Array | { readonly text: string; readonly mode: number };

/** A pack in a folder beside the home, as a framework ships it: a manifest and its files. */
export class DiskPack {
  readonly #world: World;
  readonly folder: string;

  constructor(world: World, name = "pack") {
    this.#world = world;
    this.folder = path.join(world.home, name);
  }

  /** The whole pack anew: what is not named is not shipped. */
  ship(manifest: object, files: Readonly<Record<string, Shipped>> = {}): this {
    fs.rmSync(this.folder, { recursive: true, force: true });
    const all: Record<string, Shipped> = { "stet.yaml": JSON.stringify({ name: "zylos", ...manifest }), ...files };
    for (const [name, shipped] of Object.entries(all)) {
      const file = path.join(this.folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const { text, mode } =
        typeof shipped === "object" && "mode" in shipped ? shipped : { text: shipped, mode: 0o644 };
      fs.writeFileSync(file, text);
      fs.chmodSync(file, mode);
    }
    return this;
  }

  async apply() {
    return (await applyPack(readPack(this.#world.machine.gate, this.folder), this.#world.machine)).document;
  }

  async plan() {
    return (await planPack(readPack(this.#world.machine.gate, this.folder), this.#world.machine)).document;
  }
}

/** What stands at a path of the home: the text and mode of a file, where a link leads, or what else it is. */
export function there(world: World, file: string): string {
  const at = world.at(file);
  const status = fs.lstatSync(at, { throwIfNoEntry: false });
  if (status === undefined) return "nothing";
  if (status.isSymbolicLink()) return `-> ${fs.readlinkSync(at)}`;
  return status.isFile() ? `${(status.mode & 0o777).toString(8)} ${fs.readFileSync(at, "utf8")}` : "folder";
}
