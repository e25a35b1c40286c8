import fs from "node:fs";
import { describe, expect, it } from "vitest";
import { Terminal } from "../cli/terminal.ts";

const secret = "hunter2-Correct-Horse";

/** A pack that puts the given variables into a new file, each under a name that tells nothing. */
function packWith(vars: Record<string, string>, env: Record<string, string>): Terminal {
  const terminal = new Terminal(env);
  const declared = Object.entries(vars).map(([name, value]) => `  ${name}: "${value}"\n`);
  terminal.write(
    "pack/stet.yaml",
    `name: zylos\nversion: "1"\nvars:\n${declared.join("")}files: [{ target: ~/app/config.json, template: config.json }]\n`,
  );
  const uses = Object.keys(vars).map((name, i) => [`n${i}`, `see \${${name}}`]);
  terminal.write("pack/config.json", { ...Object.fromEntries(uses), plain: "plain", undeclared: "${HUNTER_TOKEN}" });
  return terminal;
}

const written = (terminal: Terminal) => JSON.parse(terminal.read("home/app/config.json"));
const mode = (terminal: Terminal, file: string) => fs.statSync(terminal.at(file)).mode & 0o777;

/** Variables whose values give somebody else's rights to whoever reads them, whether their names say so or not. */
const wellKnown = [
  "GITHUB_TOKEN",
  "ANTHROPIC_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_ACCESS_KEY_ID",
  "PGPASSWORD",
  "DATABASE_URL",
  "REDIS_URL",
  "MONGODB_URI",
  "SENTRY_DSN",
  "AZURE_STORAGE_CONNECTION_STRING",
  "SLACK_WEBHOOK_URL",
  "DOCKER_AUTH_CONFIG",
  "NPM_CONFIG__AUTH",
  "GH_PAT",
];

describe("a pack can't fetch a secret out of the environment", () => {
  it.each(wellKnown)("%s keeps the manifest's default, and one line says so", async (name) => {
    const terminal = packWith({ [name]: "none" }, { [name]: secret });
    const { code, out } = await terminal.run("apply", "pack", "--json");
    expect(code).toBe(0);
    expect(written(terminal).n0).toBe("see none");
    expect(out).not.toContain("hunter2");
    const told = JSON.parse(out).diagnostics.filter((each: { code: string }) => each.code === "secret-variable");
    expect(told).toMatchObject([{ severity: "warning", message: expect.stringContaining(`--from-env ${name}`) }]);
  });

  it("nothing is said where the environment does not have it, or somebody chose a value", async () => {
    const without = packWith({ GITHUB_TOKEN: "none" }, {});
    expect((await without.run("apply", "pack")).out).not.toContain("--from-env");
    const chosen = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    expect((await chosen.run("apply", "pack", "--set", "GITHUB_TOKEN=mine")).out).not.toContain("--from-env");
    expect(written(chosen).n0).toBe("see mine");
  });

  it("other variables are read as before, and what the manifest does not declare never is", async () => {
    const terminal = packWith(
      { ZYLOS_HOME: "x", KEYBOARD: "us" },
      { ZYLOS_HOME: "/srv/z", KEYBOARD: "de", HUNTER_TOKEN: secret },
    );
    await terminal.run("apply", "pack");
    expect(written(terminal)).toMatchObject({ n0: "see /srv/z", n1: "see de", undeclared: "${HUNTER_TOKEN}" });
  });
});

describe("--from-env asks for it", () => {
  it("then it is written, to a new file that nobody else may read, and is in no report", async () => {
    const terminal = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    const said: string[] = [];
    const run = async (...argv: string[]) => {
      for (const more of [[], ["--json"]]) {
        const { code, out, err } = await terminal.run(...argv, ...more);
        expect({ argv, code, err }).toEqual({ argv, code: 0, err: "" });
        said.push(out);
      }
    };
    await run("plan", "pack", "--diff", "-v", "--from-env", "GITHUB_TOKEN");
    await run("apply", "pack", "--diff", "-v", "--from-env", "GITHUB_TOKEN");
    expect(written(terminal).n0).toBe(`see ${secret}`);
    expect(mode(terminal, "home/app/config.json")).toBe(0o600);
    await run("plan", "pack", "--diff", "-v", "--from-env=GITHUB_TOKEN");
    await run("status", "-v");
    await run("explain", "setting:n0");
    await run("blame", "home/app/config.json");
    terminal.write(
      "home/app/config.json",
      terminal.read("home/app/config.json").replace("see hunter2", "look at hunter2"),
    );
    await run("plan", "pack", "--diff", "-v", "--from-env", "GITHUB_TOKEN");
    await run("status", "-v");
    await run("history", "zylos");
    said.push((await terminal.run("uninstall", "zylos", "--json")).out);
    expect(said.filter((each) => each.includes("hunter2"))).toEqual([]);
    expect(said.join("")).toContain("plain");
  });

  it("a file that was there keeps its mode, and a new one without a secret gets the usual one", async () => {
    const terminal = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    terminal.write("home/app/config.json", "{}\n");
    fs.chmodSync(terminal.at("home/app/config.json"), 0o640);
    await terminal.run("apply", "pack", "--from-env", "GITHUB_TOKEN");
    expect(mode(terminal, "home/app/config.json")).toBe(0o640);
    const plain = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    await plain.run("apply", "pack");
    expect(mode(plain, "home/app/config.json")).toBe(0o666 & ~process.umask());
  });

  it("a saved plan keeps it to its owner as well", async () => {
    const terminal = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    await terminal.run("plan", "pack", "--from-env", "GITHUB_TOKEN", "--out", "saved.plan");
    const { out } = await terminal.run("apply", "saved.plan", "--json");
    expect([mode(terminal, "home/app/config.json"), mode(terminal, "saved.plan")]).toEqual([0o600, 0o600]);
    expect(out).not.toContain("hunter2");
  });

  it("a name that the manifest does not declare, or that the environment has not, is an error", async () => {
    const terminal = packWith({ GITHUB_TOKEN: "none" }, {});
    expect(await terminal.run("plan", "pack", "--from-env", "OTHER")).toMatchObject({
      code: 1,
      err: expect.stringContaining("declares no"),
    });
    expect(await terminal.run("plan", "pack", "--from-env", "GITHUB_TOKEN")).toMatchObject({
      code: 1,
      err: expect.stringContaining("the environment has no variable GITHUB_TOKEN"),
    });
  });

  it("what was kept for the next run is asked for with the same words only", async () => {
    const terminal = packWith({ GITHUB_TOKEN: "none" }, { GITHUB_TOKEN: secret });
    terminal.build = "test";
    await terminal.run("apply", "pack", "--from-env", "GITHUB_TOKEN");
    expect((await terminal.run("plan", "pack", "--json")).out).toContain('"changed": 1');
    expect((await terminal.run("plan", "pack", "--json", "--from-env", "GITHUB_TOKEN")).out).toContain('"changed": 0');
  });
});
