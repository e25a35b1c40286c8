import fs from "node:fs";
import { applyStable, packOf } from "../stable.ts";
import { World } from "../world.ts";

/** A runtime's file as its user has it, and what installing, editing, upgrading and uninstalling make of it. */
export class Story {
  readonly world: World;
  readonly original: string;
  readonly target: string;

  constructor(fixture: string, target: string, env: Record<string, string> = {}) {
    this.world = new World({ env });
    this.target = target;
    this.original = fs.readFileSync(new URL(`./fixtures/${fixture}`, import.meta.url), "utf8");
    this.world.write(target, this.original);
  }

  get text(): string {
    return this.world.read(this.target);
  }

  /** Apply a release; planning again must find nothing to do. Returns what was decided, by key. */
  release(version: string, template: object, more: object = {}): Promise<Record<string, string>> {
    return applyStable(this.world, packOf(`~/${this.target}`, version, template, more));
  }

  edit(from: string, to: string): void {
    this.world.edit(this.target, from, to);
  }

  async uninstalled(): Promise<string> {
    await this.world.uninstall();
    return this.text;
  }
}
