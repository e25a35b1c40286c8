import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A Git repository in a temporary folder, to be committed to and served from. */
export class GitRepository {
  readonly folder = mkdtempSync(join(tmpdir(), "stet-git-"));
  readonly work = join(this.folder, "work");
  readonly url = `file://${join(this.folder, "work")}`;

  constructor() {
    mkdirSync(this.work);
    this.git("init", "--quiet", "-b", "main");
  }

  git(...args: string[]): string {
    const env = { PATH: process.env.PATH, HOME: this.folder, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
    const who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"];
    return execFileSync("git", [...who, ...args], {
      cwd: this.work,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.work, path)), { recursive: true });
      writeFileSync(join(this.work, path), text);
    }
  }

  /** The id of the new commit. */
  commit(files: Readonly<Record<string, string>>, ...options: string[]): string {
    this.write(files);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "-m", "change", ...options);
    return this.git("rev-parse", "HEAD");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const webFiles = {
  "services/web/quadlet/web.container": "[Container]\nImage=example.org/web:1\n",
  "hosts/box/host.yaml": "host: box\nservices: [web]\n",
};
