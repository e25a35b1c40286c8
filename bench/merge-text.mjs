// Three-way merge of a long text with many equal lines, against git.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./measure.mjs";

export async function* benchMergeText({ mergeText, longText, editedCopy }, folder) {
  const lines = longText(10_000, 1e6, 7);
  const versions = { base: lines, ours: editedCopy(lines, 5, 8), theirs: editedCopy(lines, 5, 9) };
  for (const [name, edited] of Object.entries(versions)) writeFileSync(join(folder, name), edited.join("\n"));
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map((edited) => edited.join("\n"));
  yield await compare({
    name: "text merge of 10,000 lines, a third of them }",
    against: "git merge-file",
    turns: 15,
    children: true,
    warmups: 3,
    floor() {
      const { status, error } = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], { cwd: folder });
      if (status === null || status > 127) throw new Error(`git merge-file failed: ${error?.message ?? status}`);
    },
    work: () => mergeText(base, ours, theirs),
  });
}
