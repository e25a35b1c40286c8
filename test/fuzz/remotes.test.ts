import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { stetHost } from "../host/cli.ts";
import { fuzzAsync, timeLimit } from "./budget.ts";
import { mutated } from "./mutate.ts";
import type { Random } from "./random.ts";

const files: Readonly<Record<string, string>> = {
  "hosts/box/host.yaml": "host: box\nservices: [web]\n",
  "hosts/box/overrides/quadlet/web.container.d/10-port.conf": "[Container]\nPublishPort=8080:80\n",
  "services/web/quadlet/web.container":
    "[Container]\nImage=docker.io/library/nginx:1\n\n[Install]\nWantedBy=default.target\n",
  "services/web/config/etc/web/web.conf": "port = 80\n",
  "services/web/quadlet/web-clean.timer": "[Timer]\nOnCalendar=daily\n\n[Install]\nWantedBy=timers.target\n",
};

/** Names that a tree of Git can hold and no honest one does. */
const names = [
  "..",
  ".git",
  ".GIT",
  "a\\b",
  "CON",
  "a:b",
  "\u200e",
  "-x",
  "~",
  "host.yaml",
  "web.container",
  "x".repeat(300),
  "a\nb",
];
const modes = ["100644", "100755", "120000", "160000", "040000"];

/** A bare repository that somebody wrote object by object, so that nothing of Git keeps it honest. */
class StrangeRemote {
  readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-remote-"));

  constructor() {
    this.git(["init", "-q", "--bare", "-b", "main", "."]);
    onTestFinished(() => fs.rmSync(this.folder, { recursive: true, force: true }));
  }

  git(args: readonly string[], input?: Buffer | string): string {
    const who = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b.test",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b.test",
    };
    const env = { PATH: process.env.PATH, HOME: this.folder, ...who };
    return execFileSync("git", args, {
      cwd: this.folder,
      input: input ?? "",
      env,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    }).trim();
  }

  blob(text: string): string {
    return this.git(["hash-object", "-w", "--literally", "-t", "blob", "--stdin"], text);
  }

  /** Sorted by nobody, checked by nobody. */
  tree(entries: readonly { mode: string; name: string; hash: string }[]): string {
    const parts = entries.map(({ mode, name, hash }) =>
      Buffer.concat([Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`), Buffer.from(hash, "hex")]),
    );
    return this.git(["hash-object", "-w", "--literally", "-t", "tree", "--stdin"], Buffer.concat(parts));
  }

  publish(tree: string): void {
    this.git(["update-ref", "refs/heads/main", this.git(["commit-tree", tree, "-m", "x"])]);
  }
}

interface Folder {
  [name: string]: string | Folder;
}

/** `calm`: one in so many names and texts is damaged. */
function damagedTree(remote: StrangeRemote, folder: Folder, random: Random, calm: number): string {
  const entries = Object.entries(folder).map(([name, content]) => {
    const isFile = typeof content === "string";
    const text = isFile && random.below(calm) === 0 ? mutated(content, Object.values(files), random) : content;
    const hash = typeof text === "string" ? remote.blob(text) : damagedTree(remote, text, random, calm);
    const usual = isFile ? "100644" : "040000";
    return {
      mode: isFile && random.below(calm) === 0 ? random.of(modes.slice(0, 3)) : usual,
      name: random.below(calm * 4) === 0 ? random.of(names.filter((each) => !each.includes("\0"))) : name,
      hash,
    };
  });
  const extra =
    random.below(calm * 2) === 0
      ? [{ mode: random.of(modes), name: random.of(names), hash: remote.blob("../../etc/passwd") }]
      : [];
  return remote.tree([...entries, ...extra]);
}

function nested(): Folder {
  const root: Folder = {};
  for (const [file, text] of Object.entries(files)) {
    const parts = file.split("/");
    let at = root;
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {};
      at = at[part] as Folder;
    }
    at[parts.at(-1)!] = text;
  }
  return root;
}

it("a remote that somebody made by hand is evaluated below the host's own folders, or refused in words", {
  timeout: timeLimit,
}, async () => {
  const remote = new StrangeRemote();
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "stet-remote-home-"));
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const seen = { evaluated: 0, refused: 0 };
  await fuzzAsync(25, async (random) => {
    remote.publish(damagedTree(remote, nested(), random, random.of([5, 20, 100])));
    const root = path.join(home, "root");
    const options = ["--repo", `file://${remote.folder}`, "--host", "box", "--root", root, "--allow-rewind", "--json"];
    const { code, out, err } = await stetHost(["apply", ...options], { PATH: process.env.PATH, HOME: home });
    expect([0, 1]).toContain(code);
    const document = JSON.parse(out);
    expect(JSON.stringify(document)).not.toContain("internal-error");
    if (code === 1) {
      seen.refused++;
      expect(err).toMatch(/^stet: .+\n/);
    } else seen.evaluated++;
    for (const file of written(root)) expect(file).toMatch(/^etc\/(?:containers\/systemd|systemd\/system|web)(?:\/|$)/);
    expect(fs.existsSync(path.join(home, "etc"))).toBe(false);
    fs.rmSync(root, { recursive: true, force: true });
    fs.rmSync(path.join(home, ".local"), { recursive: true, force: true });
  });
  expect(Math.min(seen.evaluated, seen.refused)).toBeGreaterThan(0);
});

/** The files below a root, links as they are. */
function written(root: string): string[] {
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
