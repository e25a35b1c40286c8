import type { Io } from "../../src/cli/shell/io.ts";
import { WorkFolder } from "./work-folder.ts";

/** A home and the command line in it, with packs beside the files. */
export class Shell extends WorkFolder {
  readonly home = this.folder;
  readonly env: Record<string, string> = { HOME: this.home };
  program = "stet";
  terminal: Io["terminal"];
  manifest: Io["manifest"];
  #clock = Date.UTC(2026, 0, 1);

  protected outside() {
    const { env, terminal, program, manifest } = this;
    return { env, terminal, program, manifest, now: () => this.#tick() };
  }

  /** A pack of files on disk: target to template. */
  pack(version: string, files: Record<string, string | object>, { name = "zylos", more = "" } = {}): string {
    const folder = `${name}-${version}`;
    const entries = Object.entries(files).map(([target, template], i) => {
      this.write(`${folder}/templates/${i}`, template);
      return `  - { target: "${target}", template: templates/${i} }\n`;
    });
    this.write(`${folder}/stet.yaml`, `name: ${name}\nversion: "${version}"\nfiles:\n${entries.join("")}${more}`);
    return folder;
  }

  /** Only of a command that succeeds. */
  override async json(...argv: string[]) {
    return JSON.parse(await this.ok(...argv, "--json"));
  }

  /** A clock that never stands still: times must not be what makes two runs equal. */
  #tick(): Date {
    this.#clock += 1000;
    return new Date(this.#clock);
  }
}
