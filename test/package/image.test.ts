import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { copyForRunning } from "./production-modules.ts";

const lines = fs
  .readFileSync("deploy/Dockerfile", "utf8")
  .split("\n")
  .filter((line) => /^[A-Z]/.test(line));
const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));

it("the image is made of the lockfile: npm only ever installs what it says, and runs nobody's scripts", () => {
  const commands = lines.filter((line) => line.startsWith("RUN ")).flatMap((line) => line.slice(4).split("&&"));
  const npm = commands.map((command) => command.trim()).filter((command) => command.startsWith("npm "));
  expect(npm).toEqual([
    "npm ci --ignore-scripts",
    "npm run build",
    "npm ci --omit=dev --omit=optional --ignore-scripts",
  ]);
  expect(last.join("\n")).not.toMatch(/\b(?:npm|npx|apt|curl)\b/);
  expect(last).toContain("USER 65532:65532");
});

it("what the last stage copies is enough to run", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "stet-image-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  for (const line of last.filter((each) => each.startsWith("COPY "))) {
    const [, , ...words] = line.split(" ");
    const target = path.join(folder, words.at(-1)!);
    for (const source of words.slice(0, -1)) {
      const from = path.relative("/src", source);
      const to = words.at(-1)!.endsWith("/") ? path.join(target, path.basename(source)) : target;
      if (from === "node_modules") copyForRunning(to);
      else fs.cpSync(from, to, { recursive: true });
    }
  }
  const link = /ln -s (\S+) /.exec(last.join("\n"))![1]!;
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [path.join(folder, link), ...args], { encoding: "utf8" });
  expect(run("--version").trim()).toBe(JSON.parse(fs.readFileSync("package.json", "utf8")).version);
  expect(run("toolset", "manifests")).toContain("kind: Deployment");
});
