import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { builtProgram } from "../program.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";
import { Shell } from "./shell.ts";

const program = builtProgram();

const first = {
  volume: 3,
  sound: "bell",
  theme: "dark",
  hook: { command: "node ~/a/ring.js --timeout 30 --quiet", on: true },
};
const second = { ...first, volume: 5, hook: { ...first.hook, command: "node ~/a/ring.js --timeout 60 --quiet" } };

/** A conflict, an edit and a deleted entry wait. */
async function waiting(): Promise<Shell> {
  const shell = new Shell();
  await shell.ok("apply", shell.pack("1.0.0", { "~/app.json": first }));
  shell.edit("app.json", '"volume": 3', '"volume": 11');
  shell.edit("app.json", '"sound": "bell"', '"sound": "gong"');
  await shell.ok("apply", shell.pack("2.0.0", { "~/app.json": second }));
  shell.edit("app.json", '"theme": "dark",', "");
  return shell;
}

function review(shell: Shell, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}, size = {}): PseudoTerminal {
  const full = { ...shell.env, NO_COLOR: "1", ...env };
  return new PseudoTerminal([process.execPath, program, "review", ...args], full, size);
}

/** Types each key once the question it answers is drawn. */
async function answer(
  terminal: PseudoTerminal,
  ...steps: (readonly [question: RegExp, keys: string])[]
): Promise<void> {
  let from = 0;
  for (const [question, keys] of steps) {
    await terminal.until(question, from);
    from = terminal.drawn.length;
    terminal.type(keys);
  }
}

const value = (shell: Shell, name: string) => JSON.parse(shell.read("app.json"))[name];

describe("stet review, on a terminal", () => {
  it("asks for each, conflicts first, writes nothing before the end, and then all of it at once", async () => {
    const shell = await waiting();
    const before = shell.read("app.json");
    const terminal = review(shell);
    await answer(
      terminal,
      [/1 of 3[\s\S]*setting:volume[\s\S]*yours 11 {3}zylos's 5 {3}before 3[\s\S]*\[q\] Quit/, "t"],
      [/2 of 3[\s\S]*setting:theme[\s\S]*\[o\] Keep it out[\s\S]*\[q\] Quit/, "o"],
      [/3 of 3[\s\S]*setting:sound[\s\S]*\[q\] Quit/, "s"],
    );
    await terminal.until(/2 decided, 1 left[\s\S]*-.*"volume": 11[\s\S]*\+.*"volume": 5[\s\S]*\[enter\] Write it/);
    expect(shell.read("app.json")).toBe(before);
    terminal.type("\r");
    expect(await terminal.ended()).toBe(0);
    expect([value(shell, "volume"), value(shell, "theme"), value(shell, "sound")]).toEqual([5, undefined, "gong"]);
    expect(terminal.drawn).toContain("to take it back: stet rollback zylos");
    expect(await shell.ok("history")).toMatch(/review/);
    await shell.ok("apply", "zylos-2.0.0");
    expect(value(shell, "theme")).toBeUndefined();
  });

  it("says on each card who set it, in which release and when, also at 40 columns", async () => {
    const shell = await waiting();
    const [installed, upgraded] = (await shell.json("history", "zylos")).generations.map(
      ({ time }: { time: string }) => `${time.slice(0, 19).replace("T", " ")}Z`,
    );
    const set = `zylos set it in 1.0.0 (${installed})`;
    const terminal = review(shell, [], {}, { columns: 40 });
    await answer(terminal, [/1 of 3[\s\S]*\[q\] Quit/, "s"], [/2 of 3[\s\S]*\[q\] Quit/, "q"]);
    await terminal.ended();
    const lines = terminal.drawn.split(/\r?\n/);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(lines.map((line) => line.trim()).join(" ")).toContain(
      `needs you: you and zylos both changed it ${set} and wants another value in 2.0.0 (${upgraded})`,
    );
    const { waiting: all } = await shell.json("review");
    expect(all.map(({ when }: { when: string }) => when)).toEqual([
      `${set} and wants another value in 2.0.0 (${upgraded})`,
      set,
      set,
    ]);
    const markdown = await shell.ok("plan", "zylos-2.0.0", "--format", "markdown");
    expect(markdown).toContain(`${set} and wants another value in 2.0.0 (${upgraded})`);
  });

  it("says of what was taken over, or merged in part, what is true of it", async () => {
    const shell = new Shell();
    const text = (...lines: string[]) => `${lines.join("\n\n\n")}\n`;
    const pack = (version: string, ...lines: string[]) => {
      shell.write(`zylos-${version}/notes`, text(...lines));
      const more = '  - { target: "~/notes.md", template: notes, strategy: merge }\n';
      return shell.pack(version, { "~/app.json": { volume: 3 } }, { more });
    };
    shell.write("app.json", '{ "volume": 9 }\n');
    await shell.ok("apply", pack("1.0.0", "one", "two"));
    await shell.ok("adopt", "setting:volume");
    shell.edit("notes.md", "one", "mine");
    await shell.ok("apply", pack("2.0.0", "one!", "two!"));
    const { waiting: all } = await shell.json("review");
    const told = all.map(({ key, when }: { key: string; when: string }) => [key, when.replace(/ \(.*\)/, "")]);
    expect(Object.fromEntries(told)).toEqual({
      "setting:volume": "zylos has managed it since 1.0.0",
      "text:notes.md": "zylos set it in 2.0.0",
    });
  });

  it("takes answers back, and asks before it throws them away", async () => {
    const shell = await waiting();
    const before = shell.read("app.json");
    const terminal = review(shell);
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "t"],
      [/2 of 3[\s\S]*\[q\] Quit/, "u"],
      [/1 of 3[\s\S]*\[q\] Quit/, "m"],
      [/2 of 3[\s\S]*\[q\] Quit/, "q"],
      [/1 answer is not written yet[\s\S]*\[c\] Go on/, "n"],
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.drawn).toContain("Nothing was written.");
    expect(shell.read("app.json")).toBe(before);
  });

  it("writes nothing on Ctrl-C", async () => {
    const shell = await waiting();
    const before = shell.read("app.json");
    const terminal = review(shell);
    await answer(terminal, [/1 of 3[\s\S]*\[q\] Quit/, "t"], [/2 of 3[\s\S]*\[q\] Quit/, "\u0003"]);
    expect(await terminal.ended()).toBe(130);
    expect(shell.read("app.json")).toBe(before);
  });

  it("explains, and lets an editor write the value", async () => {
    const shell = await waiting();
    shell.write("editor.sh", '#!/bin/sh\necho 7 > "$1"\n');
    const terminal = review(shell, ["zylos"], { EDITOR: `sh ${shell.at("editor.sh")}` });
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "w"],
      [/history[\s\S]*1 of 3[\s\S]*\[q\] Quit/, "e"],
      [/as you wrote it[\s\S]*2 of 3[\s\S]*\[q\] Quit/, "q"],
      [/\[y\] Show and write/, "y"],
      [/\[enter\] Write it/, "\r"],
    );
    expect(await terminal.ended()).toBe(0);
    expect(value(shell, "volume")).toBe(7);
  });

  it("takes no answer from an editor in which nothing was changed", async () => {
    const shell = await waiting();
    const terminal = review(shell, ["zylos"], { EDITOR: "true" });
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "e"],
      [/you changed nothing in the editor[\s\S]*1 of 3[\s\S]*\[q\] Quit/, "q"],
    );
    expect(await terminal.ended()).toBe(0);
  });

  it("doesn't say that a release wants another value than it set itself", async () => {
    const shell = new Shell();
    const pack = (version: string, text: string) => shell.pack(version, { "~/ring.sh": text });
    await shell.ok("apply", pack("1.0.0", "one\ntwo\nthree\nfour\nfive\n"));
    shell.edit("ring.sh", "five", "mine");
    await shell.ok("apply", pack("2.0.0", "ONE\ntwo\nthree\nfour\nFIVE\n"));
    const { waiting: all } = await shell.json("review");
    expect(all[0].when).toMatch(/^zylos set it in 2\.0\.0 \([^)]*\)$/);
  });

  it("says what each key does, and keeps quiet about keys that mean nothing", async () => {
    const shell = await waiting();
    const terminal = review(shell);
    await terminal.until(/1 of 3[\s\S]*\[q\] Quit/);
    terminal.type("xyz?");
    await terminal.until(/m +Keep mine: your value stays/);
    await terminal.until(/1 of 3[\s\S]*1 of 3[\s\S]*\[q\] Quit/);
    terminal.type("q");
    expect(await terminal.ended()).toBe(0);
    expect(terminal.drawn.match(/1 of 3/g)).toHaveLength(2);
  });

  it("opens the editor again on what could not be used: nobody has to write it twice", async () => {
    const shell = await waiting();
    shell.write("editor.sh", '#!/bin/sh\nif grep -q broken "$1"; then echo 8 > "$1"; else echo "{broken" > "$1"; fi\n');
    const terminal = review(shell, ["zylos"], { EDITOR: `sh ${shell.at("editor.sh")}` });
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "e"],
      [/not JSON[\s\S]*press e[\s\S]*1 of 3[\s\S]*\[q\] Quit/, "e"],
      [/2 of 3[\s\S]*\[q\] Quit/, "q"],
      [/\[y\] Show and write/, "y"],
      [/\[enter\] Write it/, "\r"],
    );
    expect(await terminal.ended()).toBe(0);
    expect(value(shell, "volume")).toBe(8);
  });

  it("scrolls a long text in its place, and shows the words that differ", async () => {
    const shell = new Shell();
    const lines = (at: string) => Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? `line ${i} ${at}` : `line ${i}`));
    const pack = (version: string, at: string) => shell.pack(version, { "~/app.txt": `${lines(at).join("\n")}\n` });
    await shell.ok("apply", pack("1.0.0", "first"));
    shell.write("app.txt", `${lines("mine").join("\n")}\n`);
    await shell.ok("apply", pack("2.0.0", "second"));
    const terminal = review(shell, [], {}, { columns: 60, rows: 20 });
    await terminal.until(/1 of 1[\s\S]*line 0 mine[\s\S]*more lines: space[\s\S]*\[q\] Quit/);
    terminal.type("j");
    await terminal.until(/\u001b\[\d+A\u001b\[J[\s\S]*more lines: space[\s\S]*\[q\] Quit/);
    terminal.type(" ".repeat(40));
    await terminal.until(/line 58 second[\s\S]*the end: b goes back[\s\S]*\[q\] Quit/);
    terminal.type("q");
    expect(await terminal.ended()).toBe(0);
    const rows = terminal.drawn.split("\u001b[J").map((screen) => screen.split("\r\n").length);
    expect(Math.max(...rows)).toBeLessThanOrEqual(21);
  });

  it("fits 40 columns without colour", async () => {
    const shell = await waiting();
    const terminal = review(shell, [], {}, { columns: 40, rows: 20 });
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "s"],
      [/2 of 3[\s\S]*\[q\] Quit/, "s"],
      [/3 of 3[\s\S]*\[q\] Quit/, "q"],
    );
    expect(await terminal.ended()).toBe(0);
    expect(terminal.drawn.split("\r\n").filter((line) => line.length > 40)).toEqual([]);
    expect(terminal.drawn).not.toContain("\u001b[");
  });

  it("writes nothing where the file changed since it was shown, shows it again and keeps the other answers", async () => {
    const shell = await waiting();
    const terminal = review(shell);
    await answer(
      terminal,
      [/1 of 3[\s\S]*\[q\] Quit/, "t"],
      [/2 of 3[\s\S]*\[q\] Quit/, "o"],
      [/3 of 3[\s\S]*\[q\] Quit/, "s"],
    );
    await terminal.until(/\[enter\] Write it/);
    shell.edit("app.json", '"volume": 11', '"volume": 12');
    const before = shell.read("app.json");
    await answer(
      terminal,
      [/\[enter\] Write it/, "\r"],
      [/changed since[\s\S]*1 of 3[\s\S]*12[\s\S]*\[q\] Quit/, "m"],
      [/2 of 3, answered: Keep it out[\s\S]*\[q\] Quit/, "q"],
      [/2 answers are not written yet/, "y"],
    );
    await terminal.until(/2 decided, 1 left[\s\S]*\[enter\] Write it/);
    expect(shell.read("app.json")).toBe(before);
    terminal.type("\r");
    expect(await terminal.ended()).toBe(0);
    expect([value(shell, "volume"), value(shell, "theme")]).toEqual([12, undefined]);
    const edited = (await shell.json("review")).waiting as { readonly key: string }[];
    expect(edited.map(({ key }) => key).sort()).toEqual(["setting:sound", "setting:volume"]);
  });

  it("draws anew when the window is resized, and goes to the background on Ctrl-Z", async () => {
    const shell = await waiting();
    const command = `tty > "$HOME/tty"; set -m; "${process.execPath}" "${program}" review; echo "stopped: $?"; fg; echo "ended: $?"`;
    const env = { ...shell.env, NO_COLOR: "1", HISTFILE: "" };
    const terminal = new PseudoTerminal(["bash", "-c", command], env);
    await terminal.until(/1 of 3[\s\S]*\[q\] Quit/);
    for (const columns of ["40", "80"]) {
      const drawn = terminal.drawn.length;
      execFileSync("stty", ["-F", shell.read("tty").trim(), "columns", columns, "rows", "30"]);
      await terminal.until(/1 of 3[\s\S]*\[q\] Quit/, drawn);
    }
    const before = terminal.drawn.length;
    terminal.type("\u001a");
    await terminal.until(/stopped: 148[\s\S]*1 of 3[\s\S]*\[q\] Quit/, before);
    terminal.type("q");
    await terminal.until(/ended: 0/);
    expect(await terminal.ended()).toBe(0);
  });
});

describe("without a terminal", () => {
  it("review is refused, with the commands that do the same; so is resolve without a word of what", async () => {
    const shell = await waiting();
    for (const command of ["review", "resolve"]) {
      const { code, out, err } = await shell.run(command);
      expect([code, err]).toEqual([
        1,
        "stet: review needs a terminal, and there is none; use the commands listed here\n",
      ]);
      expect(out).toContain("to keep yours: stet resolve setting:volume --mine");
      expect(out).toContain("to keep it out: stet disown setting:theme");
    }
    expect((await shell.json("review")).waiting).toHaveLength(3);
  });

  it("names only commands that do it: `resolve --edit` is for conflicting lines", async () => {
    const shell = new Shell();
    await shell.ok("apply", shell.pack("1.0.0", { "~/app.json": { volume: 3, hint: "a\nb\n" } }));
    shell.edit("app.json", '"volume": 3', '"volume": 11');
    shell.edit("app.json", "a\\nb", "mine\\nb");
    await shell.ok("apply", shell.pack("2.0.0", { "~/app.json": { volume: 5, hint: "theirs\nb\n" } }));
    const { out } = await shell.run("review");
    const edits = [...out.matchAll(/stet (resolve \S+ --edit)/g)].map(([, command]) => command!);
    expect(edits).toEqual(["resolve setting:hint --edit"]);
    const { waiting: told } = await shell.json("review");
    const answers = told.map(({ key, answers }: { key: string; answers: { name: string }[] }) => [
      key,
      answers.some(({ name }) => name === "edit"),
    ]);
    expect(Object.fromEntries(answers)).toEqual({ "setting:volume": false, "setting:hint": true });
  });

  it("says when nothing waits", async () => {
    expect(await new Shell().ok("review")).toBe("Nothing waits for you.\n");
  });
});
