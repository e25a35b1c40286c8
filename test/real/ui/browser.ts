import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { Shell } from "../../cli/shell.ts";

/** Debian's browser, kept from looking for anything outside this machine. */
export async function openBrowser(): Promise<Browser> {
  const flags = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ];
  return chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [...flags, "--disable-component-update", "--disable-sync"],
  });
}

/** `stet ui` as it ships, and the address it printed. */
export class Ui {
  readonly #program: ChildProcess;

  readonly address: Promise<string>;
  readonly ended: Promise<number | null>;

  constructor(program: string, shell: Shell, ...args: string[]) {
    this.#program = spawn(process.execPath, [program, "ui", ...args], {
      cwd: shell.at("."),
      env: { ...shell.env, PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.address = new Promise((resolve, reject) => {
      let said = "";
      this.#program.stdout!.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("\n")) resolve(said.trim());
      });
      this.#program.on("close", () => reject(new Error(`ended before it said where: ${said}`)));
    });
    this.ended = new Promise((resolve) => this.#program.on("close", resolve));
    onTestFinished(() => void this.#program.kill());
  }

  /** What it took of the processor so far. */
  processorSeconds(): number {
    const fields = fs.readFileSync(`/proc/${this.#program.pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async origin(): Promise<string> {
    return new URL(await this.address).origin;
  }

  stop(): void {
    this.#program.kill("SIGINT");
  }
}

export async function openPage(
  browser: Browser,
  ui: Ui,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  // No test waits for this; it only ends one that hangs.
  context.setDefaultTimeout(240_000);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(await ui.address);
  return page;
}

/** A home in which a conflict, an edit and a deleted entry wait. */
export async function waitingHome(): Promise<Shell> {
  const shell = new Shell();
  const hook = { hooks: { Stop: [{ hooks: [{ type: "command", command: "node ~/.chime/play.js" }] }] } };
  const settings = (volume: number) => ({ ...hook, volume, sound: "bell", theme: "dark" });
  const pack = (version: string, volume: number) =>
    shell.pack(version, { "~/.claude/settings.json": settings(volume) }, { name: "chime" });
  await shell.ok("apply", pack("1.0.0", 3));
  shell.edit(".claude/settings.json", '"volume": 3', '"volume": 11');
  shell.edit(".claude/settings.json", '"sound": "bell"', '"sound": "gong"');
  await shell.ok("apply", pack("1.1.0", 5));
  shell.edit(".claude/settings.json", '"theme": "dark"', '"mine": true');
  return shell;
}

/** Where pictures go that somebody asked for. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.STET_PICTURES;
  if (folder === undefined) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
