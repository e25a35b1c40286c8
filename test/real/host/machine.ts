import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { becomesEmpty, removeCgroup } from "./cgroup.ts";

const scripts = join(import.meta.dirname, "../../../scripts/real");

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A booted machine with systemd and podman, in namespaces of its own. */
export class Machine {
  readonly folder = mkdtempSync(join(tmpdir(), "stet-machine-"));
  private readonly pid: string;

  constructor() {
    execFileSync("bash", [join(scripts, "podman-boot.sh"), this.folder], { stdio: "inherit" });
    this.pid = readFileSync(join(this.folder, "pid"), "utf8").trim();
  }

  /** Runs a program inside. */
  run(...command: string[]): Ran {
    const inside = ["-t", this.pid, "-m", "-p", "-n", "-i", "-u", "-C", "-r", "-w"];
    const env = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C"];
    const { status, stdout, stderr } = spawnSync("nsenter", [...inside, ...env, ...command], {
      encoding: "utf8",
      timeout: 200_000,
    });
    return { code: status ?? -1, out: stdout, err: stderr };
  }

  /** What a program inside prints, which must succeed. */
  ask(...command: string[]): string {
    const { code, out, err } = this.run(...command);
    if (code !== 0) throw new Error(`${command.join(" ")}: ${err || out}`);
    return out.trim();
  }

  stet(...args: string[]): Ran {
    return this.run("/opt/stet", "host", ...args);
  }

  /** Files that the machine sees below /opt/shared. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const place = join(this.folder, "shared", path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
    }
  }

  remove(path: string): void {
    rmSync(join(this.folder, "shared", path), { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    process.kill(Number(this.pid), "SIGKILL");
    const cgroup = readFileSync(join(this.folder, "cgroup"), "utf8").trim();
    if (!(await becomesEmpty(cgroup, 120_000)))
      throw new Error(`the machine does not end: process ${this.pid}, ${cgroup}`);
    removeCgroup(cgroup);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
