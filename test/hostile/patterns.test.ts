import { describe, expect, it } from "vitest";
import { matchesPattern } from "../../src/core/policy.ts";
import { numberFromText } from "../../src/core/value.ts";
import { isOlder } from "../../src/core/version.ts";
import { findMarkers } from "../../src/formats/block/markers.ts";
import { withoutCredentials } from "../../src/host/repository/git.ts";
import { canonicalCommand } from "../../src/identity/commands/commands.ts";
import { canonicalPath } from "../../src/identity/paths/paths.ts";
import { printable } from "../../src/report/colour.ts";
import { maskKey, maskLines, maskValue } from "../../src/report/mask/mask.ts";
import { Terminal, writePack } from "../cli/terminal.ts";
import { linux, windows } from "../identity/machines.ts";

/**
 * Everything that searches a user's text by pattern, with 100,000 signs made to send patterns back and forth. Linear
 * takes milliseconds here, the square of it half a second and more. Counted is the processor's time, as a busy machine
 * takes longer.
 */
const size = 100_000;
const pumps = [
  " ",
  "\t",
  "0",
  "a",
  "-",
  "_",
  ".",
  ":",
  "=",
  "#",
  '"',
  "'",
  "\\",
  "/",
  "$",
  "%",
  "~",
  "{",
  "(",
  "*",
  "\0",
  "\r",
  "\n",
  "a ",
  "a:",
  ": ",
  "= ",
  '\\"',
  "\\a",
  "\\~",
  "a=",
  "a.",
  "- ",
  "+ ",
  "--",
  "://",
  "a://",
  "${",
  "%a",
  "token",
  "token=",
  "token ",
  "token: ",
  '"token": ',
  "--token ",
  "cookie: ",
  "bearer ",
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----",
  "sk-",
  "eyJa.",
  "export ",
  "BEGIN ",
  "# BEGIN X ",
];
const heads = ["", "a:", 'token="', "# BEGIN "];

const readers: Record<string, (text: string) => unknown> = {
  "lines of a report": maskLines,
  "a value": (text) => maskValue(text, "x"),
  "a key": maskKey,
  "text for a terminal": printable,
  "marked blocks": (text) => findMarkers(`${text} MANAGED`),
  numbers: (text) => numberFromText(text),
  "what git says": withoutCredentials,
  versions: (text) => isOlder(text, `1.${text}`),
  commands: (text) => canonicalCommand(text, linux),
  "commands on Windows": (text) => canonicalCommand(text, windows),
  paths: (text) => canonicalPath(`/${text}`, linux),
  "paths on Windows": (text) => canonicalPath(text, windows),
  "a policy": (text) => matchesPattern("*a*b*c*", text),
};

describe("every pattern comes to an end on texts made to keep it busy", () => {
  it.each(Object.entries(readers))("%s", (_, read) => {
    const before = process.cpuUsage();
    for (const head of heads) {
      for (const pump of pumps) {
        const text = `${head}${pump.repeat(Math.ceil(size / pump.length))}!`;
        read(text);
      }
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000_000).toBeLessThan(12);
  });

  it("a word that might begin on Windows, and then only backslashes", () => {
    for (const head of ["C:", `%${"a".repeat(size)}`]) canonicalCommand(head + "\\a".repeat(size), linux);
  });

  it("and a line of twenty megabytes does not exhaust the stack", () => {
    const long = "x".repeat(20_000_000);
    expect(maskLines(`token="${long}"`)).toBe('token="***"');
    expect(maskLines(`-----BEGIN PRIVATE KEY-----${long}`)).toBe("-----BEGIN PRIVATE KEY-----***");
  });
});

it("all of them through the program: in keys and values, in plans, diffs and reports", async () => {
  const texts = ["", 'token="'].flatMap((head) =>
    pumps.map((pump) => `${head}${pump.repeat(Math.ceil(1_000 / pump.length))}!`),
  );
  const terminal = new Terminal();
  const hooks = texts.map((command, i) => ({ event: `Start${i}`, command }));
  const template = { ...Object.fromEntries(texts.map((text, i) => [`k${i}`, text])), hooks };
  writePack(terminal, "1.0.0", template);
  terminal.write("home/app/config.json", { ...Object.fromEntries(texts.map((text) => [text, text])), k1: "mine" });
  for (const argv of [
    ["apply", "pack", "--diff", "-v"],
    ["explain", "setting:k2"],
    ["blame", "home/app/config.json"],
  ]) {
    const { code, err } = await terminal.run(...argv);
    expect({ argv, err, failed: code === 1 }).toEqual({ argv, err, failed: false });
  }
});
