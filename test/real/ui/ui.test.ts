// needs: chromium

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
// @ts-expect-error a script without types
import { pageAssets } from "../../../scripts/bundle.mjs";
import { Shell } from "../../cli/shell.ts";
import { builtProgram } from "../../program.ts";
import { openBrowser, openPage, picture, Ui, waitingHome } from "./browser.ts";

const program = builtProgram();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
});

const settings = (shell: Shell) => JSON.parse(shell.read(".claude/settings.json"));
const card = (page: Page, key: string) => page.getByRole("article", { name: key });

/** What the accessibility checker finds on the page as it is. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  // biome-ignore lint/suspicious/noExplicitAny: a library in the page
  const { violations } = await page.evaluate(() => (globalThis as any).axe.run());
  return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
}

describe("deciding", () => {
  it("by click: nothing is written before the end, the result is shown, then all at once", async () => {
    const shell = await waitingHome();
    const ui = new Ui(program, shell);
    const page = await openPage(browser, ui);
    await card(page, "setting:volume").getByRole("button", { name: "Take chime's" }).click();
    await picture(page, "needs-you");
    await page.getByRole("button", { name: "Show the result" }).click();
    await page.getByRole("region", { name: "The result" }).getByText('"volume": 5').waitFor();
    expect(settings(shell).volume).toBe(11);
    await picture(page, "result");
    await page.getByRole("button", { name: "Write 1 answer" }).click();
    await page.getByText("To take it back: stet rollback chime").waitFor();
    expect(settings(shell).volume).toBe(5);
  });

  it("by key: j and k move, the answers are letters, z takes back, Enter shows and then writes", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await card(page, "setting:volume").waitFor();
    await page.keyboard.press("t");
    await page.keyboard.press("z");
    await page.getByRole("status").getByText("0 decided, 3 left").waitFor();
    await page.keyboard.press("k");
    await page.keyboard.press("t");
    await page.keyboard.press("o");
    await page.getByRole("status").getByText("2 decided, 1 left").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "The result" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("To take it back").waitFor();
    expect(settings(shell)).toMatchObject({ volume: 5, sound: "gong" });
    await shell.ok("apply", "chime-1.1.0");
    expect(settings(shell).theme).toBeUndefined();
  });

  it("by writing the value", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await card(page, "setting:volume").getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Your value" }).fill("7");
    await page.getByRole("button", { name: "Take this" }).click();
    await page.getByRole("button", { name: "Write 1 answer" }).click();
    await page.getByText("To take it back").waitFor();
    expect(settings(shell).volume).toBe(7);
  });

  it("on a page that is out of date writes nothing, and shows it again", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await card(page, "setting:volume").getByRole("button", { name: "Take chime's" }).click();
    shell.edit(".claude/settings.json", '"volume": 11', '"volume": 12');
    await page.getByRole("button", { name: /^Write/ }).click();
    await page
      .getByRole("alert")
      .getByText(/changed (since|meanwhile)/)
      .waitFor();
    expect(settings(shell).volume).toBe(12);
    await card(page, "setting:volume").getByText("12").waitFor();
  });

  it("in two windows: what one wrote, the other sees", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    const second = await page.context().newPage();
    await second.goto(page.url());
    await card(second, "setting:volume").waitFor();
    await card(page, "setting:volume").getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: "Write 1 answer" }).click();
    await page.getByText("To take it back").waitFor();
    shell.edit(".claude/settings.json", '"mine": true', '"mine": false');
    await expect.poll(() => card(second, "setting:volume").getByText("needs you").count()).toBe(0);
  });
});

/** Whether the text of an element stands on one row. */
function isOnOneRow(element: unknown): boolean {
  // biome-ignore lint/suspicious/noExplicitAny: it runs in the page
  const range = (globalThis as any).document.createRange();
  range.selectNodeContents(element);
  const tops: number[] = [...range.getClientRects()].map((each: { top: number }) => each.top);
  return Math.max(...tops) - Math.min(...tops) < 10;
}

/** A repository of hosts and a list of Services, and what shows them. */
function hostAndToolset(shell: Shell): string[] {
  shell.write("repo/services/web/quadlet/web.container", "[Container]\nImage=docker.io/library/nginx:1\n");
  shell.write("repo/hosts/box/host.yaml", "host: box\nservices: [web]\n");
  shell.write(
    "services.yaml",
    "apiVersion: v1\nkind: Service\nmetadata: { name: prometheus, namespace: m, labels: { app: prometheus } }\nspec: { ports: [{ name: web, port: 9090 }] }\n",
  );
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.test", "-C", shell.at("repo"), ...args]);
  git("init", "-q");
  git("add", "-A");
  git("commit", "-qm", "begin");
  return ["--repo", "repo", "--services", "services.yaml"];
}

describe("the other pages", () => {
  it("files: each line with its owner, and its story", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await page.getByRole("link", { name: /Files/ }).click();
    await page.getByRole("button", { name: /settings\.json$/ }).click();
    await page.getByRole("button", { name: /you-over-chime.*"volume"/ }).click();
    const story = page.getByRole("region", { name: "The story of this line" });
    await story.getByText("setting:volume", { exact: true }).waitFor();
    await story.getByText(/you and chime both changed/).waitFor();
    await picture(page, "files");
  });

  it("files: nothing of a long line is cut, and the story shows the fields that differ", async () => {
    const shell = new Shell();
    const command = `node ~/.chime/play.js ${"--with an-option ".repeat(20)}--last`;
    const settings = (timeout: number, sound: string) => ({
      hooks: { Stop: [{ hooks: [{ type: "command", command, timeout }] }] },
      sound,
    });
    const pack = (version: string, timeout: number, sound: string) =>
      shell.pack(version, { "~/.claude/settings.json": settings(timeout, sound) }, { name: "chime" });
    await shell.ok("apply", pack("1.0.0", 5, "gong"));
    shell.edit(".claude/settings.json", '"timeout": 5', '"timeout": 30');
    shell.edit(".claude/settings.json", '"gong"', '"going"');
    await shell.ok("apply", pack("2.0.0", 60, "ding"));
    const page = await openPage(browser, new Ui(program, shell));
    // Of two words that only look alike, no letters are marked.
    await card(page, "setting:sound").waitFor();
    expect(await card(page, "setting:sound").locator("mark").count()).toBe(0);
    await page.getByRole("link", { name: /Files/ }).click();
    const lines = page.getByRole("region", { name: /^Lines of/ });
    await lines.getByText("--last").waitFor();
    expect(await lines.evaluate((box) => box.scrollWidth <= box.clientWidth)).toBe(true);
    await lines.getByRole("button", { name: /you-over-chime.*"timeout"/ }).click();
    const story = page.getByRole("region", { name: "The story of this line" });
    await story.getByText("60", { exact: true }).waitFor();
    expect(await story.innerText()).not.toContain('"command"');
  });

  it("who runs what: every hook with its file and owner, filtered by typing", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await page.getByRole("link", { name: "Who runs" }).click();
    await page.getByRole("cell", { name: /node ~\/\.chime\/play\.js/ }).waitFor();
    await page.getByRole("cell", { name: "chime@1.0.0" }).waitFor();
    const where = page.getByRole("cell", { name: /settings\.json:\d+$/ });
    expect(await where.evaluate(isOnOneRow)).toBe(true);
    await picture(page, "who-runs");
    await page.getByRole("searchbox", { name: "Filter" }).fill("nothing like it");
    await page.getByText("Nothing matches.").waitFor();
  });

  it("history: going back is shown before it is done", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    const before = shell.read(".claude/settings.json");
    await page.getByRole("link", { name: "History" }).click();
    await page.getByRole("button", { name: "Go back to here" }).last().click();
    await page.getByRole("region", { name: "What going back would change" }).waitFor();
    expect(shell.read(".claude/settings.json")).toBe(before);
    await picture(page, "history");
    await page.getByRole("button", { name: "Go back", exact: true }).click();
    await page.getByText("chime is back at generation 1.").waitFor();
    expect((await shell.json("status")).owners[0].version).toBe("1.0.0");
  });

  it("host and toolset, where they are asked for: what runs where, what a revision changes, and live", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell, ...hostAndToolset(shell)));
    await page.getByRole("link", { name: "Host" }).click();
    await page.getByRole("row", { name: /box.*runs/ }).waitFor();
    await page.getByRole("button", { name: "box" }).click();
    await page.getByRole("button", { name: /web\.container/ }).click();
    const unit = page.getByRole("region", { name: "The effective web.container" });
    await unit.getByText(/nginx:1.*# services\/web\/quadlet\/web\.container:2/).waitFor();
    // What a revision changes where, and all of it at once when the repository changes.
    await page.getByRole("button", { name: "Show the changes" }).click();
    await page.getByText("Nothing changes on any host.").waitFor();
    shell.edit("repo/services/web/quadlet/web.container", "nginx:1", "nginx:2");
    const change = page.getByRole("region", { name: "On box" });
    await change.getByText("+Image=docker.io/library/nginx:2").waitFor();
    await change.getByText("restart").waitFor();
    await unit.getByText(/nginx:2/).waitFor();
    shell.write("repo/hosts/lab/host.yaml", "host: lab\nservices: [web]\n");
    await page.getByRole("row", { name: /lab.*runs/ }).waitFor();
    await picture(page, "host");
    await page.getByRole("searchbox", { name: "Compared with the revision" }).fill("no-such-branch");
    await page.getByRole("button", { name: "Show the changes" }).click();
    await page
      .getByRole("alert")
      .getByText(/no-such-branch/)
      .waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Toolset" }).click();
    await page.getByRole("row", { name: /prometheus_query.*endpoint: http:\/\/prometheus\.m/ }).waitFor();
    await picture(page, "toolset");
  });

  it("shows a file that is edited elsewhere at once", async () => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell));
    await page.getByRole("link", { name: /Files/ }).click();
    await page.getByRole("button", { name: /settings\.json$/ }).click();
    await page.getByText('"gong"').waitFor();
    shell.edit(".claude/settings.json", "gong", "harp");
    await page.getByText('"harp"').waitFor();
  });

  it("says in one sentence when nothing waits", async () => {
    const shell = new Shell();
    const page = await openPage(browser, new Ui(program, shell));
    await page.getByText("Nothing is installed yet.").waitFor();
    await shell.ok("apply", shell.pack("1.0.0", { "~/a.json": { a: 1 } }));
    const current = await openPage(browser, new Ui(program, shell));
    await current.getByRole("heading", { name: "All current." }).waitFor();
    expect(await current.getByRole("main").innerText()).toMatch(
      /1 owner, 1 file\. Last change .* ago by zylos 1\.0\.0\.$/,
    );
  });
});

describe("who may look", () => {
  it("the address works once; afterwards only the browser that opened it", async () => {
    const ui = new Ui(program, await waitingHome());
    const page = await openPage(browser, ui);
    expect(page.url()).not.toContain("token");
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, sameSite: "Strict" }]);
    const other = await browser.newContext();
    onTestFinished(() => other.close());
    const again = await (await other.newPage()).goto(await ui.address);
    expect(again!.status()).toBe(403);
    await page.reload();
    await card(page, "setting:volume").waitFor();
  });

  it("no page of another origin, no other name of this machine, nothing without an origin writes", async () => {
    const shell = await waitingHome();
    const ui = new Ui(program, shell);
    const page = await openPage(browser, ui);
    const origin = await ui.origin();
    const { name, value } = (await page.context().cookies())[0]!;
    const cookie = `${name}=${value}`;
    const post = { method: "POST", headers: { cookie, "content-type": "application/json" }, body: '{"answers":[]}' };
    expect((await fetch(`${origin}/api/write`, { ...post, headers: { ...post.headers, origin } })).status).toBe(200);
    expect((await fetch(`${origin}/api/write`, post)).status).toBe(403);
    expect(
      (await fetch(`${origin}/api/write`, { ...post, headers: { ...post.headers, origin: "http://evil.test" } }))
        .status,
    ).toBe(403);
    const rebound = await new Promise<number>((resolve) => {
      const request = createRequire(import.meta.url)("node:http").get(`${origin}/api/waiting`, {
        headers: { cookie, host: "evil.test" },
      });
      request.on("response", (response: { statusCode: number }) => resolve(response.statusCode));
    });
    expect(rebound).toBe(403);
    const hostile = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(
        `<script>fetch("${origin}/api/waiting",{credentials:"include",mode:"no-cors"}).then(()=>document.title="asked",()=>document.title="asked")</script><iframe src="${origin}/"></iframe>`,
      );
    });
    await new Promise<void>((resolve) => hostile.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void hostile.close());
    const evil = await page.context().newPage();
    const answers: number[] = [];
    evil.on("response", (response) => void (response.url().startsWith(origin) && answers.push(response.status())));
    await evil.goto(`http://localhost:${(hostile.address() as AddressInfo).port}/`);
    await evil.waitForFunction('document.title === "asked"');
    expect(answers.every((status) => status === 403)).toBe(true);
  });

  it("loads nothing from elsewhere, runs nothing inline, and ends with the terminal", async () => {
    const ui = new Ui(program, await waitingHome());
    const page = await openPage(browser, ui);
    const origin = await ui.origin();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    await card(page, "setting:volume").waitFor();
    expect(asked.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))).toEqual([]);
    const policy = (await (await page.request.get(origin)).headers())["content-security-policy"];
    expect(policy).toMatch(/default-src 'none'; script-src 'self'; style-src 'self'/);
    ui.stop();
    expect(await ui.ended).toBe(0);
  });
});

describe("for everybody", () => {
  it.each([
    ["light", 1200],
    ["dark", 1200],
    ["light", 390],
    ["dark", 390],
  ] as const)("axe finds nothing: %s, %d wide", async (colorScheme, width) => {
    const shell = await waitingHome();
    const page = await openPage(browser, new Ui(program, shell, ...hostAndToolset(shell)), {
      colorScheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    });
    const look = async (name: string) => {
      expect(await barriers(page), name).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name).toBe(true);
      await picture(page, `${name.toLowerCase().replaceAll(" ", "-")}-${colorScheme}-${width}`);
    };
    await card(page, "setting:volume").waitFor();
    for (const name of ["Needs you", "Files", "Who runs", "History", "Host", "Toolset"]) {
      await page.getByRole("link", { name: new RegExp(name) }).click();
      await page.getByRole("heading", { level: 1 }).waitFor();
      if (name === "Files") await page.getByRole("button", { name: /settings\.json$/ }).click();
      if (name === "Files") await page.getByRole("button", { name: /you-over-chime.*"volume"/ }).click();
      if (name === "History") await page.getByRole("button", { name: "Go back to here" }).last().click();
      if (name === "History") await page.getByRole("button", { name: "Stay" }).waitFor();
      if (name === "Host") await page.getByRole("button", { name: "box" }).click();
      if (name === "Host") await page.getByRole("button", { name: /web\.container/ }).click();
      if (name === "Host") await page.getByText(/nginx:1/).waitFor();
      if (name === "Toolset") await page.getByRole("row", { name: /prometheus_query/ }).waitFor();
      await look(name);
    }
    await page.getByRole("link", { name: /Needs you/ }).click();
    await card(page, "setting:volume").waitFor();
    for (const entry of await page.getByRole("article").all())
      await entry
        .getByRole("button", { name: "Make it mine for good" })
        .or(entry.getByRole("button", { name: "Keep it out" }))
        .click();
    await page.getByRole("button", { name: "Show the result" }).click();
    await page.getByRole("region", { name: "The result" }).waitFor();
    await look("Result");
    // Nothing is behind the bar, whose buttons stand side by side.
    await page.mouse.wheel(0, 100_000);
    const bar = async (name: RegExp) => (await page.getByRole("button", { name }).boundingBox())!;
    const [back, show, write] = [await bar(/Take back/), await bar(/Show the result/), await bar(/^Write/)];
    const last = page.getByRole("article").last();
    await expect
      .poll(async () => {
        const box = (await last.boundingBox())!;
        return box.y + box.height < back.y;
      })
      .toBe(true);
    expect(show.y).toBe(write.y);
    expect(back.x + back.width).toBeCloseTo(width < 640 ? write.x + write.width : show.x - 8, 0);
    await page.getByRole("button", { name: /^Write/ }).click();
    await page.getByRole("heading", { name: "All current." }).waitFor();
    await look("All current");
  });

  it("of many files, the one that is chosen and what going back would change are in view", async () => {
    const shell = new Shell();
    const files = (text: string) =>
      Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`~/many/${i}.txt`, `${text} ${i}\n`]));
    await shell.ok("apply", shell.pack("1.0.0", files("first")), "-q");
    await shell.ok("apply", shell.pack("2.0.0", files("second")), "-q");
    const page = await openPage(browser, new Ui(program, shell));
    const inView = async (name: RegExp) => (await page.getByRole("region", { name }).boundingBox())!.y < 800;
    await page.getByRole("link", { name: /Files/ }).click();
    await page.getByRole("searchbox", { name: "Filter" }).fill("77");
    await page.getByRole("button", { name: "~/many/77.txt" }).click();
    await page.getByText("second 77").waitFor();
    expect(await inView(/^Lines of/)).toBe(true);
    await page.getByRole("link", { name: "History" }).click();
    await page
      .getByText(/and 75 more files/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Go back to here" }).click();
    await page.getByRole("region", { name: "What going back would change" }).waitFor();
    expect(await inView(/What going back/)).toBe(true);
    expect(await page.getByRole("listitem").count()).toBe(2);
  });

  it("ten thousand entries are there at once, and scroll", async () => {
    const shell = new Shell();
    const many = (value: string) => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, value]));
    await shell.ok("apply", shell.pack("1.0.0", { "~/big.json": many("a") }), "-q");
    shell.write("big.json", shell.read("big.json").replaceAll('"a"', '"mine"'));
    await shell.ok("apply", shell.pack("2.0.0", { "~/big.json": many("b") }), "-q");
    const ui = new Ui(program, shell);
    await ui.address;
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    context.setDefaultTimeout(240_000);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const meter = await context.newCDPSession(page);
    await meter.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(await ui.address);
    await page.getByRole("article").first().waitFor();
    // Of the processor: what the program took since it started, and what the page took.
    const { metrics } = await meter.send("Performance.getMetrics");
    const drawing = metrics.find(({ name }) => name === "TaskDuration")!.value;
    if (process.env.STET_PICTURES !== undefined)
      console.log(`first view of 10,000: program ${ui.processorSeconds()} s since its start, page ${drawing} s`);
    expect(drawing).toBeLessThan(0.5);
    // A clock would measure the machine: what the first view waits for is little, however much there is.
    const sizes = await page.evaluate(
      'performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/")).map((each) => each.transferSize)',
    );
    expect((sizes as number[]).reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
    await page.getByRole("status").getByText("0 decided, 10000 left").waitFor();
    const drawn = await page.getByRole("article").count();
    expect(drawn).toBeLessThan(200);
    while ((await page.getByRole("article").count()) <= 400) {
      await page.mouse.wheel(0, 100_000);
      await page.waitForTimeout(50);
    }
  });

  it("is small", async () => {
    const assets = JSON.parse((await pageAssets()).assets);
    expect(gzipSync(assets.html + assets.script + assets.style).length).toBeLessThan(80 * 1024);
  });
});
