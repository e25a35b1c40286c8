import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** A part of a page: commands to run, and what it says they print (if it does). */
export interface Example {
  readonly commands: string;
  readonly printed: string | undefined;
}

/** The examples of a page, in order: `sh` blocks, each with the `text` block that follows it directly. */
export function examplesIn(page: string): Example[] {
  const pattern = /^```sh\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm;
  return [...page.matchAll(pattern)].map(([, commands, printed]) => ({ commands: commands!, printed }));
}

/**
 * The page with what its commands print now. `UPDATE_PAGES=1 npx vitest run test/docs` writes it; read the difference
 * before it is committed.
 */
export function refreshed(page: string, ran: readonly RanExample[], shown: (output: string) => string): string {
  return ran.reduce(
    (text, { printed, output }) =>
      printed === undefined
        ? text
        : text.replace(`\`\`\`text\n${printed}\`\`\``, () => `\`\`\`text\n${shown(output)}\`\`\``),
    page,
  );
}

export interface RanExample extends Example {
  readonly output: string;
  /** The first command that did not end as the page says, if any. */
  readonly failed: string | undefined;
}

/**
 * Runs a page's examples one after the other with a real shell, in a home of their own beside the releases of the
 * example and other files.
 */
export function runPage(
  page: string,
  program: string,
  releases: string,
  files: Readonly<Record<string, string>> = {},
): RanExample[] {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "stet-how-to-")));
  try {
    fs.cpSync(releases, path.join(folder, "releases"), { recursive: true });
    fs.cpSync(path.resolve(releases, "../../mcp"), path.join(folder, "examples/mcp"), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    }
    for (const name of ["home", "bin"]) fs.mkdirSync(path.join(folder, name));
    fs.writeFileSync(path.join(folder, "bin/stet"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
      mode: 0o755,
    });
    const node = path.dirname(process.execPath);
    const env = {
      HOME: path.join(folder, "home"),
      PATH: `${path.join(folder, "bin")}:${node}:/usr/bin:/bin`,
      LC_ALL: "C.UTF-8",
    };
    return examplesIn(page).map((example) => {
      const { status, stdout, stderr } = spawnSync("bash", ["-c", scriptOf(example)], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      const output = `${stdout}${stderr}`.replaceAll(folder, "…");
      return { ...example, output, failed: status === 0 ? undefined : output };
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Every line must end with 0, or as its comment says. A here-document stays in one piece. */
function scriptOf({ commands }: Example): string {
  const lines = commands.includes("<<") ? [commands] : commands.trimEnd().split("\n");
  const checked = lines.map((line) => {
    const expected = /# exit (\d+)\s*$/.exec(line)?.[1] ?? "0";
    return `${line}\n[ $? = ${expected} ] || { echo "should have ended with ${expected}:" ${quote(line)} >&2; exit 1; }`;
  });
  return checked.join("\n");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
