import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { runCommand } from "../../src/cli/main.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A home on the real disk and the command line in it, without a process for each command. */
export class Shell {
  readonly home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-shell-")));
  readonly env: Record<string, string> = { HOME: this.home };
  program = "stet";
  terminal: Io["terminal"];
  manifest: Io["manifest"];
  #clock = Date.UTC(2026, 0, 1);

  constructor() {
    onTestFinished(() => fs.rmSync(this.home, { recursive: true, force: true }));
  }

  at(file: string): string {
    return path.join(this.home, file);
  }

  write(file: string, content: string | object): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    fs.writeFileSync(this.at(file), typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  edit(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    this.write(file, text.replace(from, to));
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

  async run(...argv: string[]): Promise<Ran> {
    let [out, err] = ["", ""];
    const io: Io = {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      env: this.env,
      cwd: this.home,
      platform: "linux",
      terminal: this.terminal,
      readInput: async () => "",
      now: () => this.#tick(),
      program: this.program,
      manifest: this.manifest,
    };
    return { code: await runCommand(argv, io), out, err };
  }

  /** A clock that never stands still: times must not be what makes two runs equal. */
  #tick(): Date {
    this.#clock += 1000;
    return new Date(this.#clock);
  }

  /** For commands that must succeed: what they print. */
  async ok(...argv: string[]): Promise<string> {
    const { code, out, err } = await this.run(...argv);
    if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it.
  async json(...argv: string[]): Promise<any> {
    return JSON.parse(await this.ok(...argv, "--json"));
  }
}
