import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { runCommand } from "../../src/cli/main.ts";
import type { Io } from "../../src/cli/shell/io.ts";
import { diskGate } from "../../src/store/gate/disk-gate.ts";
import { listGenerations, objectsOf, readObject } from "../../src/store/records/generations.ts";
import { putAtRest, writeAtRest } from "../write-at-rest.ts";

/**
 * A home, a root file system and a state directory, always at the same place: paths are recorded, and what was laid out
 * once is copied there for each run.
 */
export class Place {
  readonly folder: string;
  readonly home: string;
  readonly state: string;
  readonly #saved: string;

  constructor(folder: string) {
    this.folder = path.join(folder, "place");
    this.home = path.join(this.folder, "home");
    this.state = path.join(this.folder, "state");
    this.#saved = path.join(folder, "saved");
  }

  /** Starts over with nothing. */
  clear(): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
    fs.mkdirSync(this.home, { recursive: true });
  }

  /** Remembers how everything is, under a name. */
  save(name: string): void {
    const saved = path.join(this.#saved, name);
    fs.rmSync(saved, { recursive: true, force: true });
    // Each run that begins here takes the same steps, however soon it begins.
    for (const { file, status } of this.#everything()) if (status.isFile()) putAtRest(this.at(file));
    copyAll(this.folder, saved);
  }

  restore(name: string): void {
    fs.rmSync(this.folder, { recursive: true, force: true });
    copyAll(path.join(this.#saved, name), this.folder);
  }

  at(file: string): string {
    return path.join(this.folder, file);
  }

  write(file: string, text: string): void {
    fs.mkdirSync(path.dirname(this.at(file)), { recursive: true });
    writeAtRest(this.at(file), text);
  }

  /** undefined where there is no such file. */
  read(file: string): string | undefined {
    return fs.existsSync(this.at(file)) ? fs.readFileSync(this.at(file), "utf8") : undefined;
  }

  get env(): Record<string, string> {
    return { HOME: this.home, STET_STATE_DIR: this.state };
  }

  /** The command line in this very process: the same code, without the time that a process takes. */
  async run(
    argv: readonly string[],
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    let [stdout, stderr] = ["", ""];
    const io: Io = {
      out: (text) => {
        stdout += text;
      },
      err: (text) => {
        stderr += text;
      },
      env: { PATH: process.env.PATH, ...this.env },
      cwd: "/",
      platform: process.platform,
      terminal: undefined,
      readInput: async () => "",
      // As the process has it: what a run in a process of its own wrote must not look old.
      now: () => new Date(),
      program: "stet",
    };
    return { code: await runCommand(argv, io), stdout, stderr };
  }

  async ok(argv: readonly string[]): Promise<void> {
    const { code, stderr } = await this.run(argv);
    if (code !== 0) throw new Error(`stet ${argv.join(" ")} ended with ${code}: ${stderr}`);
  }

  /**
   * All that people and owners have here: every file but the history, with its mode; links with where they lead;
   * folders but the state's.
   */
  contents(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const { file, status } of this.#everything()) {
      if (isHistory(file) || (status.isDirectory() && file.startsWith("state"))) continue;
      const content = status.isDirectory() ? "a folder" : withOwedUnits(file, contentOf(this.at(file), status));
      found[file] = `${(status.mode & 0o7777).toString(8)} ${content.replaceAll(this.folder, "@")}`;
    }
    return found;
  }

  /** Everything with its times: a run that changes nothing leaves the same. */
  fingerprint(): string {
    return this.#everything()
      .map(({ file, status }) => `${file} ${status.ino} ${status.mtimeMs} ${status.mode} ${status.size}`)
      .join("\n");
  }

  /**
   * Everything that a run could go by, but for names and times that are new in each run: two places that agree in this
   * are the same to whatever comes next.
   */
  digest(): string {
    const hash = createHash("sha256");
    for (const { file, status } of this.#everything()) {
      const isOpaque = status.isDirectory() || /\/(?:fingerprint\.json|lock)$/.test(file);
      const text = isOpaque ? "" : contentOf(this.at(file), status);
      const same = `${file} ${status.mode} ${text}\0`
        .replace(/\.stet-[0-9a-f]{16}\.tmp/g, ".stet.tmp")
        .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"');
      hash.update(same);
    }
    return hash.digest("hex");
  }

  /** What has no business here once a run is through: temporary files, a journal, objects that no generation needs. */
  leftovers(): string[] {
    const files = this.#everything().map(({ file }) => file);
    return [
      ...files.filter((file) => /\.tmp$|\/journal\./.test(file)),
      ...this.#histories().flatMap((owner) => strayObjects(owner)),
    ];
  }

  /** The bytes that the history keeps, as texts. */
  kept(): string[] {
    return this.#histories().flatMap((owner) =>
      objectsBelow(owner).map((hash) => fs.readFileSync(path.join(owner, "objects", hash), "utf8")),
    );
  }

  /** The folders of owners. */
  #histories(): string[] {
    return this.#everything().flatMap(({ file }) =>
      path.basename(file) === "objects" ? [path.dirname(this.at(file))] : [],
    );
  }

  #everything(): { readonly file: string; readonly status: fs.Stats }[] {
    const files = fs.readdirSync(this.folder, { recursive: true, encoding: "utf8" }).sort();
    return files.map((file) => ({ file, status: fs.lstatSync(this.at(file)) }));
  }
}

/** Folders, files and links with their modes and times; what is one file under two names stays that. */
function copyAll(from: string, to: string, copied = new Map<number, string>()): void {
  const status = fs.lstatSync(from);
  const twin = copied.get(status.ino);
  if (status.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from), to);
  else if (twin !== undefined) fs.linkSync(twin, to);
  else if (status.isDirectory()) {
    fs.mkdirSync(to, { recursive: true });
    for (const name of fs.readdirSync(from)) copyAll(path.join(from, name), path.join(to, name), copied);
  } else fs.copyFileSync(from, to);
  if (status.isSymbolicLink() || twin !== undefined) return;
  if (status.nlink > 1) copied.set(status.ino, to);
  fs.chmodSync(to, status.mode);
  fs.utimesSync(to, status.atime, status.mtime);
}

/**
 * Two ways to the same end owe the same units something, but one may say to restart, since its config changed, what the
 * other says to start, since it is new.
 */
function withOwedUnits(file: string, text: string): string {
  if (!/^state\/host\/.*\/registry\.json$/.test(file)) return text;
  const registry = JSON.parse(text);
  const units = (registry.pending ?? []).map(
    ({ action, unit }: { action: string; unit: string }) =>
      `${action === "start" || action === "restart" ? "up" : action} ${unit}`,
  );
  return JSON.stringify({ ...registry, pending: units.sort() }, undefined, 1);
}

function contentOf(path: string, status: fs.Stats): string {
  return status.isSymbolicLink() ? `-> ${fs.readlinkSync(path)}` : fs.readFileSync(path, "utf8");
}

/**
 * Kept by number and hash: two ways to the same end may number them differently. The lock is a file that stays, the
 * fingerprint one that may be missing.
 */
function isHistory(file: string): boolean {
  return file.startsWith("state/") && /\/(?:lock$|fingerprint\.json$|objects\/|generations\/)/.test(file);
}

function objectsBelow(owner: string): string[] {
  return fs.readdirSync(path.join(owner, "objects"));
}

/** Also sees to it that every generation can be read, with all that it keeps. */
function strayObjects(owner: string): string[] {
  const reader = diskGate();
  const [stateDir, name] = [path.dirname(owner), path.basename(owner)];
  const needed = new Set(listGenerations(reader, stateDir, name).flatMap(objectsOf));
  for (const hash of needed) readObject(reader, stateDir, name, hash);
  return objectsBelow(owner).filter((hash) => !needed.has(hash));
}
