import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Place } from "./place.ts";
import { isLong, longestMs, openTheatre, type Theatre } from "./theatre.ts";

/**
 * Programs that save without a lock, while one stet watches and others apply one version after the other. Each program
 * looks whether its last save is still there: stet changes only its own entries, so nothing but a loss can take one
 * away.
 */
let theatre: Theatre;
beforeAll(() => {
  theatre = openTheatre();
});
afterAll(() => theatre.close());

const seconds = isLong ? 600 : 30;
const programs = [
  { pattern: "in-place", format: "json", file: "home/app/in-place.json" },
  { pattern: "slow", format: "yaml", file: "home/app/slow.yaml" },
  { pattern: "shell", format: "env", file: "home/app/shell.env" },
  { pattern: "producer", format: "env", file: "home/app/producer.env" },
  { pattern: "vim", format: "yaml", file: "home/app/vim.yaml" },
  { pattern: "vim-copy", format: "env", file: "home/app/vim-copy.env" },
  { pattern: "code", format: "json", file: "home/app/code.json" },
] as const;

function started(...args: readonly string[]): ChildProcess & { readonly stdout: NonNullable<ChildProcess["stdout"]> } {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  return child as ReturnType<typeof started>;
}

test(
  "programs save in place, as vim does and as VS Code does, while stet watches and applies: no save is lost",
  async () => {
    const place = new Place(theatre.folder());
    place.clear();
    for (const { file } of programs) place.write(file, "");
    const over = new AbortController();
    const stet = Promise.all([watch(place, over.signal), upgrade(place, over.signal)]);
    const results = await Promise.all(
      programs.map(async ({ pattern, format, file }) => {
        const child = started(
          path.resolve("test/faults/save-process.mjs"),
          pattern,
          place.at(file),
          String(seconds),
          format,
          place.state,
        );
        const { saves, lost } = JSON.parse(await text(child.stdout));
        return { pattern, saves, lost: lost as string[] };
      }),
    );
    over.abort();
    const [, applied] = await stet;
    if (isLong)
      console.log(
        `${results.map(({ pattern, saves }) => `${saves} saves ${pattern}`).join(", ")}; ${applied} versions applied`,
      );
    // However busy the machine is, everybody had many turns.
    expect(Math.min(applied, ...results.map(({ saves }) => saves))).toBeGreaterThan(seconds / 15);
    expect(results.flatMap(({ lost }) => lost)).toEqual([]);
    expect(place.leftovers()).toEqual([]);
  },
  longestMs,
);

/** `stet watch` as it ships, over a pack that wants an entry in each of the files. */
async function watch(place: Place, signal: AbortSignal): Promise<void> {
  const files = programs.map(
    ({ file }) => `  - { target: "~/${path.relative("home", file)}", template: ${path.basename(file)} }\n`,
  );
  place.write("pack/stet.yaml", `name: watcher\nversion: "1"\nfiles:\n${files.join("")}`);
  for (const { file, format } of programs) place.write(`pack/${path.basename(file)}`, template(format, "watched", 1));
  const common = ["--home", place.home, "--state-dir", place.state, "--debounce", "20ms"];
  const child = started(theatre.program, "watch", place.at("pack"), "--interval", "1s", ...common);
  child.stdout.resume();
  const ended = once(child, "exit");
  await new Promise((done) => signal.addEventListener("abort", done));
  child.kill("SIGTERM");
  await ended;
}

/** Another owner that upgrades itself as quickly as it can. Returns how many versions were applied. */
async function upgrade(place: Place, signal: AbortSignal): Promise<number> {
  const child = started(
    path.resolve("test/faults/upgrade-process.mjs"),
    path.resolve(theatre.program, "../.."),
    place.home,
    place.state,
  );
  const output = text(child.stdout);
  await new Promise((done) => signal.addEventListener("abort", done));
  child.kill("SIGTERM");
  return Number(await output);
}

function template(format: (typeof programs)[number]["format"], name: string, level: number): string {
  if (format === "env") return `${name.toUpperCase()}=${level}\n`;
  return format === "yaml" ? `${name}: ${level}\n` : JSON.stringify({ [name]: level });
}
