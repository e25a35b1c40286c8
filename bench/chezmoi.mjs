// Nothing to do, five files: what somebody who keeps them with chezmoi waits for.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeChezmoiSource, writePack } from "./five-files.mjs";
import { compare } from "./measure.mjs";
import { findPeer, missingPeer, run, runStet } from "./peers.mjs";

export async function* benchChezmoi(folder) {
  const chezmoi = findPeer("chezmoi");
  if (chezmoi === undefined) {
    yield missingPeer("chezmoi");
    return;
  }
  const [home, other, pack, source] = ["chezmoi-stet-home", "chezmoi-home", "chezmoi-pack", "chezmoi-source"].map(
    (name) => join(folder, name),
  );
  for (const each of [home, other]) mkdirSync(each, { recursive: true });
  writePack(pack);
  writeChezmoiSource(source);
  const [ours, theirs] = [home, other].map((each) => ({ env: { PATH: process.env.PATH, HOME: each } }));
  runStet(["apply", pack], ours);
  run(chezmoi, ["--source", source, "apply"], theirs);
  yield await compare({
    name: "stet plan, nothing to do",
    against: "chezmoi status of the same five files",
    turns: 21,
    warmups: 3,
    children: true,
    floor: () => run(chezmoi, ["--source", source, "status"], theirs),
    work: () => runStet(["plan", pack], ours),
  });
}
