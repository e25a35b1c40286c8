import { type ChildProcess, spawn } from "node:child_process";
import { onTestFinished } from "vitest";

/** A program on a real pseudo-terminal, and what it has drawn there so far. */
export class PseudoTerminal {
  readonly #script: ChildProcess;
  readonly #ended: Promise<number | null>;
  #drawn = "";
  #onDrawn = () => {};

  constructor(command: readonly string[], env: NodeJS.ProcessEnv, { columns = 80, rows = 40 } = {}) {
    const line = ["stty", "columns", `${columns}`, "rows", `${rows}`, "&&", "exec", ...command.map(quoted)].join(" ");
    this.#script = spawn("script", ["-q", "-e", "-f", "-c", line, "/dev/null"], {
      env: { PATH: process.env.PATH, TERM: "xterm", SHELL: "/bin/sh", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#script.stdout!.setEncoding("utf8").on("data", (text: string) => {
      this.#drawn += text;
      this.#onDrawn();
    });
    // A program that waits for ever goes with its terminal.
    onTestFinished(() => void this.#script.kill());
    this.#ended = new Promise((resolve) => this.#script.on("close", resolve));
  }

  /** Everything the program wrote, escape sequences included; line ends as the terminal makes them. */
  get drawn(): string {
    return this.#drawn;
  }

  /** As a person presses keys. */
  type(keys: string): void {
    this.#script.stdin!.write(keys);
  }

  /** Until it has drawn this since `from`; a program that ends without is an error. */
  async until(pattern: RegExp, from = 0): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      this.#onDrawn = () => {
        if (pattern.test(this.#drawn.slice(from))) resolve();
      };
      this.#onDrawn();
    });
    const over = this.#ended.then((code) => {
      if (!pattern.test(this.#drawn.slice(from)))
        throw new Error(`ended with ${code} and never drew ${pattern}: ${JSON.stringify(this.#drawn)}`);
    });
    await Promise.race([seen, over]);
  }

  /** The exit code, once all is drawn. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  /** What a person still sees: lines that were cleared are gone. */
  screen(): string {
    return this.#drawn
      .split("\r\n")
      .map((line) => line.slice(line.lastIndexOf("\r\u001b[K") + 1).replace(/^\u001b\[K/, ""))
      .join("\n");
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
