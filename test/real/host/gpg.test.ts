// needs: gpg
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stetHost } from "../../host/cli.ts";
import { GitRepository, webFiles } from "../../host/git-repository.ts";

const repository = new GitRepository();
const folder = mkdtempSync(join(tmpdir(), "stet-gpg-"));
// git signs with the home of the repository's user.
const gnupg = join(repository.folder, ".gnupg");
const gpg = (...args: string[]) =>
  execFileSync("gpg", ["--homedir", gnupg, "--batch", "--quiet", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });

beforeAll(() => {
  mkdirSync(gnupg, { mode: 0o700 });
  for (const who of ["deploy", "stranger"]) {
    gpg("--passphrase", "", "--quick-generate-key", `${who}@example.org`, "ed25519", "sign", "never");
    writeFileSync(join(folder, `${who}.asc`), gpg("--armor", "--export", `${who}@example.org`));
  }
});
afterAll(() => {
  execFileSync("gpgconf", ["--homedir", gnupg, "--kill", "all"]);
  repository.remove();
  rmSync(folder, { recursive: true, force: true });
});

const plan = (...args: string[]) => {
  const home = mkdtempSync(join(folder, "home-"));
  return stetHost(
    ["plan", "--repo", repository.url, "--host", "box", "--root", join(home, "root"), "--json", ...args],
    {
      PATH: process.env.PATH,
      HOME: home,
    },
  );
};

describe("OpenPGP signatures", () => {
  test("a commit that is not signed is not applied", async () => {
    repository.commit(webFiles);
    expect(await plan("--keyring", join(folder, "deploy.asc"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not signed"),
    });
  });

  test("one signed by a key of the keyring is; with another keyring it is not", async () => {
    repository.commit({}, "-Sdeploy@example.org");
    const said = await plan("--keyring", join(folder, "deploy.asc"));
    expect(said, said.err).toMatchObject({ code: 0 });
    expect(await plan("--keyring", join(folder, "stranger.asc"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("not allowed"),
    });
  });

  test("a list of ssh signers does not let an OpenPGP signature through", async () => {
    writeFileSync(join(folder, "signers"), "");
    expect(await plan("--allowed-signers", join(folder, "signers"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("not allowed"),
    });
  });
});
