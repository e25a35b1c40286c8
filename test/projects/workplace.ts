import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Shell } from "../cli/shell.ts";

/** Colleagues with one project: clones of one repository, and a pack that is installed in it. */
export class Workplace {
  readonly shell = new Shell();

  constructor() {
    fs.mkdirSync(this.at("origin"), { recursive: true });
    this.git("origin", "init", "-q", "--bare", "-b", "main");
    this.clone("ann");
    this.write("ann/README.md", "a shop\n");
    this.commit("ann", "begin");
    this.git("ann", "push", "-q", "origin", "HEAD:main");
  }

  at(name: string): string {
    return path.join(this.shell.at("."), "code", name);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), "utf8");
  }

  exists(name: string): boolean {
    return fs.existsSync(this.at(name));
  }

  write(name: string, text: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), text);
  }

  edit(name: string, from: string, to: string): void {
    const before = this.read(name);
    if (!before.includes(from)) throw new Error(`${name} has no ${from}`);
    this.write(name, before.replace(from, to));
  }

  git(folder: string, ...args: string[]): string {
    const identity = ["-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "protocol.file.allow=always"];
    return execFileSync("git", [...identity, ...args], {
      cwd: this.at(folder),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  clone(name: string, ...options: string[]): void {
    const source = options.length > 0 ? `file://${this.at("origin")}` : this.at("origin");
    execFileSync("git", ["clone", "-q", ...options, source, this.at(name)], { stdio: "ignore" });
  }

  commit(folder: string, message: string): void {
    this.git(folder, "add", "-A");
    this.git(folder, "commit", "-q", "-m", message);
  }

  /** A release of the pack: entries of one JSON file, and more files by their targets. */
  release(version: string, settings: object, more: Readonly<Record<string, string>> = {}, extra = ""): string {
    const files = { ".claude/settings.json": `${JSON.stringify(settings, undefined, 2)}\n`, ...more };
    const listed = Object.keys(files).map((target) => `  - { target: ${target}, template: templates/${target} }\n`);
    this.write(
      `chime-${version}/stet.yaml`,
      `name: chime\nversion: ${version}\nscope: project\n${extra}files:\n${listed.join("")}`,
    );
    for (const [target, text] of Object.entries(files)) this.write(`chime-${version}/templates/${target}`, text);
    return this.at(`chime-${version}`);
  }

  /** A command in somebody's project. */
  run(folder: string, ...args: string[]) {
    return this.shell.runIn(this.at(folder), ...args);
  }

  async ok(folder: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await this.run(folder, ...args);
    if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${err}`);
    return out;
  }

  // biome-ignore lint/suspicious/noExplicitAny: documents of all commands
  async json(folder: string, ...args: string[]): Promise<any> {
    return JSON.parse((await this.run(folder, ...args, "--json")).out);
  }
}
