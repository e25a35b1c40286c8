// An ordinary installer: reads the file, puts its own hooks in, writes it back. Many look just like this.
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";

const template = JSON.parse(readFileSync(new URL("pack/1.1.0/settings.json", import.meta.url), "utf8"));
const file = `${homedir()}/.claude/settings.json`;
const settings = JSON.parse(readFileSync(file, "utf8"));
settings.env = { ...settings.env, ...template.env };
settings.hooks = { ...settings.hooks, ...template.hooks };
writeFileSync(file, JSON.stringify(settings, null, 2));
