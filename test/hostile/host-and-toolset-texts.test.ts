import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureText } from "../../src/cli/host/output.ts";
import { Terminal } from "../cli/terminal.ts";
import { GitRepository, webFiles } from "../host/git-repository.ts";

/**
 * As in the files commands: clears the screen, sets the title, turns the reading direction round, goes back over the
 * line.
 */
const evil = "\u001b[2J\u001b]0;owned\u0007\u009b1A\u202ereversed\b\b\r";
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe("what a terminal would obey is shown by the host commands, never obeyed", () => {
  it("in units, names of files and folders, branches, messages and diffs", async () => {
    const repository = new GitRepository();
    onTestFinished(() => repository.remove());
    const config = `services/web/config/etc/web/x${evil}.conf`;
    const unit = "services/web/quadlet/web.container";
    repository.commit({ ...webFiles, [unit]: `[Container]\nImage=x.org/web:1\nLabel=a=${evil}b\n`, [config]: "one\n" });
    repository.git("tag", "one");
    repository.git("branch", "b\u202ereversed");
    repository.commit({ [config]: `two ${evil}\n` });
    repository.git("tag", "two");
    repository.commit({
      [unit]: `[Container]\nImage=x\n[X-${evil}]\nA${evil}=1\n`,
      "hosts/box/overrides/config/etc/web/y\nz": "x\n",
    });
    const terminal = new Terminal({ PATH: process.env.PATH! });
    const root = ["--host", "box", "--root", path.join(repository.folder, `root${evil}`)];
    const repo = ["--repo", repository.work];
    let shown = 0;
    for (const argv of [
      ["evaluate", ...repo],
      ["check", ...repo],
      ["plan", "--diff", "-v", ...repo, "--rev", "one"],
      ["apply", "--diff", "-v", ...repo, "--rev", "one"],
      ["status"],
      ["show", "web.container", ...repo, "--rev", "one"],
      ["show", `no${evil}`, ...repo, "--rev", "one"],
      ["diff", "one", "two", ...repo],
      ["diff", "one", "two", "--format", "markdown", ...repo],
      ["plan", ...repo, "--rev", `no${evil}`],
      ["plan", ...repo, "--rev", "b\u202ereversed"],
      ["plan", "--repo", `no${evil}`],
      ["plan", "--repo", `https://x${evil}/`],
      ["watch", "--once", "--repo", `no${evil}`],
      ["plan", ...repo, "--host", `no${evil}`],
      ["rollback", "--yes"],
    ]) {
      const { out, err } = await terminal.run("host", ...argv, ...(argv.includes("--host") ? [] : root));
      expect({ argv: argv[0], text: obeyed.exec(out + err)?.[0] }).toEqual({ argv: argv[0], text: undefined });
      if (`${out}${err}`.includes("\\x1b[2J")) shown++;
    }
    expect(shown).toBeGreaterThan(11);
  });

  it("in what systemd says of a unit", () => {
    const failed = [{ unit: `web${evil}.service`, state: `failed${evil}`, log: [`last words${evil}`] }];
    const actions = [
      { action: "start", unit: "db.service", reason: "new", outcome: "failed", message: `systemctl: ${evil}` },
    ];
    const text = failureText(failed as never, actions as never);
    expect(text).not.toMatch(obeyed);
    expect(text.split("\n").length).toBe(4);
  });

  it("markdown for others to read holds no markup of a file's name", async () => {
    const repository = new GitRepository();
    onTestFinished(() => repository.remove());
    repository.commit(webFiles);
    repository.git("tag", "one");
    repository.commit({ "services/web/config/etc/web/<img src=x onerror=1>`*": "```\n</details>\n" });
    const terminal = new Terminal({ PATH: process.env.PATH! });
    const { out } = await terminal.run(
      "host",
      "diff",
      "one",
      "--format",
      "markdown",
      "--repo",
      repository.work,
      "--host",
      "box",
    );
    expect(out).toContain("&#60;img src=x onerror=1&#62;&#96;&#42;");
    // Inside its fence, which nothing in it can end, a diff is text.
    expect(out.replaceAll(/^(`{3,})diff\n[\s\S]*?^\1$/gm, "")).not.toMatch(/<img|<\/details>\n.*<\/details>/);
  });
});

describe("and by the toolset commands", () => {
  const service = (name: string) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "n", labels: { app: "prometheus" }, annotations: { [`a${evil}`]: evil } },
    spec: { ports: [{ name: `web${evil}`, port: 9090 }] },
  });
  const configMap = (overrides: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kubernaut-toolset-config" },
    data: { "overrides.yaml": overrides },
  });

  it("in names of Services and tools, in overrides and in what is wrong with them", async () => {
    const terminal = new Terminal();
    terminal.write("services.json", service("p"));
    terminal.write("misnamed.json", service(`p${evil}`));
    for (const overrides of [
      `tools:\n- { name: ${JSON.stringify(`a${evil}`)}, endpoint: ${JSON.stringify(`http://x/${evil}`)}, ${JSON.stringify(`f${evil}`)}: 1 }\n`,
      `${JSON.stringify(`unknown${evil}`)}: 1\n`,
      `tools: [{ name: ${JSON.stringify(evil)} , endpoint: 1 }]\n`,
      `tools:\n${evil}\n`,
    ]) {
      terminal.write("configmap.json", configMap(overrides));
      const { out, err } = await terminal.run(
        "toolset",
        "plan",
        "--services",
        "services.json",
        "--configmap",
        "configmap.json",
        "--diff",
        "-v",
      );
      expect(out.length).toBeGreaterThan(20);
      expect(obeyed.exec(out + err)?.[0]).toBeUndefined();
    }
    for (const argv of [
      ["--services", "misnamed.json"],
      ["--services", `no${evil}`],
      ["--kubeconfig", `no${evil}`],
      [`--no${evil}`],
    ]) {
      const { code, err } = await terminal.run("toolset", "plan", ...argv);
      expect(code).toBe(1);
      expect(obeyed.exec(err)?.[0]).toBeUndefined();
    }
  });
});
