import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { commands } from "../../src/cli/main.ts";
import { Shell } from "./shell.ts";

const lists: Readonly<Record<string, string>> = {
  owners: "other\nzylos\n",
  keys: "hook:Stop:*:node ~/x.js\nsetting:env.A\nsetting:volume\n",
};

/** What bash would offer for these words, the last one being completed. Bash takes a colon for the end of a word. */
function bashOffers(script: string, ...words: string[]): string[] {
  const broken = words.flatMap((word) => word.split(/(?<=:)|(?=:)/));
  const assign = `COMP_WORDS=(${broken.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${broken.length - 1}; COMP_LINE='${words.join(" ")}'; COMP_POINT=\${#COMP_LINE}`;
  const name = /^complete .* -F (\S+)/m.exec(script)![1]!;
  const answers = Object.entries(lists).map(
    ([list, text]) => `[[ "$*" == "completion ${list}" ]] && printf '%s' '${text}'`,
  );
  const program = `stet() { ${answers.join("; ")}; }\n${script}\n${assign}\n${name}\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
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
  expect(bashOffers(script, "stet", "completion", "")).toEqual(["bash", "zsh", "fish", "powershell"]);
});

it("bash: options only behind a dash, and commands of a command only right behind it", async () => {
  const script = await new Shell().ok("completion", "bash");
  const { commands: below } = (await commands.host!.load()).command;
  expect(bashOffers(script, "stet", "host", "")).toEqual(Object.keys(below!));
  expect(bashOffers(script, "stet", "host", "plan", "")).toEqual([]);
  expect(bashOffers(script, "stet", "host", "plan", "--ho")).toEqual(["--host", "--host-changed", "--home"]);
  // Nothing of its own: bash offers files.
  expect(bashOffers(script, "stet", "plan", "")).toEqual([]);
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
    "stet: name a shell: stet completion bash | zsh | fish | powershell\n",
  );
});

it("bash: keys, whatever is in them, quoted for the shell; what was typed up to the last colon is left out", async () => {
  const script = await new Shell().ok("completion", "bash");
  expect(bashOffers(script, "stet", "explain", "set")).toEqual(["setting:env.A", "setting:volume"]);
  expect(bashOffers(script, "stet", "explain", "setting:v")).toEqual(["volume"]);
  expect(bashOffers(script, "stet", "disown", "hook:Stop:")).toEqual(["\\*:node\\ ~/x.js"]);
  expect(bashOffers(script, "stet", "resolve", "hook")).toEqual(["hook:Stop:\\*:node\\ ~/x.js"]);
  expect(bashOffers(script, "stet", "explain", "--owner", "z")).toEqual(["zylos"]);
});

it("offers the keys and owners that are on record, but none that holds a secret", async () => {
  const shell = new Shell();
  const template = JSON.stringify({ volume: 3, env: { A: 1 } });
  const files = ["~/app.json, template: app.json", "~/.claude/settings.json, template: hooks.json"];
  const list = files.map((file) => `  - { target: ${file} }\n`).join("");
  shell.write("pack/stet.yaml", `name: chime\nversion: 1.0.0\nfiles:\n${list}`);
  shell.write("pack/app.json", template);
  const hook = (command: string) => ({ hooks: [{ type: "command", command }] });
  const hooks = { Stop: [hook("node ~/x.js"), hook("node ~/y.js --token abcdef123456")] };
  shell.write("pack/hooks.json", JSON.stringify({ hooks }));
  await shell.ok("apply", shell.at("pack"));
  expect(await shell.ok("completion", "owners")).toBe("chime\n");
  expect(await shell.ok("completion", "keys")).toBe("hook:Stop:*:node ~/x.js\nsetting:env.A\nsetting:volume\n");
});
