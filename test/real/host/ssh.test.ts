// needs: ssh
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stetHost } from "../../host/cli.ts";
import { GitRepository, webFiles } from "../../host/git-repository.ts";
import { freePort } from "../free-port.ts";

const folder = mkdtempSync(join(tmpdir(), "stet-ssh-"));
const repository = new GitRepository();
const script = join(import.meta.dirname, "../../../scripts/real/ssh-serve.sh");
let [server, port, log]: [ChildProcess | undefined, number, string] = [undefined, 0, ""];

beforeAll(async () => {
  for (const name of ["host_key", "key", "stranger"])
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  writeFileSync(join(folder, "authorized_keys"), readFileSync(join(folder, "key.pub"), "utf8"));
  port = await freePort();
  const pin = (key: string) => `[127.0.0.1]:${port} ${readFileSync(join(folder, key), "utf8")}`;
  writeFileSync(join(folder, "known_hosts"), pin("host_key.pub"));
  writeFileSync(join(folder, "wrong_hosts"), pin("stranger.pub"));
  repository.commit(webFiles);
  server = spawn("bash", [script, folder, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
  server.stderr?.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  await listening(port);
});

afterAll(() => {
  server?.kill("SIGTERM");
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function listening(at: number): Promise<void> {
  while (server?.exitCode === null) {
    const answered = await new Promise<boolean>((resolve) => {
      const socket = connect(at, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.unref();
    });
    if (answered) return;
    await sleep(50);
  }
  throw new Error(`sshd ended: ${log}`);
}

const run = (options: { key: string; hosts: string }) => {
  const access = ["--ssh-key", join(folder, options.key), "--known-hosts", join(folder, options.hosts)];
  const url = `ssh://root@127.0.0.1:${port}${repository.work}`;
  const home = mkdtempSync(join(folder, "home-"));
  return stetHost(["plan", "--repo", url, "--host", "box", "--root", join(home, "root"), "--json", ...access], {
    PATH: process.env.PATH,
    HOME: home,
  });
};

describe("git over ssh on loopback", () => {
  test("the right key and the pinned host: the repository is read", async () => {
    const said = await run({ key: "key", hosts: "known_hosts" });
    expect(said, `${said.err}${log}`).toMatchObject({ code: 0 });
    expect(JSON.parse(said.out)).toMatchObject({ host: "box", changed: 1 });
  });

  test("a host whose key is not the pinned one is not talked to", async () => {
    const said = await run({ key: "key", hosts: "wrong_hosts" });
    expect(said.code).toBe(1);
    expect(said.err).toMatch(/host key verification failed/i);
    expect(said.err.trim().split("\n")).toHaveLength(1);
  });

  test("a key that the server does not know is refused, without a question", async () => {
    const said = await run({ key: "stranger", hosts: "known_hosts" });
    expect(said.code).toBe(1);
    expect(said.err).toMatch(/permission denied/i);
  });
});
