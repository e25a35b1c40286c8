// Writes src/host/units/systemd-keys.ts: every key that one of several releases of systemd reads, also those it no
// longer documents. The lists are systemd's own (`systemd --dump-configuration-items`); scripts/real/systemd-keys.sh
// fetches them: run that for each suite first, sid included.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = join(process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test"), "systemd-keys");
const sections = ["Unit", "Install", "Service", "Socket", "Mount", "Timer", "Path"];
const keys = new Map(sections.map((section) => [section, new Set()]));
const suites = readdirSync(cache).filter((name) => name.endsWith(".txt"));
for (const name of suites) {
  let section = "";
  for (const line of readFileSync(join(cache, name), "utf8").split("\n")) {
    section = /^\[(\w+)\]$/.exec(line)?.[1] ?? section;
    const key = /^(\w+)=/.exec(line)?.[1];
    if (key !== undefined) keys.get(section)?.add(key);
  }
}
if (suites.length === 0) throw new Error(`no lists in ${cache}: run scripts/real/systemd-keys.sh`);

// What runs programs shares most of its keys.
const running = ["Service", "Socket", "Mount"].map((section) => keys.get(section));
const common = new Set([...running[0]].filter((key) => running.every((set) => set.has(key))));
const isRunning = (section) => running.includes(keys.get(section));
const own = (section) => [...keys.get(section)].filter((key) => !isRunning(section) || !common.has(key));

const text = `// Made by scripts/systemd-keys.mjs from the lists of systemd itself (Debian's ${suites.map((name) => name.slice(0, -4)).join(", ")}). Don't edit.

/** What units that run programs have in common. */
const running = \`${wrapped(common)}\`;

/** Every key that systemd reads, or ever read, by section. */
export const systemdKeys: Readonly<Record<string, string>> = {
${sections.map((section) => `  ${section}: \`${isRunning(section) ? "${running} " : ""}${wrapped(own(section))}\`,`).join("\n")}
};
`;
writeFileSync(fileURLToPath(new URL("../src/host/units/systemd-keys.ts", import.meta.url)), text);

function wrapped(names) {
  const lines = [""];
  for (const name of [...names].sort()) {
    if (lines.at(-1).length + name.length > 110) lines.push("");
    lines[lines.length - 1] += lines.at(-1) === "" ? name : ` ${name}`;
  }
  return lines.join("\n    ");
}
