import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Authorization, authorizationFor } from "../../src/toolset/api/authorization.ts";
import { findAccess, readKubeconfig } from "../../src/toolset/api/kubeconfig.ts";

let folder = "/";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stet-kubeconfig-"));
});
afterEach(() => rm(folder, { recursive: true }));

function config(user: string, cluster = "server: https://example:6443"): { path: string; text: string } {
  const text = `apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}, {name: y, context: {cluster: other, user: u}}]
clusters: [{name: c, cluster: {${cluster}}}]
users: [{name: u, user: {${user}}}]
`;
  return { path: join(folder, "config"), text };
}

describe("kubeconfig", () => {
  it("paths in it are relative to it", () => {
    const access = readKubeconfig(
      [config("client-certificate: c.crt, client-key: /k.key", "server: https://e, certificate-authority: ca.crt")],
      undefined,
    );
    expect(access).toMatchObject({
      authority: { kind: "file", path: join(folder, "ca.crt") },
      certificate: { kind: "file", path: join(folder, "c.crt") },
      key: { kind: "file", path: "/k.key" },
      credentials: { kind: "none" },
    });
  });

  it.each([
    ["token: t", { kind: "token", token: "t" }],
    ["tokenFile: /t", { kind: "token-file", path: "/t" }],
    ["username: a, password: b", { kind: "basic", username: "a", password: "b" }],
    [
      "exec: {apiVersion: client.authentication.k8s.io/v1, command: aws, args: [eks], env: [{name: A, value: B}]}",
      { kind: "exec", plugin: { command: "aws", args: ["eks"], env: { A: "B" } } },
    ],
  ])("knows the credentials %s", (user, credentials) => {
    expect(readKubeconfig([config(user)], undefined).credentials).toMatchObject(credentials);
  });

  it("of several files the first that has a name counts", () => {
    const other = {
      path: "/other",
      text: "clusters: [{name: other, cluster: {server: https://other}}, {name: c, cluster: {server: https://not}}]\n",
    };
    expect(readKubeconfig([config("token: t"), other], undefined).server).toBe("https://example:6443");
    expect(readKubeconfig([config("token: t"), other], "y").server).toBe("https://other");
  });

  it.each([
    [
      "a proxy",
      config("token: t", "server: https://e, proxy-url: http://p").text,
      undefined,
      "proxy-url is not supported",
    ],
    ["an auth-provider", config("auth-provider: {name: gcp}").text, undefined, "use an exec plugin instead"],
    ["an unknown context", config("token: t").text, "z", "no context 'z'"],
    ["a cluster that is not there", config("token: t").text, "y", "names the cluster 'other'"],
    ["no context at all", "clusters: []\n", undefined, "no current-context"],
    ["a wrong shape", "clusters: {}\n", undefined, "clusters: "],
    ["no YAML", "clusters: [\n", undefined, "file:2:1: "],
  ])("refuses %s with one clear line", (_, text, context, message) => {
    expect(() => readKubeconfig([{ path: "file", text }], context)).toThrow(message);
  });
});

describe("finding the cluster", () => {
  const none = { kubeconfig: undefined, context: undefined, env: {}, home: undefined };

  it("--kubeconfig, else the pod, else $KUBECONFIG, else the home", async () => {
    const [a, b] = [join(folder, "a"), join(folder, ".kube-b")];
    await writeFile(a, config("token: t", "server: https://a").text);
    await writeFile(b, config("token: t", "server: https://b").text);
    const pod = {
      KUBERNETES_SERVICE_HOST: "fd00::1",
      KUBERNETES_SERVICE_PORT: "443",
      KUBECONFIG: `${join(folder, "missing")}:${b}`,
    };
    expect((await findAccess({ ...none, kubeconfig: a, env: pod })).server).toBe("https://a");
    expect((await findAccess({ ...none, env: pod })).server).toBe("https://[fd00::1]:443");
    expect((await findAccess({ ...none, env: { KUBECONFIG: pod.KUBECONFIG } })).server).toBe("https://b");
    await expect(findAccess({ ...none, home: folder })).rejects.toThrow(/no cluster to talk to: .*\.kube\/config/);
  });
});

describe("authorization", () => {
  const start = Date.parse("2026-01-01T00:00:00Z");
  const header = async (authorization: Authorization) => (await authorization.proof()).header;

  it("reads a pod's token again when it has been renewed", async () => {
    const path = join(folder, "token");
    const clock = { now: 0 };
    await writeFile(path, "one\n");
    const authorization = authorizationFor({ kind: "token-file", path }, {}, () => clock.now);
    expect(await header(authorization)).toBe("Bearer one");
    await writeFile(path, "two\n");
    expect(await header(authorization)).toBe("Bearer one");
    clock.now = 61_000;
    expect(await header(authorization)).toBe("Bearer two");
    await writeFile(path, "three\n");
    authorization.refused(await authorization.proof());
    expect(await header(authorization)).toBe("Bearer three");
  });

  async function plugin(script: string, clock = { now: start }) {
    const path = join(folder, "plugin.sh");
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "./plugin.sh",
      args: ["a b"],
      env: { X: "y" },
      folder,
    };
    return authorizationFor({ kind: "exec", plugin: exec }, process.env, () => clock.now);
  }

  /** Counts its runs; each token says which run it came from. */
  const counting = (expires: string, wait = "") =>
    `echo >> ${join(folder, "count")}; ${wait} printf '{"status":{"token":"run%s","expirationTimestamp":"${expires}"}}' $(wc -l < ${join(folder, "count")})`;
  const runs = async () => (await readFile(join(folder, "count"), "utf8")).length;

  it("runs a plugin, once for as long as its token holds", async () => {
    const count = join(folder, "count");
    const answer = '{"status":{"token":"%s-%s","expirationTimestamp":"2026-01-01T01:00:00Z"}}';
    const authorization = await plugin(
      `echo >> ${count}; printf '${answer}' "$1" "$X"; echo "$KUBERNETES_EXEC_INFO" | grep -q ExecCredential`,
    );
    expect(await header(authorization)).toBe("Bearer a b-y");
    expect(await header(authorization)).toBe("Bearer a b-y");
    expect(await runs()).toBe(1);
  });

  it("sends no token that has expired, or is about to", async () => {
    const clock = { now: start };
    const authorization = await plugin(counting("2026-01-01T01:00:00Z"), clock);
    expect(await header(authorization)).toBe("Bearer run1");
    clock.now = Date.parse("2026-01-01T00:59:00Z");
    expect(await header(authorization)).toBe("Bearer run1");
    clock.now = Date.parse("2026-01-01T00:59:31Z");
    expect(await header(authorization)).toBe("Bearer run2");
  });

  it("runs a plugin once at a time, however many requests wait for it", async () => {
    const clock = { now: start };
    const authorization = await plugin(counting("2026-01-01T01:00:00Z", "sleep 0.2;"), clock);
    const all = () => Promise.all(Array.from({ length: 10 }, () => header(authorization)));
    expect(new Set(await all())).toEqual(new Set(["Bearer run1"]));
    clock.now += 7_200_000;
    expect(new Set(await all())).toEqual(new Set(["Bearer run2"]));
    expect(await runs()).toBe(2);
  });

  it("keeps a token that was renewed before an older one was refused", async () => {
    const clock = { now: start };
    const authorization = await plugin(counting("2026-01-01T01:00:00Z"), clock);
    const older = await authorization.proof();
    authorization.refused(older);
    expect(await header(authorization)).toBe("Bearer run2");
    authorization.refused(older);
    expect(await header(authorization)).toBe("Bearer run2");
  });

  it.each([
    ["fails", "echo no luck >&2; exit 3", "the credential plugin './plugin.sh' failed: no luck"],
    [
      "fails without a word",
      "exit 3",
      "the credential plugin './plugin.sh' failed: it ended with 3, and gave no reason",
    ],
    [
      "says something else",
      "echo hello",
      "the credential plugin './plugin.sh' failed: it did not print an ExecCredential",
    ],
    ["says nothing of use", "echo '{\"status\":{}}'", "it gave neither a token nor a certificate with its key"],
    [
      "gives no time",
      `echo '{"status":{"token":"t","expirationTimestamp":"soon"}}'`,
      "its expirationTimestamp is not a time",
    ],
  ])("tells in one line when a plugin %s", async (_, script, message) => {
    await expect((await plugin(script)).proof()).rejects.toThrow(message);
  });
});
