// One value in ten megabytes of JSON, from a shell: what a script does with jq and a rename.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compare } from "./measure.mjs";
import { findPeer, missingPeer, run, runStet } from "./peers.mjs";

export async function* benchJq(folder) {
  const jq = findPeer("jq");
  if (jq === undefined) {
    yield missingPeer("jq", "apt-get install jq");
    return;
  }
  const [home, pack] = [join(folder, "jq-home"), join(folder, "jq-pack")];
  for (const each of [home, pack]) mkdirSync(each);
  const [ours, theirs] = [join(home, "ours.json"), join(home, "theirs.json")];
  for (const file of [ours, theirs]) writeFileSync(file, bigState());
  const options = { env: { PATH: process.env.PATH, HOME: home } };
  const release = (value) => {
    writeFileSync(join(pack, "state.json"), JSON.stringify({ managed: { setting: value } }));
    writeFileSync(
      join(pack, "stet.yaml"),
      `name: bench\nversion: 1.0.${value}\nfiles: [{ target: ~/ours.json, template: state.json }]\n`,
    );
  };
  release(0);
  runStet(["apply", pack], options);
  let turn = 0;
  yield await compare({
    name: "stet apply, 1 edit in a 10 MB JSON file",
    against: "jq and a rename",
    turns: 9,
    children: true,
    prepare: () => release(++turn),
    floor() {
      writeFileSync(`${theirs}.new`, run(jq, [`.managed.setting = ${turn}`, theirs], options));
      renameSync(`${theirs}.new`, theirs);
    },
    work: () => runStet(["apply", pack, "-q"], options),
  });
}

/** What an agent's state file looks like after some months. */
function bigState() {
  const project = (i) => [
    `/home/somebody/work/project-${i}`,
    { trusted: i % 2 === 0, cost: i / 7, note: "x".repeat(400), tools: ["Bash(ls:*)", "Read"] },
  ];
  return JSON.stringify(
    { projects: Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => project(i))), managed: {} },
    undefined,
    2,
  );
}
