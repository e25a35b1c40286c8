import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { auditFields, recordRun } from "../../src/host/effects/run-record.ts";
import { telemetryOf } from "../../src/index.ts";
import { Terminal } from "../cli/terminal.ts";
import { World } from "../files/world.ts";
import { stetHost } from "../host/cli.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

const secret = "hunter2-Correct-Horse";

describe("a message about a broken file does not repeat what stands in it", () => {
  const broken: [file: string, text: string][] = [
    ["config.json", `{ "token": "${secret}`],
    ["config.json", `{ "token": ${secret} }`],
    ["config.json", `{ "token": "${secret}\\q" }`],
    ["config.json", `{ "a": 1 } ${secret}`],
    ["config.yaml", `token: ${secret}: x\n`],
    ["config.yaml", `token: *${secret}\n`],
    ["config.yaml", `token: "${secret}\n`],
    ["config.yaml", `token: @${secret}\n`],
    ["config.yaml", `token: x\n${secret}\n`],
    // Passwords that begin with a sign that means something in YAML.
    ["config.yaml", `token: !e!${secret} x\n`],
    ["config.yaml", `token: !<${secret}> x\n`],
    ["config.yaml", `token: |${secret}\n`],
    ["config.yaml", `token: >9${secret}\n`],
    ["config.yaml", `token: "\\U${secret}"\n`],
    ["config.yaml", `%YAML ${secret}\n---\na: 1\n`],
    ["config.yaml", `token: "x"\n- ${secret}\n`],
    ["config.toml", `token = ${secret}\n`],
    ["config.toml", `token = "${secret}\n`],
    ["config.toml", `token = "x" ${secret}\n`],
    [".env", `TOKEN="${secret}\n`],
    [".env", `"${secret}"=x\n`],
  ];
  it.each(broken)("%s: %s", async (file, text) => {
    const terminal = new Terminal();
    terminal.write("pack/stet.yaml", `name: zylos\nversion: "1"\nfiles: [{ target: ~/${file}, template: ${file} }]\n`);
    terminal.write(
      `pack/${file}`,
      { "config.json": "{}\n", "config.yaml": "a: 1\n", "config.toml": "", ".env": "A=1\n" }[file]!,
    );
    terminal.write(`home/${file}`, text);
    const { code, out, err } = await terminal.run("plan", "pack");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: expect.stringMatching(/^stet: [^\n]+:\d+:\d+: [^\n]+\n$/),
    });
    expect(err).not.toContain("hunter2");
  });

  it.each([
    ["text", `users: ${secret}\n`],
    ["syntax", `users:\n- user:\n    token: ${secret}\n    : [\n`],
    ["type", `users:\n- name: a\n  user: { token: [${secret}] }\n`],
    ["alias", `users:\n- name: a\n  user: { password: *${secret} }\n`],
    ["tag", `users:\n- name: a\n  user: { password: !${secret} }\n`],
    ["handle", `users:\n- name: a\n  user: { password: !e!${secret} }\n`],
    ["handle that is one", `users:\n- name: a\n  user: { password: !${secret}!x }\n`],
  ])("a kubeconfig with a wrong %s", async (_, text) => {
    const terminal = new Terminal();
    terminal.write("kubeconfig", text);
    const { code, err } = await terminal.run("toolset", "plan", "--kubeconfig", terminal.at("kubeconfig"));
    expect(code).toBe(1);
    expect(err).toMatch(/^stet: [^\n]*kubeconfig[^\n]*\n$/);
    expect(err).not.toContain("hunter2");
  });
});

describe("a kubeconfig that can't be used ends in one line, without what stands in it", () => {
  const encoded = Buffer.from(secret).toString("base64");
  it.each([
    ["an address that is none", `server: ${secret}`, "{}", /kubeconfig: the server of its cluster is no address/],
    [
      "an address of another kind",
      `server: "file:///${secret}"`,
      "{}",
      /kubeconfig: the server of its cluster is no address/,
    ],
    [
      "a certificate that is none",
      "server: https://127.0.0.1:1",
      `{ client-certificate-data: ${encoded} }`,
      /certificate or key can't be used/,
    ],
    [
      "a key that is none",
      "server: https://127.0.0.1:1",
      `{ client-key-data: ${encoded} }`,
      /certificate or key can't be used/,
    ],
    [
      "a token that is not there",
      "server: https://127.0.0.1:1",
      "{ tokenFile: nowhere }",
      /nowhere: the token cannot be read/,
    ],
    ["a token that is none", "server: https://127.0.0.1:1", `{ token: "${secret}\\n${secret}" }`, /token/],
    [
      "a plugin that fails without a word",
      "server: https://127.0.0.1:1",
      `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: "false", args: [--client-secret, ${secret}] } }`,
      /'false' failed: it ended with 1/,
    ],
    [
      "a plugin that is not there",
      "server: https://127.0.0.1:1",
      `{ exec: { apiVersion: client.authentication.k8s.io/v1, command: stet-no-such-program, args: [${secret}] } }`,
      /failed: there is no such program/,
    ],
  ])("%s", async (_, cluster, user, line) => {
    const terminal = new Terminal({ PATH: process.env.PATH! });
    const context = "current-context: c\ncontexts: [{ name: c, context: { cluster: k, user: u } }]\n";
    terminal.write(
      "kubeconfig",
      `${context}clusters: [{ name: k, cluster: { ${cluster} } }]\nusers: [{ name: u, user: ${user} }]\n`,
    );
    const { code, out, err } = await terminal.run("toolset", "plan", "--kubeconfig", terminal.at("kubeconfig"));
    expect({ code, out, err }).toEqual({ code: 1, out: "", err: expect.stringMatching(/^stet: [^\n]+\n$/) });
    expect(err).toMatch(line);
    expect(err).not.toMatch(/hunter2|\\x/);
  });
});

describe("nor does one about what a cluster holds", () => {
  const service =
    '{ "kind": "Service", "metadata": { "name": "x", "labels": { "app": "prometheus" } }, "spec": { "ports": [{ "port": 9090 }] } }';
  it.each([`*${secret}`, `!${secret} x`, `!e!${secret} x`, `|${secret}`, `"\\U${secret}"`])("%s", async (value) => {
    const terminal = new Terminal();
    const text = `password: ${value}\n`;
    const configMap = {
      kind: "ConfigMap",
      metadata: { name: "kubernaut-toolset-config" },
      data: { "overrides.yaml": text },
    };
    terminal.write("services", service);
    terminal.write("broken", text);
    terminal.write("configmap", configMap);
    for (const argv of [["broken"], ["services", "--detectors", "broken"], ["services", "--configmap", "broken"]])
      expect(await terminal.run("toolset", "plan", "--services", ...argv)).toMatchObject({
        code: 1,
        err: expect.not.stringContaining("hunter2"),
      });
    const { out, err } = await terminal.run("toolset", "plan", "--services", "services", "--configmap", "configmap");
    expect(out).toMatch(/no\s+overrides\s+are\s+in\s+effect/);
    expect(out + err).not.toContain("hunter2");
  });
});

/** A pack and a target with secrets under secret names, in addresses, in commands and in headers. */
function withSecrets(): Terminal {
  const terminal = new Terminal();
  const values = (value: string) => ({
    token: value,
    env: { GITHUB_TOKEN: value, DB_URL: `postgres://app:${value}@db/x` },
    hooks: [{ event: "Start", command: `curl -H "Authorization: Bearer ${value}" --password ${value} https://x` }],
    servers: { x: { headers: { Authorization: `Bearer ${value}` }, args: ["--api-key", value] } },
  });
  terminal.write(
    "pack/stet.yaml",
    'name: zylos\nversion: "1"\nfiles:\n  - target: ~/app/config.json\n    template: config.json\n    rules: [{ type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event] }]\n',
  );
  terminal.write("pack/config.json", values(`${secret}-1`));
  terminal.write("home/app/config.json", { token: `${secret}-mine`, env: { API_KEY: `${secret}-mine` } });
  return terminal;
}

describe("secrets are in no report", () => {
  it("of any command, as text or as JSON", async () => {
    const terminal = withSecrets();
    const said: string[] = [];
    const run = async (...argv: string[]) => {
      for (const more of [[], ["--json"]]) {
        const { code, out, err } = await terminal.run(...argv, ...more);
        expect({ argv, err, failed: code === 1 }).toEqual({ argv, err, failed: false });
        said.push(out, err);
      }
    };
    await run("plan", "pack", "--diff", "-v");
    await run("apply", "pack", "--diff", "-v");
    const text = terminal.read("pack/config.json").replaceAll(`${secret}-1`, `${secret}-2`);
    terminal.write("pack/config.json", text);
    terminal.write(
      "home/app/config.json",
      terminal.read("home/app/config.json").replaceAll(`${secret}-1`, `${secret}-edit`),
    );
    await run("plan", "pack", "--diff", "-v");
    await run("apply", "pack", "--diff", "-v");
    await run("status", "-v");
    await run("explain", "setting:token");
    await run("explain", "setting:env.GITHUB_TOKEN");
    await run("explain", "setting:env.DB_URL");
    await run("blame", "home/app/config.json");
    await run("history", "zylos");
    await run("doctor");
    await run("check", "pack");
    await run("resolve", "setting:env.GITHUB_TOKEN", "--mine");
    await run("adopt", "setting:token");
    await run("disown", "setting:env.DB_URL");
    await run("rollback", "zylos");
    said.push((await terminal.run("uninstall", "zylos", "--json")).out);
    expect(said.join("\n").length).toBeGreaterThan(10_000);
    expect(said.filter((each) => each.includes("hunter2"))).toEqual([]);
  });

  it("and telemetry has neither keys nor paths nor values", async () => {
    const world = new World();
    const pack = {
      name: "zylos",
      version: "1",
      files: [{ target: "~/secret-place.json", template: { "secret-name": secret } }],
    };
    const told = JSON.stringify(telemetryOf(await world.plan(pack)));
    expect(told).not.toMatch(/secret|hunter2|setting:|place/);
  });

  it("of the host commands, nor in metrics", async () => {
    const repository = new GitRepository();
    onTestFinished(() => repository.remove());
    const unit = (value: string) =>
      `[Container]\nImage=x.org/web:1\nEnvironment=DB_PASSWORD=${value} "API_TOKEN=${value}"\nPodmanArgs=--creds admin:${value} --token ${value}\n`;
    repository.commit({ ...webFiles, "services/web/quadlet/web.container": unit(`${secret}-1`) });
    repository.git("tag", "one");
    repository.commit({ "services/web/quadlet/web.container": unit(`${secret}-2`) });
    const env = { PATH: process.env.PATH, HOME: repository.folder };
    const root = path.join(repository.folder, "root");
    const common = ["--repo", repository.work, "--host", "box", "--root", root];
    const said: string[] = [];
    for (const argv of [
      ["plan", "--diff", "-v"],
      ["show", "web.container"],
      ["evaluate"],
      ["check"],
      ["diff", "one"],
      ["diff", "one", "--format", "markdown"],
      ["apply", "--diff"],
      ["status"],
      ["watch", "--once", "--metrics-file", path.join(repository.folder, "metrics")],
    ]) {
      for (const more of argv[0] === "check" ? [[]] : [[], ["--json"]]) {
        const { out, err } = await stetHost([...argv, ...common, ...more], env);
        said.push(out, err);
      }
    }
    said.push(fs.readFileSync(path.join(repository.folder, "metrics"), "utf8"));
    expect(said.filter((each) => each.includes("hunter2"))).toEqual([]);
    expect(fs.readFileSync(path.join(root, "etc/containers/systemd/web.container"), "utf8")).toContain(`${secret}-2`);
  });
});

describe("secrets are in no record of a run", () => {
  it.each([`API_TOKEN ${secret}`, `=${secret}`, `[${secret}`, secret])("a unit with the line %s", async (line) => {
    const terminal = new Terminal({ PATH: process.env.PATH! });
    for (const file of ["quadlet/web.container", "quadlet-overrides/web.container.d/x.conf"])
      terminal.write(`repo/services/web/${file}`, `[Container]\nImage=x.org/web:1\n${line}\n`);
    terminal.write("repo/hosts/box/host.yaml", "host: box\nservices: [web]\n");
    const common = ["--repo", "repo", "--host", "box", "--root", "root"];
    for (const argv of [
      ["apply", "-v"],
      ["apply", "--json"],
      ["watch", "--once", "--metrics-file", terminal.at("metrics")],
      ["check"],
    ]) {
      const { code, out, err } = await terminal.run(
        "host",
        ...argv,
        ...(argv[0] === "check" ? common.slice(0, 2) : common),
      );
      expect(code).toBe(1);
      expect(out + err).toContain("invalid-unit");
      expect(out + err).not.toContain("hunter2");
    }
    expect(terminal.read("metrics")).not.toContain("hunter2");
  });

  it("what the journal gets of a run that was refused", () => {
    const diagnostics = [
      { code: "invalid-unit", severity: "error", message: `says Environment=DB_PASSWORD=${secret}` },
    ] as const;
    const after = { running: undefined, held: undefined, paused: false };
    const facts = {
      host: "box",
      repo: `https://user:${secret}@example.org/x`,
      startedAt: new Date(0),
      durationMs: 1,
      after,
    };
    const record = recordRun({ kind: "refused", rev: undefined, diagnostics } as never, facts);
    expect(auditFields(record)).toContain("DB_PASSWORD=***");
    expect(auditFields(record) + JSON.stringify(record)).not.toContain("hunter2");
  });
});

describe("secrets are in no file that others may read", () => {
  it("whatever the umask: records, history, saved plans, and every file from its first moment", async () => {
    const terminal = withSecrets();
    const umask = process.umask(0);
    const opened = vi.spyOn(fs, "openSync");
    try {
      await terminal.run("plan", "pack", "--out", "saved.plan");
      await terminal.run("apply", "pack");
    } finally {
      process.umask(umask);
    }
    const made = opened.mock.calls.filter(
      ([, flags]) => flags === "wx" || (typeof flags === "number" && flags & fs.constants.O_CREAT),
    );
    opened.mockRestore();
    expect(made.length).toBeGreaterThan(5);
    expect(
      made.map(([file, , mode]) => [path.basename(String(file)), mode]).filter(([, mode]) => mode !== 0o600),
    ).toEqual([]);
    const state = terminal.at("home/.local/state/stet");
    const modes = fs.readdirSync(state, { recursive: true, withFileTypes: true }).map((entry) => {
      const mode = fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o777;
      return `${entry.isDirectory() ? "folder" : "file"} ${mode.toString(8)}`;
    });
    expect(new Set(modes)).toEqual(new Set(["folder 700", "file 600"]));
    expect(fs.statSync(terminal.at("saved.plan")).mode & 0o777).toBe(0o600);
  });
});

describe("secrets are in no argument, and in no environment that can do without", () => {
  it("a token for Git goes to what talks to the remote, by its environment alone", async () => {
    const repository = new GitRepository();
    onTestFinished(() => repository.remove());
    const [bin, seen] = [path.join(repository.folder, "bin"), path.join(repository.folder, "seen")];
    fs.mkdirSync(bin);
    const git = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    // Notes, for each Git that is run, its arguments as everybody can see them, and whether its environment knows the
    // token.
    const note = `printf '%s\\t%s\\n' "$(env | grep -c "$KNOWN")" "$(tr '\\0' ' ' < /proc/$$/cmdline)" >> ${seen}`;
    const encoded = Buffer.from(`x-access-token:${secret}`).toString("base64");
    fs.writeFileSync(path.join(bin, "git"), `#!/bin/sh\nKNOWN='${encoded}'\n${note}\nexec ${git} "$@"\n`, {
      mode: 0o755,
    });
    fs.writeFileSync(path.join(repository.folder, "token"), `${secret}\n`);
    const args = [
      "plan",
      "--repo",
      "https://127.0.0.1:1/x.git",
      "--host",
      "box",
      "--root",
      path.join(repository.folder, "root"),
    ];
    const { code, out, err } = await stetHost([...args, "--token-file", path.join(repository.folder, "token"), "-v"], {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: repository.folder,
    });
    expect(code).toBe(1);
    const lines = fs.readFileSync(seen, "utf8").trim().split("\n");
    const told = lines.map((line) => line.split("\t") as [string, string]);
    expect(out + err + told.map(([, command]) => command).join("\n")).not.toMatch(new RegExp(`hunter2|${encoded}`));
    const knowing = told
      .filter(([count]) => count !== "0")
      .map(([, command]) => /(?:^| )(ls-remote|fetch|init|rev-parse|symbolic-ref)\b/.exec(command)?.[1]);
    expect(knowing).toEqual(["ls-remote"]);
    expect(told.length).toBeGreaterThan(2);
  });
});
