import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** A pattern between slashes as it stands in a line of source: its text and its flags. */
const literal = /(?<=[=(,:&|!?\s[])\/(?![*/ ])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/g;
const atom = String.raw`(?:\\[wdsWDS]|\[(?:\\.|[^\]\\])*\]|\\[^bB1-9kpPux]|[^\\^$*+?()[\]{}|])`;
const runThenMore = new RegExp(`^\\(?(?:\\?:)?${atom}(?:[*+]|\\{\\d+,\\})(?!\\)?$)`);
const runTwice = new RegExp(`(${atom})[*+](?:${atom}[?*])*\\1[*+]`);

/** Why a pattern would look at a long text over and over, judged by its shape; undefined: nothing to be seen. */
function complaintAbout(pattern: string, flags: string): string | undefined {
  if (!flags.includes("y") && runThenMore.test(pattern)) return "begins anew at each sign of a run";
  const flat = pattern.replaceAll(/\((?:\?[:=!]|\?<[=!])?|\)/g, "");
  return runTwice.test(flat) ? "can share a run between two parts in as many ways as it is long" : undefined;
}

it.each([
  ["(\\w+:\\/\\/)[^\\s/@]+@", "begins anew"],
  ["\\/+$", "begins anew"],
  ["[ \\t]+#", "begins anew"],
  ["^([+-]?)(\\d*)\\.?(\\d*)$", "can share"],
  ["^\\s*\\s+x", "can share"],
])("knows that /%s/ takes the square of its time", (pattern, why) => {
  expect(complaintAbout(pattern, "g")).toContain(why);
});

it("no pattern in the source takes the square of its time, as far as its shape tells", () => {
  const complaints: string[] = [];
  let seen = 0;
  for (const name of fs
    .readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((each) => each.endsWith(".ts"))) {
    for (const [i, line] of fs.readFileSync(path.join("src", name), "utf8").split("\n").entries()) {
      if (/^\s*(?:\/\/|\*|\/\*)/.test(line)) continue;
      for (const [whole, pattern = "", flags = ""] of line.matchAll(literal)) {
        seen++;
        const complaint = complaintAbout(pattern, flags);
        if (complaint) complaints.push(`${name}:${i + 1}: ${whole} ${complaint}`);
      }
    }
  }
  expect(complaints).toEqual([]);
  expect(seen).toBeGreaterThan(200);
});
