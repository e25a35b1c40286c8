import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlanDocument } from "../../core/plan-document.ts";
import { diffText, type Paint, paint } from "../../report/colour.ts";
import { unifiedDiff } from "../../text/diff-lines.ts";
import { runCommand } from "../main.ts";
import { defineCommand } from "../shell/command.ts";
import { columnsOf, type Io, tell } from "../shell/io.ts";
import { wantsColour } from "../shell/options.ts";
import { withTemporaryFolder } from "../shell/temporary-home.ts";

export const command = defineCommand({
  name: "demo",
  about: `Installs a made-up framework in a temporary home, edits its configuration as a user would, upgrades the framework, and shows what becomes
of both. Your own files are not touched, and nothing stays behind.`,
  options: {},
  example: "stet demo",
  async run({ values }, io) {
    return withTemporaryFolder("stet-demo-", async (folder) => {
      const stage = new Stage(folder, io, values["no-color"] === true);
      if (values.json) io.out(`${JSON.stringify(await played(stage), undefined, 2)}\n`);
      else await told(stage, paint(wantsColour(values, io)), values.quiet ? () => {} : (text) => tell(io, text));
      return stage.outcomes().every(({ holds }) => holds) ? 0 : 1;
    });
  },
});

/** A home with the framework's releases beside it, in which the commands run as anywhere else. */
class Stage {
  readonly #folder: string;
  readonly #io: Io;
  readonly #options: readonly string[];

  constructor(folder: string, io: Io, plain: boolean) {
    this.#folder = folder;
    this.#io = io;
    this.#options = plain ? ["--no-color"] : [];
    mkdirSync(this.#home);
    for (const [name, files] of Object.entries(releases)) {
      mkdirSync(join(folder, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), text);
    }
  }

  get #home(): string {
    return join(this.#folder, "home");
  }

  /** What stands before everything that a command prints; nothing where the terminal is narrow. */
  get margin(): string {
    return columnsOf(this.#io) < 60 ? "" : "   ";
  }

  get program(): string {
    return this.#io.program;
  }

  read(): string {
    return readFileSync(join(this.#home, target), "utf8");
  }

  /** What a command prints. */
  async run(...args: string[]): Promise<string> {
    let printed = "";
    const { terminal } = this.#io;
    const { NO_COLOR, FORCE_COLOR, TERM } = this.#io.env;
    const env = { HOME: this.#home, NO_COLOR, FORCE_COLOR, TERM };
    const print = (text: string) => {
      printed += text;
    };
    await runCommand([...args, ...this.#options], {
      ...this.#io,
      cwd: this.#folder,
      env,
      out: print,
      err: print,
      errorTerminal: false,
      terminal: terminal && { columns: terminal.columns - this.margin.length },
    });
    return printed.replaceAll(this.#home, "~");
  }

  /** The user's edits, on the file itself. Returns them as a diff. */
  edit(): string {
    const before = this.read();
    const after = userEdits.reduce((text, edit) => edit.change(text), before);
    writeFileSync(join(this.#home, target), after);
    return unifiedDiff(before, after, { from: `~/${target}`, to: `~/${target}` });
  }

  outcomes(): (UserEdit & { readonly holds: boolean })[] {
    const text = this.read();
    return userEdits.map((edit) => ({ ...edit, holds: edit.stands(text) }));
  }
}

/** The story as data: the plan of the upgrade, the run after it, and what became of each edit. */
async function played(stage: Stage) {
  await stage.run("apply", "zylos-1.2");
  stage.edit();
  const upgrade: PlanDocument = JSON.parse(await stage.run("apply", "zylos-1.4", "--json"));
  const again: PlanDocument = JSON.parse(await stage.run("apply", "zylos-1.4", "--json"));
  const edits = stage.outcomes().map(({ what, why, holds }) => ({ what, why, stands: holds }));
  return { format_version: 1, upgrade, again, edits };
}

async function told(stage: Stage, colours: Paint, out: (text: string) => void): Promise<void> {
  const indented = (text: string) => text.replace(/\n?$/, "\n").replaceAll(/^(?=.)/gm, stage.margin);
  const chapter = (number: number, text: string) => out(`\n${colours.bold(`${number}. ${text}`)}\n\n`);
  const shell = async (...args: string[]) => {
    out(indented(`${colours.dim("$")} ${stage.program} ${args.join(" ")}\n${await stage.run(...args)}`));
  };
  out(`One config file, two owners: a framework that ships updates, and you. (All of this is in a temporary home.)\n`);
  chapter(1, "zylos 1.2, a made-up framework, installs its settings and hooks.");
  await shell("apply", "zylos-1.2");
  chapter(
    2,
    "You make the file yours: a longer timeout, a comment, a hook of your own, a wrapped command, a deleted hook.",
  );
  out(indented(diffText(stage.edit(), colours).join("\n")));
  chapter(
    3,
    "zylos 1.4 has a new hook, a new default, a new field, a renamed hook, and one hook less. What would it do to your file?",
  );
  await shell("plan", "zylos-1.4", "--diff");
  chapter(4, "That looks right. Do it, and do it once more: a second run changes nothing.");
  await shell("apply", "zylos-1.4", "-q");
  await shell("apply", "zylos-1.4");
  chapter(5, "What became of your edits, read from the file:");
  for (const { what, why, holds } of stage.outcomes())
    out(indented(`${holds ? colours.green("✓") : colours.red("✗")} ${what.padEnd(19)} ${colours.dim(why)}\n`));
  out(`\nNothing of this demo is left on your disk. Go on with: ${stage.program} help\n`);
}

/** The made-up framework and user of `stet demo`: two releases, and what the user does between them. */

const manifest = (version: string, more: string) => `name: zylos
version: ${version}
files:
  - target: ~/.zylos/config.jsonc
    template: config.jsonc
    rules:
      - { type: hook, at: "hooks[]", key: [event, "command|command"], pair: [event, "command|script"] }
policy:
  - { match: "hook:*", when-deleted: respect }
${more}`;

const target = ".zylos/config.jsonc";

/** Each release is a folder with just what a framework would ship. */
export const releases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "zylos-1.2": {
    "stet.yaml": manifest("1.2.0", ""),
    "config.jsonc": `{
  "theme": "dark",
  "keepLogsForDays": 30,
  "hooks": [
    { "event": "SessionStart", "command": "node ~/zylos/heartbeat.js", "timeout": 5 },
    { "event": "Stop", "command": "node ~/zylos/chime.js" },
    { "event": "SessionStart", "command": "node ~/zylos/warm-up.js" },
    { "event": "ToolUse", "command": "node ~/zylos/format.js" },
    { "event": "ToolUse", "command": "node ~/zylos/count.js" }
  ]
}
`,
  },
  "zylos-1.4": {
    "stet.yaml": manifest(
      "1.4.0",
      `moved:
  - { from: "hook:SessionStart:node ~/zylos/warm-up.js", to: "hook:SessionStart:node ~/zylos/prepare.js" }
`,
    ),
    "config.jsonc": `{
  "theme": "dark",
  "keepLogsForDays": 14,
  "hooks": [
    { "event": "SessionStart", "command": "node ~/zylos/heartbeat.js", "timeout": 5, "async": true },
    { "event": "Stop", "command": "node ~/zylos/chime.js" },
    { "event": "SessionStart", "command": "node ~/zylos/prepare.js" },
    { "event": "ToolUse", "command": "node ~/zylos/guard.js" },
    { "event": "ToolUse", "command": "node ~/zylos/format.js" }
  ]
}
`,
  },
};

/** One thing the user does to the file, and how one sees in the file that it stands. */
interface UserEdit {
  readonly what: string;
  /** Why it stands, said after the upgrade. */
  readonly why: string;
  change(text: string): string;
  stands(text: string): boolean;
}

export const userEdits: readonly UserEdit[] = [
  {
    what: "a longer timeout",
    why: "you changed that field; zylos changed another one of the same hook, and both are there",
    change: (text) => text.replace('"timeout": 5', '"timeout": 60'),
    stands: (text) => text.includes('"timeout": 60') && text.includes('"async": true'),
  },
  {
    what: "a comment",
    why: "whatever stet does not change keeps every byte",
    change: (text) => text.replace('  "theme"', '  // easier on my eyes\n  "theme"'),
    stands: (text) => text.includes('  // easier on my eyes\n  "theme"'),
  },
  {
    what: "a hook of your own",
    why: "nobody but you wrote it, so nobody else touches it",
    change: (text) => text.replace(/\n {2}\]/, ',\n    { "event": "Stop", "command": "~/bin/lights-off" }\n  ]'),
    stands: (text) => text.includes('{ "event": "Stop", "command": "~/bin/lights-off" }'),
  },
  {
    what: "a wrapped command",
    why: "it still runs zylos's script, so it is the same hook, with your change; it is not added twice",
    change: (text) => text.replace('"node ~/zylos/format.js"', '"nice node ~/zylos/format.js --quiet"'),
    stands: (text) => text.includes('"nice node ~/zylos/format.js --quiet"') && text.split("format.js").length === 2,
  },
  {
    what: "a deleted hook",
    why: "you took it out, and the framework asks to respect that (when-deleted: respect)",
    change: (text) => text.replace(/(?<=[[,])\s*\{[^{}]*chime\.js[^{}]*\},/, ""),
    stands: (text) => !text.includes("chime.js"),
  },
];
