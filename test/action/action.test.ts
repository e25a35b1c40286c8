import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { Shell } from "../cli/shell.ts";

const root = path.resolve(import.meta.dirname, "../..");
const bot = "github-actions[bot]";

interface Step {
  readonly id?: string;
  readonly run: string;
  readonly shell: string;
  readonly env?: Record<string, string>;
}
const action = parse(fs.readFileSync(path.join(root, "action.yml"), "utf8")) as {
  inputs: Record<string, { default: string }>;
  runs: { steps: Step[] };
};

interface Comment {
  id: number;
  body: string;
  user: { login: string };
}

/** Stands in for GitHub's comments and pull requests, with all it was asked. */
class Forge {
  comments: Comment[] = [];
  pulls: { number: number; head: string; title: string; base: string; body: string }[] = [];
  asked: string[] = [];
  readOnly = false;
  #server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const { status, data } = this.#answer(request.method!, request.url!, body === "" ? {} : JSON.parse(body));
      response.writeHead(request.headers.authorization === "Bearer secret" ? status : 401).end(JSON.stringify(data));
    });
  });

  async address(): Promise<string> {
    if (!this.#server.listening) await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void this.#server.close());
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(method: string, url: string, given: Record<string, string>): { status: number; data: unknown } {
    this.asked.push(`${method} ${url.replace(/\?.*/, "")}`);
    const { pathname, searchParams } = new URL(url, "http://forge");
    if (method !== "GET" && this.readOnly) return { status: 403, data: { message: "Resource not accessible" } };
    const one = /^\/repos\/ann\/shop\/issues\/comments\/(\d+)$/.exec(pathname)?.[1];
    const at = this.comments.findIndex(({ id }) => id === Number(one));
    if (method === "PATCH" && at >= 0) {
      this.comments[at]!.body = given.body!;
      return { status: 200, data: this.comments[at] };
    }
    if (method === "DELETE" && at >= 0) return { status: 200, data: this.comments.splice(at, 1) };
    if (/^\/repos\/ann\/shop\/issues\/7\/comments$/.test(pathname)) {
      const first = (Number(searchParams.get("page") ?? 1) - 1) * 100;
      if (method === "GET") return { status: 200, data: this.comments.slice(first, first + 100) };
      this.comments.push({ id: this.comments.length + 1000, body: given.body!, user: { login: bot } });
      return { status: 201, data: this.comments.at(-1) };
    }
    if (pathname === "/repos/ann/shop/pulls") {
      const head = searchParams.get("head");
      if (method === "GET") return { status: 200, data: this.pulls.filter((each) => `ann:${each.head}` === head) };
      this.pulls.push({ number: 7, head: given.head!, title: given.title!, base: given.base!, body: given.body! });
      return { status: 201, data: this.pulls.at(-1) };
    }
    return { status: 404, data: { message: "Not Found" } };
  }
}

/** A project with a remote, and a pack of scope project in it. */
class Workflow {
  readonly shell = new Shell();
  readonly forge = new Forge();
  readonly project = this.shell.at("shop");
  inputs: Record<string, string> = { pack: "pack", mode: "plan", token: "secret" };
  event: object = { pull_request: { number: 7, base: { sha: "" } } };

  constructor() {
    this.git(this.shell.at("."), "init", "-q", "--bare", "remote.git");
    this.git(this.shell.at("."), "clone", "-q", "remote.git", "shop");
    this.release("1.0.0", { volume: 3, sound: "bell" });
    this.commit("begin");
  }

  git(folder: string, ...args: string[]): string {
    const identity = ["-c", "user.name=ann", "-c", "user.email=ann@example.test", "-c", "init.defaultBranch=main"];
    const env = { PATH: process.env.PATH, HOME: this.shell.home, GIT_CONFIG_NOSYSTEM: "1" };
    return execFileSync("git", [...identity, "-C", folder, ...args], { encoding: "utf8", env }).trim();
  }

  release(version: string, settings: object): void {
    this.shell.write(
      "shop/pack/stet.yaml",
      `name: chime\nversion: ${version}\nscope: project\nfiles:\n  - { target: .claude/settings.json, template: settings.json }\n`,
    );
    this.shell.write("shop/pack/settings.json", settings);
  }

  commit(message: string): void {
    this.git(this.project, "add", "-A");
    this.git(this.project, "commit", "-qm", message);
    this.git(this.project, "push", "-q", "origin", "HEAD:main");
  }

  /** One step as the runner runs it: only what action.yml hands to it is there. */
  async step(name: string, more: Record<string, string> = {}) {
    const script = `$GITHUB_ACTION_PATH/scripts/action/${name}.mjs`;
    const step = action.runs.steps.find(({ run }) => run === `node "${script}"`)!;
    this.shell.write("event.json", this.event);
    for (const file of ["output", "summary"]) this.shell.write(file, "");
    const given = Object.entries(step.env ?? {}).map(([variable, expression]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1];
      const text = input === undefined ? (more[variable] ?? "") : (this.inputs[input] ?? action.inputs[input]!.default);
      return [variable, text];
    });
    const env = {
      PATH: process.env.PATH,
      HOME: this.shell.home,
      RUNNER_TEMP: this.shell.at("."),
      GITHUB_ACTION_PATH: root,
      GITHUB_EVENT_PATH: this.shell.at("event.json"),
      GITHUB_OUTPUT: this.shell.at("output"),
      GITHUB_STEP_SUMMARY: this.shell.at("summary"),
      GITHUB_REPOSITORY: "ann/shop",
      GITHUB_REF_NAME: "main",
      GITHUB_API_URL: await this.forge.address(),
      ...Object.fromEntries(given),
    };
    // Not `spawnSync`: the stand-in for the API answers in this process.
    const child = spawn("bash", ["-c", step.run], { cwd: this.project, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (said += part));
    const code = await new Promise((done) => child.on("close", done));
    const lines = this.shell.read("output").trim().split("\n").filter(Boolean);
    return { code, said, out: Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))) };
  }
}

describe("action.yml", () => {
  it("has steps that are scripts, and no input becomes part of a command", () => {
    const names = action.runs.steps.map(({ run, shell }) => {
      expect([shell, run]).toEqual([
        "bash",
        expect.stringMatching(/^node "\$GITHUB_ACTION_PATH\/scripts\/action\/\w+\.mjs"$/),
      ]);
      return /(\w+)\.mjs/.exec(run)![1];
    });
    expect(names).toEqual(["install", "plan", "upgrade", "comment"]);
  });

  it("builds what is not built, and nothing twice", async () => {
    const flow = new Workflow();
    expect(await flow.step("install")).toMatchObject({ code: 0, said: expect.stringContaining("stet is ready") });
    fs.cpSync(path.join(root, "scripts/action"), flow.shell.at("copy/scripts/action"), { recursive: true });
    flow.shell.write("bin/npm", '#!/bin/sh\necho "$PWD: npm $*" >> ../npm.log\nmkdir -p dist && touch dist/cli.js\n');
    fs.chmodSync(flow.shell.at("bin/npm"), 0o755);
    const env = { PATH: `${flow.shell.at("bin")}:${process.env.PATH}`, GITHUB_ACTION_PATH: flow.shell.at("copy") };
    for (const _ of [1, 2])
      expect(spawnSync("node", [flow.shell.at("copy/scripts/action/install.mjs")], { env }).status).toBe(0);
    expect(flow.shell.read("npm.log")).toBe(`${flow.shell.at("copy")}: npm ci --no-audit --no-fund\n`);
  });
});

describe("a plan in a pull request", () => {
  it("is one comment, kept current", async () => {
    const flow = new Workflow();
    flow.forge.comments = Array.from({ length: 120 }, (_, id) => ({
      id,
      body: "<!-- stet: plan pack -->",
      user: { login: "eve" },
    }));
    const planned = await flow.step("plan");
    expect(planned).toMatchObject({ code: 0, out: { changed: "true" } });
    expect(flow.shell.read("summary")).toContain("### chime 1.0.0");
    expect(fs.existsSync(path.join(flow.project, ".claude"))).toBe(false);
    expect((await flow.step("comment")).code).toBe(0);
    expect(flow.forge.comments).toHaveLength(121);
    expect(flow.forge.comments.at(-1)!.body).toMatch(
      /^<!-- stet: plan pack -->\n### chime 1\.0\.0\n\n\*\*Plan: 2 added\.\*\*/,
    );
    expect(flow.forge.comments.at(-1)!.body).toContain("<code>.claude/settings.json</code> (new file)");
    await flow.step("comment");
    expect(flow.forge.asked.filter((each) => !each.startsWith("GET"))).toHaveLength(1);
    flow.release("1.1.0", { volume: 5 });
    await flow.step("plan");
    await flow.step("comment");
    expect(flow.forge.comments).toHaveLength(121);
    expect(flow.forge.comments.at(-1)!.body).toContain("### chime 1.1.0");
    expect(flow.forge.comments.slice(0, 120).every(({ body }) => body === "<!-- stet: plan pack -->")).toBe(true);
  });

  it("takes away copies of its own, and says where it may not write", async () => {
    const flow = new Workflow();
    await flow.step("plan");
    const own = { body: "<!-- stet: plan pack -->\nold", user: { login: bot } };
    flow.forge.comments = [
      { id: 1, ...own },
      { id: 2, ...own },
    ];
    await flow.step("comment");
    expect(flow.forge.comments).toMatchObject([{ id: 1, body: expect.stringContaining("chime 1.0.0") }]);
    flow.forge.comments = [];
    flow.forge.readOnly = true;
    expect(await flow.step("comment")).toMatchObject({
      code: 0,
      said: expect.stringContaining("::warning title=stet::no comment"),
    });
    flow.event = {};
    expect(await flow.step("comment")).toMatchObject({ code: 0, said: expect.stringContaining("no pull request") });
  });

  it("that can't be made is an error, and the comment says why", async () => {
    const flow = new Workflow();
    flow.shell.write("shop/pack/stet.yaml", "name: chime\nversion: 1.0.0\nfils: []\n");
    expect(await flow.step("plan")).toMatchObject({
      code: 1,
      said: expect.stringMatching(/::error title=stet::.*stet\.yaml:/),
    });
    await flow.step("comment");
    expect(flow.forge.comments[0]!.body).toMatch(/### stet could not plan this\n\n {4}stet: .*fils/);
  });

  it("of hosts compares with the base of the pull request", async () => {
    const flow = new Workflow();
    const unit = (tag: string) =>
      flow.shell.write(
        "shop/services/web/quadlet/web.container",
        `[Container]\nImage=docker.io/library/nginx:${tag}\n`,
      );
    unit("1");
    flow.shell.write("shop/hosts/box/host.yaml", "host: box\nservices: [web]\n");
    flow.commit("hosts");
    flow.event = { pull_request: { number: 7, base: { sha: flow.git(flow.project, "rev-parse", "HEAD") } } };
    flow.inputs = { mode: "host-diff", token: "secret" };
    expect((await flow.step("plan")).out.changed).toBe("false");
    unit("2");
    expect(await flow.step("plan")).toMatchObject({ code: 0, out: { changed: "true" } });
    expect(flow.shell.read("stet-report.md")).toMatch(/1 of 1 host changes[\s\S]*\+Image=docker\.io\/library\/nginx:2/);
  });
});

describe("an upgrade", () => {
  const branches = (flow: Workflow) => flow.git(flow.shell.at("remote.git"), "branch", "--format=%(refname:short)");

  it("is a branch with one commit of just what stet wrote, and one pull request with one comment", async () => {
    const flow = new Workflow();
    flow.inputs.mode = "upgrade";
    flow.event = {};
    flow.shell.write("shop/unrelated.txt", "not to be committed");
    await flow.step("plan");
    const upgraded = await flow.step("upgrade");
    expect(upgraded).toMatchObject({ code: 0, out: { branch: "stet/chime", "pull-request": "7" } });
    const bare = flow.shell.at("remote.git");
    expect(flow.git(bare, "rev-list", "--count", "main..stet/chime")).toBe("1");
    expect(flow.git(bare, "log", "-1", "--format=%s %an", "stet/chime")).toBe(`Upgrade chime to 1.0.0 ${bot}`);
    expect(flow.git(bare, "diff", "--name-only", "main", "stet/chime")).toBe(".claude/settings.json\n.stet/chime.json");
    expect(flow.forge.pulls).toMatchObject([{ head: "stet/chime", base: "main", title: "Upgrade chime to 1.0.0" }]);
    await flow.step("comment", { STET_PULL_REQUEST: upgraded.out["pull-request"]! });
    expect(flow.forge.comments[0]!.body).toContain("### chime 1.0.0");
  });

  it("that is there already is left alone; a newer one takes its place", async () => {
    const flow = new Workflow();
    flow.inputs.mode = "upgrade";
    const bare = flow.shell.at("remote.git");
    const again = async () => {
      flow.git(flow.project, "switch", "-q", "main");
      await flow.step("plan");
      expect((await flow.step("upgrade")).code).toBe(0);
      return flow.git(bare, "rev-parse", "stet/chime");
    };
    flow.git(flow.project, "branch", "-M", "main");
    const first = await again();
    expect(await again()).toBe(first);
    flow.git(flow.project, "switch", "-q", "main");
    flow.release("1.1.0", { volume: 5, sound: "bell" });
    flow.commit("next");
    expect(await again()).not.toBe(first);
    expect(flow.git(bare, "rev-list", "--count", "main..stet/chime")).toBe("1");
    expect(flow.forge.pulls).toHaveLength(1);
  });

  it("with nothing to do makes no branch; a pack of the user's home is refused and written nowhere", async () => {
    const flow = new Workflow();
    flow.inputs.mode = "upgrade";
    await flow.shell.ok("apply", "shop/pack", "--project", "shop");
    flow.commit("installed");
    await flow.step("plan");
    expect((await flow.step("upgrade")).out).toEqual({ branch: "" });
    expect(branches(flow)).toBe("main");
    const pack = flow.shell.pack("1.0.0", { "~/app.json": { a: 1 } });
    flow.inputs.pack = flow.shell.at(pack);
    expect(await flow.step("upgrade")).toMatchObject({ code: 1, said: expect.stringContaining("scope: project") });
    expect(flow.shell.exists("app.json")).toBe(false);
  });
});
