import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { Shell } from "./shell.ts";

/** What bash would offer for these words, the last one being completed. */
function bashOffers(script: string, ...words: string[]): string[] {
  const assign = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
  const name = /^complete .* -F (\S+)/m.exec(script)![1]!;
  const program = `stet() { [[ "$*" == "completion owners" ]] && printf 'other\\nzylos\\n'; }\n${script}\n${assign}\n${name}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["-c", program], { encoding: "utf8" }).split("\n").filter(Boolean);
}

it("bash: commands, options and owners, as bash itself completes them", async () => {
  const script = await new Shell().ok("completion", "bash");
  expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({ status: 0, stderr: "" });
  expect(bashOffers(script, "stet", "").sort()).toEqual(Object.keys(commands).sort());
  expect(bashOffers(script, "stet", "ex")).toEqual(["explain"]);
  expect(bashOffers(script, "stet", "plan", "--ex")).toEqual(["--exit-code"]);
  expect(bashOffers(script, "stet", "status", "z")).toEqual(["zylos"]);
  expect(bashOffers(script, "stet", "toolset", "man")).toEqual(["manifests"]);
  expect(bashOffers(script, "stet", "apply", "--set", "")).toEqual([]);
});

it("completes a program that is part of another only behind its own words", async () => {
  const shell = new Shell();
  shell.program = "zylos config";
  const script = await shell.ok("completion", "bash");
  expect(script).toContain("complete -o bashdefault -o default -F _zylos_config zylos\n");
  expect(bashOffers(script, "zylos", "config", "un")).toEqual(["uninstall"]);
  expect(bashOffers(script, "zylos", "start", "un")).toEqual([]);
});

it("offers every option that a command takes: one that is not in its help could not be found", async () => {
  const script = await new Shell().ok("completion", "bash");
  for (const option of ["--diff", "--exit-code", "--no-prune", "--unhold", "--out", "--json", "--home"])
    expect(bashOffers(script, "stet", "plan", option)).toEqual([option]);
});

it("says for which shells there is one", async () => {
  expect((await new Shell().run("completion", "tcsh")).err).toBe(
    "stet: say for which shell: stet completion bash | zsh | fish\n",
  );
});
