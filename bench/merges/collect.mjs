// The real merges of repositories that lie here as bare git directories: files that both sides changed, as three texts
// and what people committed.
import { spawnSync } from "node:child_process";

/** What is merged by entries. Lock files are left out: nobody merges them by hand, they are made anew. */
const patterns = ["*.json", "*.jsonc", "*.yaml", "*.yml", "*.toml", ".env", ".env.*"];
const generated =
  /(?:^|\/)(?:package-lock|npm-shrinkwrap|composer\.lock|pnpm-lock|bun\.lock|yarn\.lock|Cargo\.lock|poetry\.lock|uv\.lock)[^/]*$/;

/** At most so many of one repository, spread over its history, so that no project decides the outcome alone. */
export function mergesOf(gitDir, most) {
  // A stored copy may lack an object here and there: what was listed until then is enough.
  const git = (...args) =>
    spawnSync("git", ["--git-dir", gitDir, ...args], { encoding: "utf8", maxBuffer: 1 << 30 }).stdout;
  // Combined diffs list the files that differ from every parent: both sides changed them, or somebody settled a
  // conflict.
  const log = git(
    "log",
    "--all",
    "--merges",
    "--min-parents=2",
    "--max-parents=2",
    "-c",
    // Looking for renames reads files, and ends the list at the first that a stored copy lacks.
    "--no-renames",
    "--name-only",
    "--format=%x00%H %P",
    "--",
    ...patterns,
  );
  const found = log.split("\0").flatMap((part) => {
    const [head = "", ...files] = part.split("\n").filter((line) => line !== "");
    const [merge, mine, theirs] = head.split(" ");
    return files.filter((file) => !generated.test(file)).map((file) => ({ merge, mine, theirs, file }));
  });
  const chosen = spread(found, most);
  return withTexts(
    gitDir,
    chosen.flatMap((each) => withBase(gitDir, each)),
  );
}

export function spread(all, most) {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => all[Math.floor(i * step)]);
}

function withBase(gitDir, each) {
  const { stdout } = spawnSync("git", ["--git-dir", gitDir, "merge-base", "--all", each.mine, each.theirs], {
    encoding: "utf8",
  });
  const bases = stdout.trim().split("\n");
  return bases.length === 1 && bases[0] !== "" ? [{ ...each, base: bases[0] }] : [];
}

/** All texts by one git: a process for each would take longer than all the rest. */
function withTexts(gitDir, merges) {
  const names = merges.flatMap(({ file, ...at }) =>
    ["base", "mine", "theirs", "merge"].map((side) => `${at[side]}:${file}`),
  );
  const { stdout } = spawnSync("git", ["--git-dir", gitDir, "cat-file", "--batch"], {
    input: `${names.join("\n")}\n`,
    maxBuffer: 1 << 30,
  });
  const blobs = [];
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(10, at);
    const header = stdout.toString("utf8", at, end);
    const size = / blob (\d+)$/.exec(header)?.[1];
    if (size === undefined) {
      blobs.push(undefined);
      const other = / (?:tree|commit|tag) (\d+)$/.exec(header)?.[1];
      at = other === undefined ? end + 1 : end + 2 + Number(other);
      continue;
    }
    blobs.push(stdout.subarray(end + 1, end + 1 + Number(size)));
    at = end + 2 + Number(size);
  }
  return merges.flatMap(({ merge, file }, i) => {
    const [base, mine, theirs, committed] = blobs.slice(i * 4, i * 4 + 4);
    // New on both sides: what git merges without a base has none here either. Gone on one side: nothing to merge.
    if (mine === undefined || theirs === undefined || committed === undefined) return [];
    const texts = { base: base ?? Buffer.alloc(0), mine, theirs, committed };
    const bothChanged = !texts.base.equals(mine) && !texts.base.equals(theirs) && !mine.equals(theirs);
    const small = Object.values(texts).every((text) => text.length < 1 << 17);
    return bothChanged && small ? [{ merge, file, ...texts }] : [];
  });
}
