import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";

const cache = process.env.STET_TEST_CACHE ?? join(homedir(), ".cache/stet-test");
export const program = join(cache, "quadlet/usr/libexec/podman/quadlet");

export interface Generated {
  /** By service name: the sections podman made or passed on, without its copy of the source. */
  readonly units: ReadonlyMap<string, string>;
  readonly status: number | null;
  readonly log: string;
}

/** Runs podman's own generator on a folder of Quadlet files, given as path and text. */
export function generate(files: ReadonlyMap<string, string | Uint8Array>): Generated {
  const folder = mkdtempSync(join(tmpdir(), "stet-quadlet-"));
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const run = spawnSync(program, ["-dryrun", "-no-kmsg-log"], {
      env: { QUADLET_UNIT_DIRS: folder },
      encoding: "utf8",
    });
    if (run.error) throw run.error;
    return { units: readUnits(run.stdout.replaceAll(folder, "/units")), status: run.status, log: run.stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readUnits(output: string): Map<string, string> {
  const units = new Map<string, string>();
  for (const part of output.split(/^---(?=\S+---$)/m).slice(1)) {
    const end = part.indexOf("---\n");
    units.set(part.slice(0, end), withoutSource(part.slice(end + 4)));
  }
  return units;
}

/** `[X-Container]` repeats the source line by line. What counts is what was made of it, section by section. */
function withoutSource(text: string): string {
  const sections = text.split(/^(?=\[)/m).filter((section) => section.startsWith("[") && !section.startsWith("[X-"));
  return sections
    .map((section) => section.trim().split("\n").map(byOption).join("\n"))
    .filter((section) => section.includes("\n"))
    .sort()
    .join("\n\n");
}

/**
 * podman puts different options in an order that changes from run to run. The order among equal ones stays, and counts.
 */
function byOption(line: string): string {
  if (!line.startsWith("Exec")) return line;
  const optionOf = (part: string) => /^ --[a-z-]+/.exec(part)?.[0] ?? "";
  const [program = "", ...options] = line.split(/(?= --)/);
  return [
    program,
    ...options
      .map((text, i) => ({ text, i }))
      .sort((a, b) => optionOf(a.text).localeCompare(optionOf(b.text)) || a.i - b.i)
      .map(({ text }) => text),
  ].join("");
}
