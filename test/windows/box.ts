import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import { WorkFolder } from "../cli/work-folder.ts";

/** The checkout, as the process that plays the stories was started in it. */
const program = path.resolve("bin/stet.cjs");

interface PackOptions {
  readonly name?: string;
  readonly more?: string;
}

/** A user of Windows: a home, the folders that Windows makes in it, and the command line. */
export class Box extends WorkFolder {
  readonly home = this.at("Users/Jörg Müller");
  readonly env: Record<string, string> = {
    USERPROFILE: this.home,
    APPDATA: path.join(this.home, "AppData", "Roaming"),
    LOCALAPPDATA: path.join(this.home, "AppData", "Local"),
    SystemRoot: process.env.SystemRoot ?? "C:\\windows",
    PATH: process.env.PATH ?? "",
  };
  readonly stateDir = path.join(this.env.LOCALAPPDATA!, "stet");
  #clock = Date.UTC(2026, 0, 1);

  constructor() {
    super();
    for (const folder of [this.env.APPDATA!, this.env.LOCALAPPDATA!]) fs.mkdirSync(folder, { recursive: true });
  }

  protected outside() {
    const now = () => {
      this.#clock += 1000;
      return new Date(this.#clock);
    };
    return { env: this.env, platform: "win32" as const, now };
  }

  /** A path below the home, for the methods that take one below the folder. */
  mine(file: string): string {
    return path.join("Users/Jörg Müller", file);
  }

  /** A pack on disk: a target in JSON's spelling, and its template, or more of what a manifest says of it. */
  pack(
    version: string,
    files: Readonly<Record<string, string | object>>,
    { name = "zylos", more = "" }: PackOptions = {},
  ): string {
    const folder = `${name}-${version}`;
    const entries = Object.entries(files).map(([target, template], i) => {
      this.write(`${folder}/templates/${i}`, template);
      return `  - { target: ${JSON.stringify(target)}, template: templates/${i} }\n`;
    });
    this.write(`${folder}/stet.yaml`, `name: ${name}\nversion: "${version}"\nfiles:\n${entries.join("")}${more}`);
    return folder;
  }

  /** The program as it ships, in a process of its own. Streams are files: Node under wine has no pipes. */
  start(argv: readonly string[], { preload }: { preload?: string } = {}): Started {
    const output = this.at(`output-${started++}.txt`);
    const fd = fs.openSync(output, "w");
    const args = [...(preload === undefined ? [] : ["--require", preload]), program, ...argv];
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...this.env, NODE_SKIP_PLATFORM_CHECK: "1" },
      stdio: ["ignore", fd, fd],
    });
    fs.closeSync(fd);
    onTestFinished(() => void child.kill("SIGKILL"));
    return new Started(child, output);
  }
}

let started = 0;

/** A process that was started, and what it has said so far. */
class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly #file: string;

  constructor(child: ChildProcess, file: string) {
    this.child = child;
    this.#file = file;
    this.ended = new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("exit", (code) => resolve(code));
    });
  }

  get output(): string {
    return fs.readFileSync(this.#file, "utf8");
  }

  /** Until something is so, which is looked at ten times a second. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    for (const late = Date.now() + 240_000; !isSo(); await new Promise((resolve) => setTimeout(resolve, 100)))
      if (Date.now() > late) throw new Error(`${what} never came to be; it said: ${this.output}`);
  }

  said(text: string): Promise<void> {
    return this.until(`saying ${text}`, () => this.output.includes(text));
  }
}
