import { describe, expect, it } from "vitest";
import type { PlanDocument, PlanEntry } from "../../src/core/plan-document.ts";
import { inMarkdown, planMarkdown } from "../../src/report/markdown.ts";

const file = "/home/a/app.json";
const plain = { verbose: false, diff: false, tense: "plan", program: "stet", home: "/home/a" } as const;

function document(
  entries: readonly Omit<PlanEntry, "file" | "type">[],
  more: Partial<PlanDocument> = {},
): PlanDocument {
  return {
    format_version: 1,
    name: "zylos",
    version: "2.0.0",
    from: "1.0.0",
    changed: 1,
    summary: {},
    entries: entries.map((entry) => ({ ...entry, file, type: "setting" })),
    files: [{ path: file, action: "modify", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n" }],
    diagnostics: [],
    ...more,
  };
}

const conflict = { verdict: "conflict", reason: "both-changed", base: 1, actual: 9, desired: 2, result: 9 } as const;

it("says the summary first, then each file as a table, with what differs and the command that decides", () => {
  const shown = planMarkdown(
    document([
      { key: "setting:a", verdict: "create", desired: 1, result: 1 },
      { key: "setting:b", verdict: "update", base: { x: 1, y: 1 }, actual: { x: 1, y: 1 }, result: { x: 1, y: "b" } },
      { key: "setting:c", ...conflict },
      { key: "setting:d", verdict: "unchanged", base: 1, actual: 1, desired: 1, result: 1 },
    ]),
    { ...plain, diff: true },
  );
  expect(shown).toBe(`### zylos 1.0.0 → 2.0.0

**Plan: 1 added, 1 updated, 1 needs you.**

<code>~/app.json</code> (changes)

| | entry | what happens |
|---|---|---|
| + | <code>setting:a</code> | added |
| ~ | <code>setting:b</code> | updated<br>y: <code>1</code> → <code>"b"</code> |
| ! | <code>setting:c</code> | **needs you: you and zylos both changed it**<br>yours <code>9</code>, zylos's <code>2</code>, before <code>1</code><br>to keep yours: <code>stet resolve setting:c --mine</code> |

1 more entry is unchanged.
<details><summary>the lines that change</summary>

\`\`\`diff
--- a
+++ b
@@ -1 +1 @@
-old
+new
\`\`\`

</details>
`);
});

it("names a project's files as the project does", () => {
  const shown = planMarkdown(document([{ key: "setting:a", verdict: "create", result: 1 }]), {
    ...plain,
    project: "/home/a",
  });
  expect(shown).toContain("<code>app.json</code>");
});

describe("nothing that a file holds becomes a part of the page", () => {
  it.each([
    ["</code><img src=x onerror=alert(1)>", "&#60;/code&#62;"],
    ["a | b", "a &#124; b"],
    ["@everyone #12", "&#64;&#8203;everyone &#35;&#8203;12"],
    ["`x` **y** _z_", "&#96;x&#96; &#42;&#42;y&#42;&#42; &#95;z&#95;"],
    ["line\nbreak", "line&#92;x0abreak"],
  ])("%j", (text, expected) => {
    expect(inMarkdown(text)).toContain(expected);
    const shown = planMarkdown(document([{ key: text, verdict: "create", result: text }]), plain);
    expect(shown).toContain(expected.replaceAll("&#8203;", ""));
  });

  it("no diff ends its block", () => {
    const files = [{ path: file, action: "modify", diff: "--- a\n+++ b\n+````\n+</details>\n" }] as const;
    const shown = planMarkdown(document([], { files }), { ...plain, diff: true });
    expect(shown).toMatch(/^`````diff$[\s\S]*^`````$/m);
  });
});

it("fits a comment, and says what it leaves out", () => {
  const files = Array.from({ length: 500 }, (_, i) => ({
    path: `/home/a/${i}.json`,
    action: "create" as const,
    diff: `+${"x".repeat(300)}\n`,
  }));
  const entries = files.map(({ path }) => ({
    file: path,
    key: `setting:${"k".repeat(100)}`,
    type: "setting",
    verdict: "create" as const,
  }));
  const shown = planMarkdown({ ...document([]), entries, files }, { ...plain, diff: true });
  expect(shown.length).toBeLessThan(60_000);
  expect(shown).toMatch(/There is no room here for \d+ more files; `--format json` has them all\.\n$/);
});

it("shows what fits where one value, key or message is longer than a page, and never more than GitHub takes", () => {
  const long = "|".repeat(5_000);
  const entries = Array.from({ length: 90 }, (_, i) => ({ ...conflict, key: `setting:${i}`, desired: `${i} ${long}` }));
  const diagnostics = Array.from({ length: 90 }, (_, i) => ({
    severity: "warning" as const,
    code: "locked" as const,
    message: `${i} ${long}`,
  }));
  const shown = planMarkdown(document([{ ...conflict, key: long }, ...entries], { diagnostics }), plain);
  expect(shown.length).toBeLessThan(60_000);
  expect(shown).toContain("<code>setting:1</code>");
  expect(shown).toMatch(/\| … and \d+ more \|/);
  expect(shown).toMatch(/- … and \d+ more\n/);
});
