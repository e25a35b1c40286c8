import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CheckReport, checkPack, trialHomes } from "../files/check/check.ts";
import { type FirstPack, type InitOptions, initPack } from "../files/init/init.ts";
import { readPack } from "../files/manifest/load-manifest.ts";
import { machineForPack } from "../files/project.ts";
import { type WatchEvent, watchPack } from "../files/watch/watch.ts";
import { diskGate } from "../store/gate/disk-gate.ts";
import { insist, insistOnText, insistOnTexts } from "./arguments.ts";
import { type MachineOptions, machineFrom, thisPlatform } from "./machine.ts";
import { type Manifest, packOf } from "./manifest.ts";

/**
 * Makes a first manifest and templates from existing files, in `folder`. Overwrites nothing.
 *
 * @example
 * import { init, thisMachine } from "stet";
 *
 * import { writeFileSync } from "node:fs";
 *
 * writeFileSync("app.json", '{ "theme": "dark" }');
 * const made = await init([`${process.cwd()}/app.json`], { ...thisMachine(), folder: `${process.cwd()}/pack` });
 * console.log(made.name, made.files[0].template); // pack templates/app.json
 */
export async function init(files: readonly string[], options: MachineOptions & InitOptions): Promise<FirstPack> {
  insistOnTexts(files, "init: the files");
  const machine = machineFrom(options);
  insistOnText(options.folder, "init: { folder }");
  return initPack(files, machine, options);
}

export interface CheckOptions extends Pick<Partial<MachineOptions>, "platform" | "program" | "now"> {
  /** A folder for passing things: each trial has a home of its own below it. */
  readonly temporary: string;
  /** Earlier releases, to try upgrades from. Default: those that the manifest names. */
  readonly earlier?: readonly Manifest[] | undefined;
}

/**
 * For pack authors: does it install, upgrade, run twice and uninstall without a trace?
 *
 * @example
 * import { check, loadManifest } from "stet";
 *
 * import { tmpdir } from "node:os";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * console.log((await check(manifest, { temporary: tmpdir() })).passed); // true
 */
export async function check(source: string | Manifest, options: CheckOptions): Promise<CheckReport> {
  const hasFolder = typeof (options as Partial<CheckOptions> | undefined)?.temporary === "string";
  insist(hasFolder, "check: pass { temporary }, a folder for passing things such as os.tmpdir()");
  const { platform = thisPlatform(), program = "stet", now = () => new Date() } = options;
  const gate = diskGate();
  const pack = typeof source === "string" ? readPack(gate, source) : packOf(source);
  const homes = trialHomes(pack.scope, { platform, program, gate, now }, async (use) => {
    const folder = realpathSync(mkdtempSync(join(options.temporary, "stet-check-")));
    try {
      return await use(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  const earlier = options.earlier?.map(packOf) ?? pack.earlier.map((release) => release.pack);
  return checkPack(pack, earlier, homes);
}

/** What tells a watch to end: an `AbortSignal`, or what is like one. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
}

export interface WatchSettings {
  /** Ends the watch; a write in hand is finished first. */
  readonly signal: StopSignal;
  /** Look at everything at least this often. Default: five minutes. */
  readonly intervalMs?: number | undefined;
  /** A change counts once nothing has changed for this long. Default: half a second. */
  readonly quietMs?: number | undefined;
  /** Say what has drifted, and change nothing. */
  readonly reportOnly?: boolean | undefined;
  /** Told what happens. */
  readonly tell?: ((event: WatchEvent) => void) | undefined;
  /** More files whose change means that the manifest is to be asked for again. */
  readonly sources?: readonly string[] | undefined;
}

/**
 * Reconciles on change and on an interval, until the signal. The manifest of a path is read anew on each pass, and a
 * function is asked for it.
 *
 * @example
 * import { loadManifest, thisMachine, watch } from "stet";
 *
 * const files = [{ target: "~/.chime.json", template: { volume: 3 } }];
 * const manifest = await loadManifest({ name: "chime", version: "1.0.0", files });
 * const stop = new AbortController();
 * const tell = ({ kind }) => (kind === "watching" ? stop.abort() : console.log(kind));
 * await watch(manifest, { ...thisMachine(), signal: stop.signal, tell });
 * // applied
 * // stopped
 */
export async function watch(
  manifest: Manifest | string | (() => Manifest),
  options: MachineOptions & WatchSettings,
): Promise<void> {
  const given: Partial<MachineOptions & WatchSettings> = options ?? {};
  const { intervalMs = 5 * 60_000, quietMs = 500, reportOnly = false, tell = () => {}, sources = [] } = given;
  const gate = diskGate();
  const load = () => {
    if (typeof manifest === "string") return readPack(gate, manifest);
    return packOf(typeof manifest === "function" ? manifest() : manifest);
  };
  const machine = machineForPack(load(), machineFrom({ ...options, project: undefined }), options.project);
  const watched = { load, sources: typeof manifest === "string" ? [manifest, ...sources] : sources };
  await watchPack(watched, machine, { intervalMs, quietMs, reportOnly, tell, signal: asAbortSignal(options.signal) });
}

function asAbortSignal(signal: StopSignal): AbortSignal {
  const canStop = typeof (signal as Partial<StopSignal> | undefined | null)?.addEventListener === "function";
  insist(canStop, "watch: pass { signal }, which ends it, such as that of an AbortController");
  const stop = new AbortController();
  if (signal.aborted) stop.abort();
  signal.addEventListener("abort", () => stop.abort());
  return stop.signal;
}
