// Real merges of public repositories, merged again: `npm run bench:merges`.
//   STET_MERGES=DIR        bare repositories that are there already, as owner+name/repo or owner+name.git; what is
//   missing is cloned
//   STET_MERGES_MOST=45    of each repository
//   STET_MERGES_DRIVER="git-json-merge %A %O %B"     another merge driver, for JSON files; it leaves its result in %A
// Without DIR they are cloned into ~/.cache/stet-test/merges, which takes a while. Nothing of them is kept in this
// repository.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { mergesOf, spread } from "./collect.mjs";
import { repositories } from "./repositories.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const most = Number(process.env.STET_MERGES_MOST ?? 45);
const work = mkdtempSync(join(tmpdir(), "stet-merges-"));
try {
  await measure(await program());
} finally {
  rmSync(work, { recursive: true });
}

async function program() {
  const outfile = join(work, "entry.mjs");
  const banner = { js: 'import{createRequire as r}from"node:module";const require=r(import.meta.url);' };
  await build({
    entryPoints: [join(root, "bench/merges/entry.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"],
    external: ["fs-native-extensions"],
    banner,
    logLevel: "error",
  });
  return import(pathToFileURL(outfile).href);
}

async function measure(stet) {
  const rows = { git: newRow(), stet: newRow() };
  const json = { git: newRow(), stet: newRow(), driver: newRow() };
  const together = { both: 0, judged: 0, gitSame: 0, stetSame: 0, gitAlone: 0 };
  const kept = { repositories: 0, merges: 0 };
  const cases = [];
  for (const name of repositories) {
    const merges = collected(name);
    if (merges.length > 0) kept.repositories++;
    for (const merge of merges) {
      const format = stet.formatFor(`/${merge.file}`);
      if (format === "text") continue;
      const texts = Object.fromEntries(
        ["base", "mine", "theirs", "committed"].map((side) => [side, merge[side].toString("utf8")]),
      );
      const reader = await stet.loadFormat(format);
      kept.merges++;
      const valueIn = (text) => {
        const read = reader.read(text);
        return read.kind === "read" ? read.document.root.value() : undefined;
      };
      const committed = valueIn(texts.committed);
      const meant = committed === undefined ? undefined : anyOrder(committed);
      const isSame = (text) => text === texts.committed || (meant !== undefined && anyOrder(valueIn(text)) === meant);
      const sides = ["base", "mine", "theirs"].map((side) => leavesOf(valueIn(texts[side])));
      // Somebody who merges may go on working: what no side had is no merge.
      const workedOn =
        committed === undefined || [...leavesOf(committed)].some((leaf) => !sides.some((side) => side.has(leaf)));
      const readable = ["base", "mine", "theirs"].every(
        (side) => texts[side].trim() === "" || valueIn(texts[side]) !== undefined,
      );
      // A committed text that does not read, of sides that do, says nothing: somebody kept a name twice.
      const judged = committed !== undefined || !readable;
      const git = byGit(texts);
      const ours = stet.mergeTexts(texts.base, texts.mine, texts.theirs, {
        format: reader,
        markers: { mine: "mine", theirs: "theirs" },
      });
      const stetText = ours.kind === "merged" ? ours.text : undefined;
      const count = (row, text) => {
        row.all++;
        if (text === undefined) return void row.conflicts++;
        row.clean++;
        if (judged) row.judged++;
        if (judged && isSame(text)) row.same++;
        if (!workedOn) row.merges++;
        if (!workedOn && isSame(text)) row.sameMerges++;
        if (readable && valueIn(text) === undefined) row.unparsable++;
        cases.push({
          row,
          case: { format: format === "jsonc" ? "json" : format, ...texts, result: text },
          name,
          file: merge.file,
          merge: merge.merge,
        });
      };
      count(rows.git, git);
      count(rows.stet, stetText);
      if (process.env.STET_MERGES_DRIVER && format === "json" && readable) {
        count(json.git, git);
        count(json.stet, stetText);
        count(json.driver, byDriver(texts));
      }
      if (git !== undefined && stetText !== undefined) {
        together.both++;
        if (judged) together.judged++;
        if (judged && isSame(git)) together.gitSame++;
        if (judged && isSame(stetText)) together.stetSame++;
      } else if (git !== undefined) together.gitAlone++;
    }
    // One repository at a time: all texts together are more than a string can hold.
    askOracle(cases.splice(0));
    process.stderr.write(`${name}: ${merges.length}\n`);
    if (process.env.STET_MERGES_SO_FAR) report(rows, together, kept);
  }
  report(rows, together, kept);
  if (process.env.STET_MERGES_DRIVER) table(json);
}

function newRow() {
  return { all: 0, clean: 0, judged: 0, same: 0, merges: 0, sameMerges: 0, conflicts: 0, unparsable: 0, lost: 0 };
}

/** What a document means, as a text: names and items in whatever order. */
function anyOrder(value) {
  if (Array.isArray(value)) return `[${value.map(anyOrder).sort().join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "";
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${anyOrder(value[name])}`).join(",")}}`;
}

/** Every value in a document with its names; which item of a list it is in does not matter. */
function leavesOf(value, path = "", found = new Set()) {
  if (Array.isArray(value)) for (const item of value) leavesOf(item, `${path}[]`, found);
  else if (value !== null && typeof value === "object")
    for (const name of Object.keys(value)) leavesOf(value[name], `${path}/${name}`, found);
  else found.add(`${path}=${JSON.stringify(value)}`);
  return found;
}

/** The text that another driver makes of it; undefined where it has conflicts. */
function byDriver({ base, mine, theirs }) {
  for (const [name, text] of Object.entries({ O: base, A: mine, B: theirs })) writeFileSync(join(work, name), text);
  const command = process.env.STET_MERGES_DRIVER.replaceAll(/%([OAB])/g, (_, side) => join(work, side));
  const { status } = spawnSync("sh", ["-c", command], { cwd: work });
  return status === 0 ? readFileSync(join(work, "A"), "utf8") : undefined;
}

/**
 * The merges of one repository. Looking for them takes longer than merging them, so they are kept beside the
 * repositories.
 */
function collected(name) {
  const folder = process.env.STET_MERGES ?? join(homedir(), ".cache/stet-test/merges");
  const known = join(folder, "collected", `${name.replace("/", "+")}.json`);
  const sides = ["base", "mine", "theirs", "committed"];
  const withTexts = (merge, turn) => ({
    ...merge,
    ...Object.fromEntries(sides.map((side) => [side, turn(merge[side])])),
  });
  if (existsSync(known))
    return spread(JSON.parse(readFileSync(known, "utf8")), most).map((merge) =>
      withTexts(merge, (text) => Buffer.from(text, "base64")),
    );
  const found = mergesOf(repositoryOf(name, folder), most);
  mkdirSync(join(folder, "collected"), { recursive: true });
  writeFileSync(known, JSON.stringify(found.map((merge) => withTexts(merge, (bytes) => bytes.toString("base64")))));
  return found;
}

function repositoryOf(name, folder) {
  const places = [join(folder, name.replace("/", "+"), "repo"), join(folder, `${name.replace("/", "+")}.git`)];
  const there = places.find((place) => existsSync(place));
  if (there === undefined) {
    mkdirSync(folder, { recursive: true });
    execFileSync("git", ["clone", "-q", "--bare", `https://github.com/${name}.git`, places[1]], { stdio: "inherit" });
  }
  return there ?? places[1];
}

/** The text that `git merge-file` makes of it; undefined where it has conflicts. */
function byGit({ base, mine, theirs }) {
  for (const [name, text] of Object.entries({ base, mine, theirs })) writeFileSync(join(work, name), text);
  const { status, stdout } = spawnSync("git", ["merge-file", "-p", "mine", "base", "theirs"], {
    cwd: work,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return status === 0 ? stdout : undefined;
}

function askOracle(cases) {
  if (cases.length === 0) return;
  const input = cases.map((each) => JSON.stringify(each.case)).join("\n");
  const { stdout, error } = spawnSync("python3", [join(root, "bench/merges/oracle.py")], {
    input,
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (error) throw error;
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const [i, lost] of answers.entries()) {
    if (lost === null || lost.length === 0) continue;
    cases[i].row.lost++;
    process.stderr.write(`lost: ${cases[i].name} ${cases[i].merge} ${cases[i].file}: ${lost.slice(0, 3).join(", ")}\n`);
  }
}

function report(rows, together, kept) {
  console.log(`${kept.merges} merges of ${kept.repositories} repositories\n`);
  table(rows);
  console.log(
    `\nmerged clean by both: ${together.both}; as people committed: git ${share(together.gitSame, together.judged)}, stet ${share(together.stetSame, together.judged)}; by git alone: ${together.gitAlone}`,
  );
}

function table(rows) {
  console.log(
    "| | merged clean | of those as people committed | of those, where people took only what a side had | conflicts | unparsable | the oracle asks about |\n|---|---|---|---|---|---|---|",
  );
  for (const [name, row] of Object.entries(rows))
    console.log(
      `| ${name} | ${row.clean} (${share(row.clean, row.all)}) | ${row.same} of ${row.judged} (${share(row.same, row.judged)}) | ${row.sameMerges} of ${row.merges} (${share(row.sameMerges, row.merges)}) | ${share(row.conflicts, row.all)} | ${row.unparsable} | ${row.lost} |`,
    );
}

function share(part, whole) {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
