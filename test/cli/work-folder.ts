import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { runCommand } from "../../src/cli/main.ts";
import type { Io } from "../../src/cli/shell/io.ts";
import { writeAtRest } from "../write-at-rest.ts";
import { heard, type Ran } from "./heard.ts";

/** A folder on the real disk, gone after the test, and the command line in it, without a process for each command. */
export abstract class WorkFolder {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-work-")));
  abstract readonly home: string;

  constructor() {
    onTestFinished(() => {
      // Tests take permissions away; cleaning up needs them back.
      for (const entry of fs.readdirSync(this.folder, { recursive: true, withFileTypes: true }))
        if (entry.isDirectory()) fs.chmodSync(path.join(entry.parentPath, entry.name), 0o700);
      fs.rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** What commands find around them. */
  protected abstract outside(): Pick<Io, "env"> & Partial<Io>;

  at(file: string): string {
    return path.join(this.folder, file);
  }

  write(file: string, content: string | object): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    writeAtRest(this.at(file), typeof content === "string" ? content : `${JSON.stringify(content, undefined, 2)}\n`);
  }

  read(file: string): string {
    return fs.readFileSync(this.at(file), "utf8");
  }

  exists(file: string): boolean {
    return fs.existsSync(this.at(file));
  }

  edit(file: string, from: string, to: string): void {
    const text = this.read(file);
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    this.write(file, text.replace(from, to));
  }

  run(...argv: string[]): Promise<Ran> {
    return this.runIn(this.folder, ...argv);
  }

  /** From another folder than the work folder itself. */
  runIn(cwd: string, ...argv: string[]): Promise<Ran> {
    return heard((io) => runCommand(argv, io), { cwd, ...this.outside() });
  }

  /** For commands that must succeed: what they print. */
  async ok(...argv: string[]): Promise<string> {
    const { code, out, err } = await this.run(...argv);
    if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  }

  /** The document that a command prints, however it ends. */
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it.
  async json(...argv: string[]): Promise<any> {
    return JSON.parse((await this.run(...argv, "--json")).out);
  }
}
