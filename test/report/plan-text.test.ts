import { describe, expect, it } from "vitest";
import { type PlanDocument, type PlanEntry, summarise } from "../../src/core/plan-document.ts";
import { paint } from "../../src/report/colour.ts";
import { planText } from "../../src/report/plan-text.ts";

const file = "/home/a/app.json";
const plain = {
  paint: paint(false),
  verbose: false,
  diff: false,
  tense: "plan",
  program: "zylos config",
  home: "/home/a",
} as const;

function document(
  entries: readonly Omit<PlanEntry, "file" | "type">[],
  more: Partial<PlanDocument> = {},
): PlanDocument {
  const all = entries.map((entry) => ({ ...entry, file, type: "setting" }));
  return {
    format_version: 1,
    name: "zylos",
    version: "2.0.0",
    from: "1.0.0",
    changed: all.filter(({ verdict }) => verdict !== "keep" && verdict !== "unchanged" && verdict !== "conflict")
      .length,
    summary: summarise(all),
    entries: all,
    files: [{ path: file, action: "modify", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n" }],
    diagnostics: [],
    ...more,
  };
}

it("groups by file, with signs, reasons, both values of a conflict, commands, and a summary", () => {
  const text = planText(
    document([
      { key: "setting:a", verdict: "create", desired: 1, result: 1 },
      { key: "setting:b", verdict: "update", base: 1, actual: 1, desired: 2, result: 2 },
      { key: "setting:c", verdict: "conflict", reason: "both-changed", base: 1, actual: 9, desired: 2, result: 9 },
      { key: "setting:d", verdict: "restore", base: 1, desired: 1, result: 1 },
      { key: "setting:e", verdict: "keep", reason: "user-modified", base: 1, actual: 5, desired: 1, result: 5 },
      { key: "setting:f", verdict: "unchanged", base: 1, actual: 1, desired: 1, result: 1 },
    ]),
    plain,
  );
  expect(text).toBe(`zylos 1.0.0 → 2.0.0

~/app.json  (changes)
  + setting:a  added
  ~ setting:b  updated
      1 → 2
  ! setting:c  needs you: you and zylos both changed it
      yours 9   zylos's 2   before 1
      to settle it: zylos config resolve setting:c --mine (or --theirs)
  + setting:d  put back: you had deleted it
      to keep it out: zylos config disown setting:d
  = setting:e  kept as you have it
      yours 5   zylos's 1
      to take zylos's instead: zylos config resolve setting:e --theirs
  · 1 more, unchanged

Plan: 1 added, 1 updated, 1 put back, 1 kept as you have it, 1 needs you.
`);
});

it("shows of a map only the fields in conflict, and of a long text only the lines", () => {
  const base = { command: "x", timeout: 1, note: "n" };
  const map = {
    key: "hook:x",
    verdict: "conflict",
    reason: "both-changed",
    base,
    actual: { ...base, timeout: 9 },
  } as const;
  const text = planText(document([{ ...map, desired: { ...base, timeout: 2, note: "m" }, result: 1 }]), plain);
  expect(text).toContain("timeout: yours 9   zylos's 2   before 1");
  expect(text).not.toContain("note:");
  const lines = {
    key: "text:x",
    verdict: "conflict",
    reason: "both-changed",
    base: "a\nb\nc\n",
    actual: "a\nB\nc\n",
  } as const;
  expect(planText(document([{ ...lines, desired: "a\nbb\nc\n", result: 1 }]), plain)).toContain(
    'line 2: yours "B\\n"   zylos\'s "bb\\n"   before "b\\n"',
  );
});

it("puts long sides under each other", () => {
  const long = (char: string) => char.repeat(60);
  const entry = {
    key: "setting:c",
    verdict: "conflict",
    reason: "both-changed",
    base: "b",
    actual: long("y"),
    desired: long("t"),
  } as const;
  const text = planText(document([entry]), plain);
  expect(text).toContain(`      yours    "${long("y")}"\n      zylos's  "${long("t")}"\n      before   "b"\n`);
});

it("keeps within 80 columns, the reason below a long key and the values below a long field", () => {
  const key = `hook:ToolUse:node ~/zylos/${"deep/".repeat(8)}format.js`;
  const [actual, desired] = [{ command: `nice ${"n".repeat(90)}` }, { command: "n".repeat(90) }];
  const text = planText(
    document([
      { key, verdict: "keep", reason: "obsolete-modified", actual },
      { key: "hook:b", verdict: "keep", reason: "user-modified", actual, desired },
      { key: "hook:c", verdict: "update", actual, desired, result: desired },
      { key: "setting:d", verdict: "update", actual: "a".repeat(50), result: "b".repeat(50) },
      { key: "hook:e", verdict: "conflict", reason: "both-changed", base: { command: "n" }, actual, desired },
    ]),
    plain,
  );
  expect(text).toContain(`  = ${key}\n      kept: zylos no longer needs it, but you edited it\n`);
  expect(text).toMatch(/\n {6}command:\n {8}yours {4}"nice n+…\n {8}zylos's {2}"n+…\n/);
  expect(text).toMatch(/\n {6}command:\n {11}"nice n+…\n {8}→ {2}"n+…\n/);
  expect(text).toContain(`\n         "${"a".repeat(50)}"\n      →  "${"b".repeat(50)}"\n`);
  const commands = /^ {6}zylos config /;
  expect(text.split("\n").filter((line) => line.length > 80 && !commands.test(line))).toEqual([]);
});

it("speaks of going back and of leaving in their own words, and suggests nothing that can't be done then", () => {
  const entries = [
    { key: "setting:a", verdict: "remove" },
    { key: "setting:b", verdict: "restore" },
    { key: "setting:c", verdict: "update", actual: 2, result: 1 },
    { key: "setting:d", verdict: "keep", reason: "obsolete-modified" },
  ] as const;
  const back = planText(document(entries), {
    ...plain,
    tense: "record",
    occasion: "rollback",
    note: "back to generation 1",
  });
  expect(back).toContain(`zylos 1.0.0 → 2.0.0  back to generation 1

~/app.json  (changes)
  - setting:a  removed: it was not there then
  + setting:b  put back
  ~ setting:c  back to how it was
      2 → 1
  = setting:d  kept: it was not there then, but you edited it since

1 updated, 1 put back, 1 removed, 1 kept as you have it.`);
  const left = planText(document([entries[0], entries[3]]), { ...plain, tense: "record", occasion: "uninstall" });
  expect(left).toContain("  - setting:a  removed\n  = setting:d  kept: you edited it\n\n");
});

it("quotes keys as a shell needs it, and names the owner where two differ", () => {
  const key = "hook:Stop:*:node ~/it's.js";
  const text = planText(
    document([{ key, verdict: "conflict", reason: "owners-differ", actual: 1, desired: 2 }]),
    plain,
  );
  expect(text).toContain(`resolve 'hook:Stop:*:node ~/it'\\''s.js' --owner zylos --mine`);
});

it("names both owners where they differ, and shows what is there beside what this one wants", () => {
  const entry = {
    key: "setting:theme",
    verdict: "conflict",
    reason: "owners-differ",
    base: "dark",
    actual: "dark",
    desired: "light",
  } as const;
  expect(planText(document([{ ...entry, others: ["beta", "gamma"] }]), plain)).toContain(
    `  ! setting:theme  needs you: zylos and beta, gamma differ; what is there stays
      there "dark"   zylos's "light"
      to settle it: zylos config resolve setting:theme --owner zylos --mine
      (or --theirs)
`,
  );
});

it("has a command under every entry that is kept or put back and could be otherwise", () => {
  const command = (reason: PlanEntry["reason"]) =>
    planText(document([{ key: "setting:k", verdict: "keep", reason: reason! }]), { ...plain, verbose: true })
      .split("\n")
      .find((line) => line.includes("zylos config "));
  expect(command("user-owned")).toBe("      to let zylos manage it: zylos config adopt setting:k");
  expect(command("user-deleted")).toBe("      to put it back: zylos config adopt setting:k");
  expect(command("disowned")).toBe("      to let zylos manage it again: zylos config adopt setting:k");
  expect(command("obsolete-modified")).toBe("      to keep it for good: zylos config disown setting:k");
  expect(command("prune-off")).toBe("      to remove it: zylos config apply without --no-prune");
  expect(command("create-only")).toBe("      to take zylos's instead: zylos config resolve setting:k --theirs");
});

it("names a masked key by a part that can be typed", () => {
  const key = "hook:Stop:*:curl --token *** https://x.test";
  const text = planText(document([{ key, verdict: "restore" }]), plain);
  expect(text).toContain("disown 'hook:Stop:*:curl --token '");
});

it("shows the diff only when asked, and what stays when asked", () => {
  const entries = [{ key: "setting:f", verdict: "unchanged" }] as const;
  expect(planText(document(entries), plain)).not.toContain("+new");
  expect(planText(document(entries), { ...plain, diff: true })).toContain("    -old\n    +new\n");
  expect(planText(document(entries), { ...plain, verbose: true })).toContain("· setting:f  current");
});

it("says in one line when there is nothing to do", () => {
  const nothing = document([{ key: "setting:f", verdict: "unchanged" }], {
    files: [{ path: file, action: "none", diff: "" }],
    from: "2.0.0",
  });
  expect(planText(nothing, plain)).toBe("zylos 2.0.0\n\nNothing to change.\n");
});

describe("what comes from files is shown, never obeyed", () => {
  const evil = "\u001b]0;owned\u0007\u001b[2J\r\nfake line\u202e\u009b31m";
  it.each([false, true])("with colours: %s", (colours) => {
    const entry = { verdict: "update", base: "a", actual: `a${evil}`, desired: "b", result: `b${evil}` } as const;
    const text = planText(
      document([{ ...entry, key: `setting:${evil}` }], {
        name: `zy${evil}`,
        version: `1${evil}`,
        files: [{ path: `/home/a/${evil}`, action: "modify", diff: `-${evil}\n` }],
        diagnostics: [{ code: "held", severity: "warning", message: `look ${evil}` }],
      }),
      { ...plain, paint: paint(colours), diff: true },
    );
    const own = text.replace(/\u001b\[(?:1|2|22|3[1-6]|39)m/g, "");
    expect(own).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    expect(own.split("\n").some((line) => line.startsWith("fake line"))).toBe(false);
  });
});

it("spells paths inside a message from the home, but not what is in quotes", () => {
  const message =
    "/home/a/app.json is as 1.0.0 left it; to bring it up to date: stet resolve /home/a/app.json --theirs";
  const quoted = "see '/home/a/b c.json', and /home/ab/c.json";
  const text = planText(
    document([], {
      diagnostics: [
        { code: "reverted", severity: "warning", message, file },
        { code: "elsewhere", severity: "info", message: quoted },
      ],
    }),
    { ...plain, columns: 200 },
  );
  expect(text).toContain(
    "warning: ~/app.json is as 1.0.0 left it; to bring it up to date: stet resolve ~/app.json --theirs\n",
  );
  expect(text).toContain(`note: ${quoted}\n`);
});
