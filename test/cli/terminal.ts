import fs from "node:fs";
import path from "node:path";
import type { Ran } from "./heard.ts";
import { WorkFolder } from "./work-folder.ts";

const nobody = 65534;

/** A person at a terminal with a home of their own, and a pack in `pack/` beside it. */
export class Terminal extends WorkFolder {
  readonly home = this.at("home");
  env: Record<string, string | undefined>;
  /** With one, runs leave fingerprints. */
  build: string | undefined;
  /** What stands on standard input. */
  input = "";

  constructor(env: Record<string, string> = {}) {
    super();
    fs.mkdirSync(this.home);
    this.env = { HOME: this.home, ...env };
  }

  protected outside() {
    return { env: this.env, build: this.build, readInput: async () => this.input };
  }

  /**
   * The same without the rights of root, to whom no permission applies. Everything here is handed to that user first.
   */
  async runAsOrdinaryUser(...argv: string[]): Promise<Ran> {
    if (process.geteuid!() !== 0) return this.run(...argv);
    for (const file of ["", ...(fs.readdirSync(this.folder, { recursive: true }) as string[])])
      fs.lchownSync(this.at(file), nobody, nobody);
    process.seteuid!(nobody);
    try {
      return await this.run(...argv);
    } finally {
      process.seteuid!(0);
    }
  }

  /**
   * Everything below the home, state directory included: what must not change when something is refused. The lock only
   * says who held it.
   */
  snapshot(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of fs.readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (file.endsWith("/stet/lock")) continue;
      const { mtimeMs, mode } = fs.lstatSync(file);
      found[path.relative(this.home, file)] =
        `${mode} ${mtimeMs} ${entry.isFile() ? fs.readFileSync(file, "base64") : ""}`;
    }
    return found;
  }
}

/** A pack of one JSON file, written into `pack/`. */
export function writePack(terminal: Terminal, version: string, template: object | string, more = ""): void {
  terminal.write(
    "pack/stet.yaml",
    `name: zylos
version: ${version}
files:
  - target: ~/app/config.json
    template: config.json
    rules:
      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event, "command|script"] }
${more}`,
  );
  terminal.write("pack/config.json", template);
}
