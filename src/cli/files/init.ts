import { existsSync, mkdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import { inProject, type Machine } from "../../engine/machine.ts";
import {
  compareInstalled,
  type Difference,
  draftPack,
  type Installed,
  installedFiles,
  nothingInstalled,
  nothingShared,
  sharedFiles,
} from "../../files/init/from-installed.ts";
import { type FirstPack, initPack, knownFiles, ownerNameFor, writePack } from "../../files/init/init.ts";
import { profiles } from "../../identity/profiles/index.ts";
import { paint, printableLine } from "../../report/colour.ts";
import { tilde } from "../../report/words.ts";
import { runProgram } from "../../system/run-program.ts";
import { defineCommand } from "../shell/command.ts";
import { type Io, tell } from "../shell/io.ts";
import { type CommonValues, machineOf, wantsColour } from "../shell/options.ts";
import { withTemporaryFolder } from "../shell/temporary-home.ts";

export const command = defineCommand({
  name: "init",
  usage: "FILE… | --from-installed [options] -- COMMAND…",
  argument: "file",
  about: `Makes a pack from config files as they are: a stet.yaml and a template for each file, with the profile of its runtime if stet knows it.
Entries that look secret are left out, and your home becomes a variable. Overwrites nothing.
With --from-installed, makes the pack from what an installer writes. COMMAND runs in an empty temporary home, and everything it leaves
there becomes the pack. stet then installs the pack in another empty home, compares the two byte for byte, and uninstalls it again. Your
own home is not touched; this does not work for an installer that ignores HOME or asks questions.`,
  options: {
    dir: { type: "string", value: "DIR", help: "where the pack goes (default: here)" },
    name: { type: "string", value: "NAME", help: "the owner's name (default: the folder's)" },
    "from-installed": { type: "boolean", help: "run COMMAND in a temporary home and pack what it writes" },
    scope: {
      type: "string",
      value: "user|project",
      help: "with --from-installed: pack what it writes into the home (user) or into the folder it runs in (project)",
    },
  },
  example: "stet init --from-installed --dir my-pack -- sh ./install.sh",
  async run({ values, positionals }, io) {
    const machine = machineOf(values, io);
    const folder = resolve(io.cwd, values.dir ?? ".");
    if (values["from-installed"]) return initFromInstalled(positionals, { ...values, folder }, machine, io);
    if (positionals.length === 0) {
      const found = knownFiles(machine);
      const here = found.length === 0 ? "" : `; here are ${found.join(", ")}`;
      throw new InputError({
        code: "usage",
        message: `name the files to begin from: ${io.program} init FILE…${here}`,
      });
    }
    const paths = positionals.map((path) => (path.startsWith("~") ? path : resolve(io.cwd, path)));
    const pack = await initPack(paths, machine, { folder, name: values.name });
    if (values.json) io.out(`${JSON.stringify({ format_version: 1, ...pack }, undefined, 2)}\n`);
    else if (!values.quiet) show(pack, [], values, io, machine.home);
    return 0;
  },
});

interface FromInstalled extends CommonValues {
  readonly name?: string;
  readonly scope?: string;
  readonly folder: string;
}

async function initFromInstalled(
  words: readonly string[],
  values: FromInstalled,
  machine: Machine,
  io: Io,
): Promise<number> {
  const { folder, scope = "user", name = ownerNameFor(folder) } = values;
  if (scope !== "user" && scope !== "project")
    throw new InputError({ code: "usage", message: `--scope ${scope}: use user or project` });
  if (words.length === 0) {
    const message = `name the installer to run: ${io.program} init --from-installed --dir DIR -- COMMAND…`;
    throw new InputError({ code: "usage", message });
  }
  return withTemporaryFolder("stet-init-", async (temporary) => {
    const home = emptyHome(temporary, machine);
    const root = scope === "project" ? join(home, "project") : home;
    mkdirSync(scope === "project" ? join(root, ".git") : root, { recursive: true });
    await runInstaller(words, { home, cwd: scope === "project" ? root : io.cwd }, io);
    const all = installedFiles(machine.gate, root);
    if (all.files.length === 0) throw nothingInstalled(words.join(" "));
    const at = { name, scope, root, home } as const;
    const installed = scope === "project" ? sharedFiles(all, at, machine.gate) : { ...all, bound: [] };
    if (installed.files.length === 0) throw nothingShared(words.join(" "));
    const draft = await draftPack(installed, machine, at);
    // What can't be installed is not written where the user wants the pack.
    const tried = writePack(draft, join(temporary, "pack"), machine);
    const trial = trialMachine(join(temporary, "trial"), scope, machine);
    const differences = await compareInstalled(tried.manifest, installed, at, trial);
    report(writePack(draft, folder, machine), installed, differences, values, io, machine.home);
    return 0;
  });
}

/** Runtimes that this user has are there, as empty folders: installers look for them. */
function emptyHome(temporary: string, { home }: Machine): string {
  const empty = join(temporary, "home");
  mkdirSync(empty);
  const folders = profiles
    .flatMap(({ files }) => files)
    .flatMap((file) => /^(?:~\/)?(\.[\w-]+)\//.exec(file)?.[1] ?? []);
  for (const folder of new Set(folders)) if (existsSync(join(home, folder))) mkdirSync(join(empty, folder));
  return empty;
}

function trialMachine(folder: string, scope: "user" | "project", machine: Machine): Machine {
  const home = join(folder, "home");
  const project = join(home, "project");
  mkdirSync(scope === "project" ? join(project, ".git") : home, { recursive: true });
  const user: Machine = { ...machine, home, stateDir: join(folder, "state"), env: {} };
  return scope === "project" ? inProject(user, project) : user;
}

/** Longer than anybody waits for an installer. */
const longest = 600_000;

async function runInstaller(words: readonly string[], at: { home: string; cwd: string }, io: Io): Promise<void> {
  // An argument that names a file from here does so from the folder that the command runs in, too.
  const [program, ...args] = words.map((word) =>
    /[/\\.]/.test(word) && existsSync(resolve(io.cwd, word)) ? resolve(io.cwd, word) : word,
  );
  const result = await runProgram(program!, { args, cwd: at.cwd, env: environment(io, at.home), timeoutMs: longest });
  if (result.kind === "exited" && result.status === 0) return;
  const said = result.kind === "exited" ? `${result.stderr}${result.stdout.toString("utf8")}`.trim().split("\n") : [];
  const how =
    result.kind === "missing"
      ? "there is no such program"
      : result.kind === "exited"
        ? `it ended with ${result.status}${said[0] === "" ? "" : `: ${said.slice(-3).join("; ")}`}`
        : "it did not end";
  throw new InputError({ code: "installer-failed", message: `${words.join(" ")}: ${printableLine(how)}` });
}

/** The caller's environment, without what would lead out of the temporary home. */
function environment({ env }: Io, home: string): Record<string, string | undefined> {
  const named = profiles.flatMap(({ files }) => files).flatMap((file) => /^\$(\w+)/.exec(file)?.[1] ?? []);
  const out = new Set(["STET_STATE_DIR", ...named]);
  const kept = Object.entries(env).filter(([name]) => !name.startsWith("XDG_") && !out.has(name));
  const roaming = join(home, "AppData", "Roaming");
  const windows = { USERPROFILE: home, APPDATA: roaming, LOCALAPPDATA: join(home, "AppData", "Local") };
  return { ...Object.fromEntries(kept), HOME: home, ...windows };
}

function report(
  pack: FirstPack,
  { leftOut, bound }: Installed & { readonly bound: readonly string[] },
  differences: readonly Difference[],
  values: CommonValues,
  io: Io,
  home: string,
): void {
  if (values.json) {
    const document = { format_version: 1, ...pack, left_out: [...leftOut, ...bound], differences };
    io.out(`${JSON.stringify(document, undefined, 2)}\n`);
    return;
  }
  if (values.quiet) return;
  const notes = [
    ...(leftOut.length === 0 ? [] : [`left out, because nobody ships such files: ${leftOut.join(", ")}`]),
    ...bound.map(
      (path) =>
        `left out: ${path} names the folder or the home it was made in, and a project's files are the same for everybody`,
    ),
    ...differences.map(({ path, what }) => `${path} comes out differently: ${told[what]}`),
    ...(differences.length === 0
      ? ["installed in an empty home, it leaves the same bytes; uninstalled, it leaves nothing"]
      : []),
  ];
  show(pack, notes, values, io, home);
}

const told: Readonly<Record<Difference["what"], string>> = {
  missing: "the pack does not install it",
  "too much": "only the pack installs it",
  content: "the same entries in another layout, or without what looks secret, or in a marked section",
  mode: "its mode",
  "left behind": "uninstall leaves it",
};

function show(
  { manifest, files }: FirstPack,
  notes: readonly string[],
  values: CommonValues,
  io: Io,
  home: string,
): void {
  const { bold, dim, yellow } = paint(wantsColour(values, io));
  const near = relative(io.cwd, manifest);
  const path = near.startsWith("..") ? tilde(manifest, home) : printableLine(near);
  tell(io, `${bold(path)}\n`);
  for (const { target, template, link, profile, leftOut, notes: own } of files) {
    const whose = profile === undefined ? "" : dim(`  (${profile})`);
    const from = template === undefined ? `${dim("link to")} ${link}` : `${dim("from")} ${template}`;
    tell(io, `  ${printableLine(target)}${whose}  ${printableLine(from)}\n`);
    if (leftOut.length > 0)
      tell(io, `    ${yellow("left out, because it looks secret:")} ${printableLine(leftOut.join(", "))}\n`);
    for (const note of own) tell(io, `    ${yellow("look at it:")} ${printableLine(note)}\n`);
  }
  for (const note of notes) tell(io, `  ${dim(printableLine(note))}\n`);
  tell(io, `\nsee what it would do: ${io.program} plan ${path}\n`);
}
