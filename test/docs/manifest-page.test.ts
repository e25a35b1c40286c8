import fs from "node:fs";
import { expect, it } from "vitest";
import { Shell } from "../cli/shell.ts";
import { allExamples, manifestPage, staleOrUnshown } from "./manifest-page.ts";

it("docs/manifest.md explains every key of the schema, and no other", async () => {
  expect(staleOrUnshown()).toEqual({ stale: [], unshown: [] });
  await expect(manifestPage()).toMatchFileSnapshot("../../docs/manifest.md");
});

it.each(allExamples)("an example is installed, changes nothing the second time, and goes again", async (manifest) => {
  const shell = new Shell();
  shell.write("pack/stet.yaml", manifest);
  const config = {
    theme: "dark",
    loudness: 3,
    hooks: [{ event: "Stop", command: "node ~/zylos/ring.js" }],
    read: ["a.md"],
  };
  shell.write("pack/templates/config.json", config);
  shell.write("pack/templates/settings.json", { model: "opus" });
  shell.write("pack/templates/web.yaml", "spec:\n  replicas: 2\n");
  shell.write("pack/templates/bashrc", "export ZYLOS=1\n");
  shell.write("pack/AGENTS.md", "Ask first.\n");
  for (const name of ["review.md", "drafts/idea.md", "notes.txt"]) shell.write(`pack/agents/${name}`, `${name}\n`);
  shell.write("pack/bin/ring", "#!/bin/sh\n");
  for (const release of ["1.0", "1.2"]) shell.write(`pack/releases/${release}/templates/config.json`, { volume: 1 });
  const web = "kind: Service\nmetadata:\n  name: web\n---\nkind: Deployment\nmetadata:\n  name: web\n";
  shell.write("app/web.yaml", web);
  shell.write(".claude/mine.md", "mine\n");
  const first = await shell.json("apply", "pack");
  expect(first.changed).toBeGreaterThan(0);
  expect(await shell.json("apply", "pack")).toMatchObject({ changed: 0 });
  if (manifest.includes("exclude")) {
    expect(fs.readdirSync(shell.at(".claude/agents"))).toEqual(["review.md"]);
    expect(fs.statSync(shell.at("zylos/bin/ring")).mode & 0o777).toBe(0o755);
    expect(fs.readlinkSync(shell.at("zylos/current"))).toBe("releases/1.4.0");
  }
  if (manifest.includes("Deployment")) expect(shell.read("app/web.yaml")).toBe(`${web}spec:\n  replicas: 2\n`);
  await shell.ok("uninstall", "zylos");
  expect(shell.read("app/web.yaml")).toBe(web);
  expect(fs.readdirSync(shell.home).sort()).toEqual([".claude", ".local", "app", "pack"]);
  expect(fs.readdirSync(shell.at(".claude"))).toEqual(["mine.md"]);
});
