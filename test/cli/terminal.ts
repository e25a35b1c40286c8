import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { runCommand } from "../../src/cli/main.ts";

const nobody = 65534;

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A person at a terminal with a home of their own on the real disk, and a pack in `pack/` beside it. */
export class Terminal {
  readonly folder: string;
  readonly home: string;
  env: Record<string, string | undefined>;
  /** With one, runs leave fingerprints. */
  build: string | undefined;

  constructor(env: Record<string, string> = {}) {
    this.folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-terminal-")));
    this.home = path.join(this.folder, "home");
    fs.mkdirSync(this.home);
    this.env = { HOME: this.home, ...env };
    onTestFinished(() => {
      // Tests take permissions away; cleaning up needs them back.
      for (const entry of fs.readdirSync(this.folder, { recursive: true, withFileTypes: true }))
        if (entry.isDirectory()) fs.chmodSync(path.join(entry.parentPath, entry.name), 0o700);
      fs.rmSync(this.folder, { recursive: true, force: true });
    });
  }

  at(file: string): string {
    return path.join(this.folder, file);
  }

  write(file: string, content: string | object): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    fs.writeFileSync(this.at(file), typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  exists(file: string): boolean {
    return fs.existsSync(this.at(file));
  }

  async run(...argv: string[]): Promise<Printed> {
    let [out, err] = ["", ""];
    const io: Io = {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      env: this.env,
      cwd: this.folder,
      platform: "linux",
      terminal: undefined,
      readInput: async () => "",
      now: () => new Date(Date.UTC(2026, 0, 1)),
      program: "stet",
      build: this.build,
    };
    const code = await runCommand(argv, io);
    return { code, out, err };
  }

  async json(...argv: string[]) {
    return JSON.parse((await this.run(...argv, "--json")).out);
  }

  /** The same without the rights of root, to whom no permission applies. Everything here is handed to that user first. */
  async runAsOrdinaryUser(...argv: string[]): Promise<Printed> {
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

  /** Everything below the home, state directory included: what must not change when something is refused. The lock only says who held it. */
  snapshot(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of fs.readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (file.endsWith("/stet/lock")) continue;
      const { mtimeMs, mode } = fs.lstatSync(file);
      found[path.relative(this.home, file)] = `${mode} ${mtimeMs} ${entry.isFile() ? fs.readFileSync(file, "base64") : ""}`;
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
