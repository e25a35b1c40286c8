// needs: zsh fish
import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { Shell } from "../../cli/shell.ts";

it("zsh reads its script, and completes with it", async () => {
  const script = await new Shell().ok("completion", "zsh");
  expect(spawnSync("zsh", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  // The completion system needs a terminal, so what it calls is listened to instead.
  const listen = `compdef() { :; }; compadd() { shift; print -l -- "$@"; }; _describe() { print -l -- $commands; }; _files() { :; }\n${script}\n`;
  const offers = (words: string, current: number) =>
    execFileSync("zsh", ["-c", `${listen}words=(${words}); CURRENT=${current}; PREFIX=-; _stet`], { encoding: "utf8" });
  expect(offers("stet ''", 2)).toContain("explain:template, recorded");
  expect(offers("stet plan -", 3).split("\n")).toContain("--exit-code");
});

it("fish reads its script, and completes with it", async () => {
  const shell = new Shell();
  shell.write("stet.fish", await shell.ok("completion", "fish"));
  expect(spawnSync("fish", ["-n", shell.at("stet.fish")], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
  const offers = (line: string) =>
    execFileSync("fish", ["--no-config", "-c", `source ${shell.at("stet.fish")}; complete -C '${line}'`], {
      encoding: "utf8",
      env: { ...process.env, HOME: shell.home },
    });
  expect(offers("stet exp")).toMatch(/^explain\t/);
  expect(offers("stet plan --ex")).toMatch(/^--exit-code/);
  expect(offers("stet toolset man")).toMatch(/^manifests/);
});
