// What a person waits for before anything happens.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writePack } from "./five-files.mjs";
import { compare } from "./measure.mjs";
import { root } from "./parts.mjs";

export async function* benchStart(folder) {
  const home = join(folder, "start-home");
  const pack = join(folder, "start-pack");
  mkdirSync(home, { recursive: true });
  writePack(pack);
  const env = { PATH: process.env.PATH, HOME: home };
  const node = (...args) => {
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  };
  const bin = join(root, "bin/stet.cjs");
  node(bin, "apply", pack);
  const floor = () => node("-e", "0");
  const against = "node -e 0";
  yield await compare({
    name: "stet --version",
    against,
    turns: 31,
    children: true,
    warmups: 3,
    floor,
    work: () => node(bin, "--version"),
  });
  yield await compare({
    name: "stet plan, 5 files, 60 entries, nothing to do",
    against,
    turns: 31,
    children: true,
    warmups: 3,
    floor,
    work: () => node(bin, "plan", pack),
  });
  yield await compare({
    name: "stet apply --json, nothing to do",
    against,
    turns: 15,
    children: true,
    floor,
    work: () => node(bin, "apply", pack, "--json"),
  });
  // After a user's edit nothing is answered from a fingerprint: everything is loaded, read and planned.
  const edited = join(home, "app/a.json");
  writeFileSync(edited, readFileSync(edited, "utf8").replace("value 3", "mine"));
  for (const [name, ...argv] of [
    ["stet plan, one entry edited", "plan", pack],
    ["stet status, one entry edited", "status"],
    ["stet blame, one entry edited", "blame", edited],
  ])
    yield await compare({
      name,
      against,
      turns: 15,
      children: true,
      warmups: 2,
      floor,
      work: () => node(bin, ...argv),
    });
  const [base, mine, theirs] = ['{"a":1}\n', '{"a":1,"m":1}\n', '{"a":2}\n'].map((text, i) => {
    const file = join(folder, `merge-${i}.json`);
    writeFileSync(file, text);
    return file;
  });
  yield await compare({
    name: "stet merge of three small files",
    against,
    turns: 15,
    children: true,
    floor,
    work: () => node(bin, "merge", base, mine, theirs),
  });
  yield await compare({ name: "stet demo", against, turns: 9, children: true, floor, work: () => node(bin, "demo") });
}
