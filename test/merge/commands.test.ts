import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { Terminal, writePack } from "../cli/terminal.ts";

const stet = path.resolve("bin/stet.cjs");

describe("stet merge", () => {
  const three = (base: string, mine: string, theirs: string, extension = "json") => {
    const terminal = new Terminal();
    for (const [name, text] of Object.entries({ base, mine, theirs })) terminal.write(`${name}.${extension}`, text);
    return terminal;
  };
  const files = ["base.json", "mine.json", "theirs.json"];

  it("prints the result; --output writes it", async () => {
    const terminal = three('{"a":1}\n', '{"a":1,"m":1}\n', '{"a":2}\n');
    expect(await terminal.run("merge", ...files)).toEqual({ code: 0, out: '{"a":2,"m":1}\n', err: "" });
    expect(await terminal.run("merge", ...files, "--output", "mine.json")).toEqual({ code: 0, out: "", err: "" });
    expect(terminal.read("mine.json")).toBe('{"a":2,"m":1}\n');
  });

  it("a conflict is exit 1 with markers; or settled, or a document, as --conflict says", async () => {
    const terminal = three('{"a":1}\n', '{"a":2}\n', '{"a":3}\n');
    expect(await terminal.run("merge", ...files)).toMatchObject({
      code: 1,
      out: '<<<<<<< mine.json\n{"a":2}\n=======\n{"a":3}\n>>>>>>> theirs.json\n',
    });
    expect(await terminal.run("merge", ...files, "--conflict", "mine")).toMatchObject({ code: 0, out: '{"a":2}\n' });
    expect(await terminal.run("merge", ...files, "--conflict", "theirs")).toMatchObject({ code: 0, out: '{"a":3}\n' });
    const { code, out } = await terminal.run("merge", ...files, "--conflict", "json");
    expect([code, JSON.parse(out)]).toEqual([
      1,
      { format_version: 1, merged: false, conflicts: [{ path: ["a"], base: 1, mine: 2, theirs: 3 }] },
    ]);
    expect((await terminal.run("merge", ...files, "--conflict", "both")).err).toContain(
      "use mine, theirs, json, markers, diff3 or zdiff3",
    );
  });

  it("the format comes from --path, or from what the texts look like", async () => {
    const terminal = new Terminal();
    for (const [name, text] of Object.entries({ b: "a: 1\nb: 1\n", m: "a: 2\nb: 1\n", t: "a: 1\nb: 2\n" }))
      terminal.write(name, text);
    expect(await terminal.run("merge", "b", "m", "t", "--path", "x/y.yaml")).toMatchObject({
      code: 0,
      out: "a: 2\nb: 2\n",
    });
    expect(await terminal.run("merge", "b", "m", "t")).toMatchObject({ code: 0, out: "a: 2\nb: 2\n" });
    expect((await terminal.run("merge", "b", "m", "t", "--path", "x.txt")).code).toBe(1);
  });

  it("an INI file by the dialect that its name says", async () => {
    // To Python the indented lines are the value of `x`, to others they are names of their own.
    const terminal = three("[s]\nx = 1\n", "[s]\nx =\n    a = 3\n", "[s]\nx =\n    b = 4\n");
    expect(await terminal.run("merge", ...files, "--path", "setup.cfg")).toMatchObject({ code: 1 });
    expect(await terminal.run("merge", ...files, "--path", "x.ini")).toMatchObject({ code: 0 });
  });

  it("items by a profile's rules, and by rules of one's own", async () => {
    const hooks = (...commands: string[]) =>
      `${JSON.stringify({ hooks: commands.map((command) => ({ event: "Stop", command })) }, undefined, 2)}\n`;
    const terminal = three(hooks("a"), hooks("a", "m"), hooks("a", "t"));
    terminal.write("rules.yaml", '- { type: hook, at: "hooks[]", key: [event, command] }\n');
    expect((await terminal.run("merge", ...files)).code).toBe(1);
    const { code, out } = await terminal.run("merge", ...files, "--rules", "rules.yaml");
    expect([code, JSON.parse(out).hooks.map(({ command }: { command: string }) => command)]).toEqual([
      0,
      ["a", "m", "t"],
    ]);
  });

  it("bytes that are no UTF-8 are merged by line, and stay what they are", async () => {
    const terminal = new Terminal();
    const lines = (first: number, last: number) => Buffer.from([first, 10, 120, 10, 121, 10, 122, 10, last, 10]);
    writeFileSync(terminal.at("b"), lines(0xff, 0xff));
    writeFileSync(terminal.at("m"), lines(0xfe, 0xff));
    writeFileSync(terminal.at("t"), lines(0xff, 0xfd));
    expect(await terminal.run("merge", "b", "m", "t", "--output", "m")).toMatchObject({ code: 0 });
    expect(readFileSync(terminal.at("m"))).toEqual(lines(0xfe, 0xfd));
  });

  it("prints bytes that are no UTF-8 as well, where standard output takes them", async () => {
    const terminal = new Terminal();
    for (const [name, byte] of [
      ["b", 0xff],
      ["m", 0xfe],
      ["t", 0xff],
    ] as const)
      writeFileSync(terminal.at(name), Buffer.from([byte, 10]));
    const { status, stdout } = spawnSync(process.execPath, [stet, "merge", "b", "m", "t"], { cwd: terminal.folder });
    expect([status, stdout]).toEqual([0, Buffer.from([0xfe, 10])]);
  });

  it("an error is exit 255, and leaves the output as it is", async () => {
    const terminal = three('{"a":1}\n', '{"a":2}\n', '{"a":"\0"}\n');
    const refused = { code: 255, out: "" };
    expect(await terminal.run("merge", ...files, "--output", "mine.json")).toMatchObject({
      ...refused,
      err: "stet: theirs.json: binary files can't be merged\n",
    });
    expect(await terminal.run("merge", "nothing", "mine.json", "base.json")).toMatchObject(refused);
    expect(await terminal.run("merge", "base.json", "mine.json")).toMatchObject({ code: 1 });
    expect(await terminal.run("merge", ...files, "--bogus")).toMatchObject({ code: 1 });
    expect(await terminal.run("merge", ...files.with(2, "base.json"), "--output", "home")).toMatchObject({
      ...refused,
      err: expect.stringContaining("it is not a regular file"),
    });
    chmodSync(terminal.at("mine.json"), 0o444);
    expect(await terminal.run("merge", ...files.with(2, "base.json"), "--output", "mine.json")).toMatchObject(refused);
    expect(terminal.read("mine.json")).toBe('{"a":2}\n');
  });

  it("--output follows a link and keeps the file's mode; - is standard output", async () => {
    const terminal = three('{"a":1}\n', '{"a":1,"m":1}\n', '{"a":2}\n');
    chmodSync(terminal.at("mine.json"), 0o600);
    symlinkSync("mine.json", terminal.at("link.json"));
    expect(await terminal.run("merge", ...files, "--output", "link.json")).toMatchObject({ code: 0 });
    expect(terminal.read("mine.json")).toBe('{"a":2,"m":1}\n');
    expect(lstatSync(terminal.at("link.json")).isSymbolicLink()).toBe(true);
    expect(statSync(terminal.at("mine.json")).mode & 0o777).toBe(0o600);
    expect(await terminal.run("merge", ...files, "--output", "-")).toMatchObject({ out: '{"a":2,"m":1}\n' });
  });

  it("- is standard input, for one of the files", async () => {
    const terminal = three('{"a":1}\n', '{"a":1,"m":1}\n', '{"a":2}\n');
    terminal.input = '{"a":3}\n';
    expect(await terminal.run("merge", "base.json", "mine.json", "-")).toMatchObject({ out: '{"a":3,"m":1}\n' });
    expect(await terminal.run("merge", "-", "mine.json", "-")).toMatchObject({ code: 1 });
    expect(await terminal.run("diff", "base.json", "-")).toMatchObject({ code: 1, out: "~ setting:a: 1 → 3\n" });
  });

  it("labels as with git merge-file; git's place-holders that it did not fill in are none", async () => {
    const terminal = three("1\n", "2\n", "3\n");
    const labelled = async (...labels: string[]) =>
      (await terminal.run("merge", ...files, ...labels.flatMap((label) => ["-L", label]))).out.match(
        /(?<=^[<>]+ ).*/gm,
      );
    expect(await labelled("HEAD", "base", "other branch")).toEqual(["HEAD", "other branch"]);
    expect(await labelled("%X", "%S", "%Y")).toEqual(["ours", "theirs"]);
  });

  it("masks secrets in its document of conflicts", async () => {
    const terminal = three('{"token":"hunter2-a"}', '{"token":"hunter2-b"}', '{"token":"hunter2-c"}');
    expect((await terminal.run("merge", ...files, "--json")).out).not.toContain("hunter2");
  });
});

describe("stet modify", () => {
  it("prints what apply would make of a text, and touches nothing", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { theme: "dark", hooks: [{ event: "Stop", command: "node ~/x.js" }] });
    const before = terminal.snapshot();
    terminal.input = '{\n  // mine\n  "theme": "light"\n}\n';
    const { code, out, err } = await terminal.run("modify", "pack", "~/app/config.json");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain('// mine\n  "theme": "light"');
    expect(out).toContain("node ~/x.js");
    expect(terminal.snapshot()).toEqual(before);
    terminal.input = out;
    expect((await terminal.run("modify", "pack", "~/app/config.json")).out).toBe(out);
    terminal.input = "";
    expect(JSON.parse((await terminal.run("modify", "pack", "~/app/config.json")).out)).toMatchObject({
      theme: "dark",
    });
  });

  it("is just what apply writes, records or not", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { theme: "dark", n: { a: 1 } });
    terminal.write("home/app/config.json", '{ "n": { "b": 2 } }\n');
    terminal.input = terminal.read("home/app/config.json");
    const { out } = await terminal.run("modify", "pack", "~/app/config.json");
    await terminal.run("apply", "pack");
    expect(out).toBe(terminal.read("home/app/config.json"));
  });

  it("keeps the byte order mark, and refuses what is no UTF-8", () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", { a: 1 });
    const modified = (input: Buffer) =>
      spawnSync(process.execPath, [stet, "modify", "pack", "~/app/config.json"], {
        cwd: terminal.folder,
        env: { ...process.env, HOME: terminal.home },
        input,
      });
    expect(modified(Buffer.from('\ufeff{ "mine": 1 }\n')).stdout.toString()).toBe('\ufeff{ "mine": 1, "a": 1 }\n');
    const { status, stdout, stderr } = modified(Buffer.from('{ "mine": "\xff" }', "latin1"));
    expect([status, stdout.length, stderr.toString()]).toEqual([
      1,
      0,
      "stet: standard input is not UTF-8; convert it\n",
    ]);
  });

  it("a target that the pack does not have is an error that names those it has", async () => {
    const terminal = new Terminal();
    writePack(terminal, "1.0.0", {});
    expect(await terminal.run("modify", "pack", "~/other.json")).toMatchObject({
      code: 1,
      err: expect.stringContaining("app/config.json"),
    });
  });
});

describe("stet diff", () => {
  it("says which entries differ, by key; exit 1 where some do", async () => {
    const terminal = new Terminal();
    terminal.write("a.yaml", "x: 1\ny: {z: [1]}\ngone: a\napi_token: hunter2-a\n");
    terminal.write("b.yaml", "# other\ny:\n  z: [2]\nx: 1\nnew: b\napi_token: hunter2-b\n");
    const { code, out } = await terminal.run("diff", "a.yaml", "b.yaml");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^~ setting:api_token: .*\n- setting:gone: "?a"?\n\+ setting:new: "?b"?\n~ setting:y\.z: \[1\] → \[2\]\n$/,
    );
    expect(out).not.toContain("hunter2");
    expect(await terminal.run("diff", "a.yaml", "a.yaml")).toMatchObject({ code: 0, out: "" });
    expect(JSON.parse((await terminal.run("diff", "a.yaml", "b.yaml", "--json")).out).differences).toHaveLength(4);
  });

  it("bytes that are no UTF-8 are refused: two of them might look alike", async () => {
    const terminal = new Terminal();
    for (const [name, byte] of [
      ["a.json", 0xfe],
      ["b.json", 0xff],
    ] as const)
      writeFileSync(terminal.at(name), Buffer.from([0x22, byte, 0x22]));
    expect(await terminal.run("diff", "a.json", "b.json")).toMatchObject({
      code: 1,
      err: expect.stringContaining("a.json: it is not UTF-8 text"),
    });
  });

  it("a file that can't be read is told by line", async () => {
    const terminal = new Terminal();
    terminal.write("a.json", "{}\n");
    terminal.write("b.json", '{ "a": }\n');
    expect(await terminal.run("diff", "a.json", "b.json")).toMatchObject({
      code: 1,
      err: expect.stringMatching(/b\.json:1:\d+: /),
    });
  });
});
