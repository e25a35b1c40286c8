import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Said, stetHost } from "../../host/cli.ts";
import { becomesEmpty, removeCgroup } from "./cgroup.ts";

const boot = join(import.meta.dirname, "../../../scripts/real/user-systemd-boot.sh");

/** A user with a home and a running `systemd --user`. */
export class UserManager {
  private readonly folder = mkdtempSync(join(tmpdir(), "stet-user-"));
  readonly home = join(this.folder, "home");
  private readonly env = {
    PATH: process.env.PATH,
    HOME: this.home,
    XDG_RUNTIME_DIR: join(this.folder, "run"),
    LC_ALL: "C",
  };

  start(): void {
    execFileSync("bash", [boot, this.folder], { stdio: ["ignore", "ignore", "inherit"] });
  }

  stet(...args: string[]): Promise<Said> {
    return stetHost(args, this.env);
  }

  systemctl(...args: string[]): string {
    const { stdout, stderr, status } = spawnSync("systemctl", ["--user", ...args], {
      env: this.env,
      encoding: "utf8",
      timeout: 200_000,
    });
    if (status !== 0) throw new Error(`systemctl ${args.join(" ")}: ${stderr || stdout}`);
    return stdout.trim();
  }

  property(unit: string, name: string): string {
    return this.systemctl("show", "--value", `--property=${name}`, "--", unit);
  }

  /** What a unit's process was started with; undefined when there is none. */
  commandLine(unit: string): string | undefined {
    const file = `/proc/${this.property(unit, "MainPID")}/cmdline`;
    return existsSync(file) ? readFileSync(file, "utf8").split("\0").join(" ").trim() : undefined;
  }

  async stop(): Promise<void> {
    const cgroup = this.noted("cgroup");
    const pid = this.noted("pid");
    if (pid !== undefined && cgroup !== undefined) {
      // It stops its units first, then itself.
      process.kill(Number(pid), "SIGTERM");
      if (!(await becomesEmpty(cgroup, 120_000)))
        throw new Error(`the user's systemd does not end: process ${pid}, ${cgroup}`);
    }
    if (cgroup !== undefined) removeCgroup(cgroup);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What the script wrote down, if it came so far. */
  private noted(name: string): string | undefined {
    const file = join(this.folder, name);
    return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  }
}
