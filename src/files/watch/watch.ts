import { dirname, isAbsolute } from "node:path";
import { InputError } from "../../core/diagnostic.ts";
import type { PlanDocument } from "../../core/plan-document.ts";
import { planAndApply } from "../../engine/apply.ts";
import type { Machine } from "../../engine/machine.ts";
import { readOwnerState } from "../../engine/owner-state.ts";
import type { Place } from "../../engine/place.ts";
import { changesAnything, type OwnerPlan, planPlaces } from "../../engine/plan-owner.ts";
import type { FileDecision } from "../../entries/file-entry.ts";
import { observe } from "../../store/gate/content.ts";
import { type FolderWatch, watchFolders } from "../../store/gate/watch-folders.ts";
import { doubledDelay } from "../../system/pause.ts";
import type { Pack } from "../manifest/pack.ts";
import { evaluate } from "../places/places.ts";

export interface WatchOptions {
  /** Look at everything at least this often. */
  readonly intervalMs: number;
  /** A change counts once nothing has changed for this long. */
  readonly quietMs: number;
  /** Say what has drifted, and change nothing. */
  readonly reportOnly: boolean;
  /** Ends the watch; a write in hand is finished first. */
  readonly signal: AbortSignal;
  tell(event: WatchEvent): void;
}

export type WatchEvent =
  | { readonly kind: "watching"; readonly files: readonly string[] }
  | { readonly kind: "in-sync" }
  | { readonly kind: "applied"; readonly document: PlanDocument }
  | { readonly kind: "drifted"; readonly document: PlanDocument }
  /** Deleted a second time: from now on it stays out. */
  | { readonly kind: "left-out"; readonly keys: readonly string[] }
  | { readonly kind: "failed"; readonly message: string; readonly retryMs: number }
  | { readonly kind: "stopped" };

/**
 * What is watched: a pack, read anew on each pass, and the files it comes from; its templates are watched without being
 * named.
 */
export interface WatchedPack {
  load(): Pack;
  readonly sources: readonly string[];
}

/** Without the system's help, and while a file can't be read, look this often. */
const pollMs = 2000;
const longestRetryMs = 5 * 60_000;

/**
 * Reconcile on every change and on every interval, until stopped. Level-triggered: a change only says that it is time
 * to look; what to do is planned from what is there. A change that is our own, or that changed nothing, is seen by the
 * contents and passed over.
 */
export async function watchPack(watched: WatchedPack, machine: Machine, options: WatchOptions): Promise<void> {
  const { signal, tell } = options;
  const alarm = new Alarm(signal);
  const passes = new Passes(watched, machine, options);
  let watch: FolderWatch = watchFolders([], alarm.ring);
  try {
    while (!signal.aborted) {
      const wait = await passes.run();
      const folders = passes.folders();
      if (folders.join("\0") !== watch.folders.join("\0")) {
        watch.close();
        watch = watchFolders(folders, alarm.ring);
        tell({ kind: "watching", files: passes.files });
      }
      // Whatever changed between the pass and the new watch is seen here.
      await untilDue(alarm, passes, wait, () => watch.incomplete(), options);
    }
  } finally {
    watch.close();
  }
  tell({ kind: "stopped" });
}

/** Until the interval is over, or a file is not as the last pass left it and has been quiet for a while. */
async function untilDue(
  alarm: Alarm,
  passes: Passes,
  wait: number,
  polls: () => boolean,
  { quietMs }: WatchOptions,
): Promise<void> {
  const deadline = performance.now() + wait;
  for (;;) {
    if (passes.isChanged()) return untilQuiet(alarm, passes, quietMs, deadline);
    const rest = deadline - performance.now();
    if (rest <= 0) return;
    const woken = await alarm.wait(polls() ? Math.min(rest, pollMs) : rest);
    if (woken === "stopped") return;
  }
}

async function untilQuiet(alarm: Alarm, passes: Passes, quietMs: number, deadline: number): Promise<void> {
  let seen = passes.contents();
  while (performance.now() < deadline) {
    const woken = await alarm.wait(quietMs);
    if (woken === "stopped") return;
    const now = passes.contents();
    if (woken === "time" && now === seen) return;
    seen = now;
  }
}

/** The passes of one watch, and what they remember of each other. */
class Passes {
  readonly #watched: WatchedPack;
  readonly #machine: Machine;
  readonly #options: WatchOptions;
  readonly #restores = new Restores();
  #files: readonly string[] = [];
  #templates: readonly string[] = [];
  /** Folders of templates that are shipped as they are: a new file there is one to ship. */
  #templateFolders: readonly string[] = [];
  #after = "";
  #failures = 0;
  #said = "";

  constructor(watched: WatchedPack, machine: Machine, options: WatchOptions) {
    this.#watched = watched;
    this.#machine = machine;
    this.#options = options;
  }

  /** The targets, as the last pass that got so far knows them. */
  get files(): readonly string[] {
    return this.#files;
  }

  /** Look, and act. Returns how long to wait if nothing happens. */
  async run(): Promise<number> {
    try {
      this.#report(await this.#reconcile());
      this.#failures = 0;
      return this.#options.intervalMs;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const { file } = error.diagnostic;
      if (file !== undefined && !this.#files.includes(file)) this.#files = [...this.#files, file];
      const retryMs = doubledDelay(++this.#failures, 1000, Math.min(longestRetryMs, this.#options.intervalMs));
      this.#say(`failed ${error.message}`, { kind: "failed", message: error.message, retryMs });
      return retryMs;
    } finally {
      this.#after = this.contents();
    }
  }

  async #reconcile(): Promise<OwnerPlan> {
    const pack = this.#watched.load();
    this.#templates = pack.files.flatMap(({ template: { kind, name } }) =>
      (kind === "text" || kind === "bytes") && isAbsolute(name) ? [name] : [],
    );
    this.#templateFolders = [
      ...new Set(
        pack.files.flatMap(({ folder, template: { name } }) => (folder && isAbsolute(name) ? [dirname(name)] : [])),
      ),
    ];
    this.#restores.begin(pack.version);
    const plan = () => this.#plan(pack);
    const done = this.#options.reportOnly ? await plan() : await planAndApply(this.#machine, plan);
    this.#files = done.places.map(({ path }) => path);
    return done;
  }

  async #plan(pack: Pack): Promise<OwnerPlan> {
    const state = readOwnerState(this.#machine, pack.name);
    const evaluated = await evaluate(pack, this.#machine, state);
    const revise = this.#options.reportOnly ? undefined : this.#restores.revise;
    return planPlaces(state, this.#machine, evaluated, { version: pack.version, note: "apply", revise });
  }

  #report(plan: OwnerPlan): void {
    const { document } = plan;
    const changes = changesAnything(plan);
    if (this.#options.reportOnly) {
      if (changes) this.#say(JSON.stringify(document.entries), { kind: "drifted", document });
      else this.#say("in-sync", { kind: "in-sync" });
      return;
    }
    const leftOut = this.#restores.finish(document);
    if (leftOut.length > 0) this.#options.tell({ kind: "left-out", keys: leftOut });
    if (changes) this.#options.tell({ kind: "applied", document });
    this.#say("in-sync", changes ? undefined : { kind: "in-sync" });
  }

  /** What is still so has been said already. */
  #say(what: string, event: WatchEvent | undefined): void {
    if (what !== this.#said && event) this.#options.tell(event);
    this.#said = what;
  }

  #paths(): readonly string[] {
    return [...this.#files, ...this.#watched.sources, ...this.#templates];
  }

  isChanged(): boolean {
    return this.contents() !== this.#after;
  }

  /**
   * All files that matter, by their content. What can't be read right now counts as different from everything that can.
   */
  contents(): string {
    const { gate } = this.#machine;
    const parts = this.#paths().map((path) => {
      try {
        const real = gate.realPath(path);
        return [real, observe(gate, real)];
      } catch (error) {
        return [path, String(error)];
      }
    });
    const listed = this.#templateFolders.map((folder) => [folder, gate.list(folder) ?? null]);
    return JSON.stringify([...parts, ...listed]);
  }

  /** The folders to watch: those of the real files, and those where a link stands that could be pointed elsewhere. */
  folders(): string[] {
    const { gate } = this.#machine;
    return [...new Set(this.#paths().flatMap((path) => [dirname(path), dirname(gate.realPath(path))]))].sort();
  }
}

/** Wakes a loop: by a change, by the clock, or for good. */
class Alarm {
  readonly #signal: AbortSignal;
  #rung = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  readonly ring = (): void => {
    this.#rung = true;
    this.#wake();
  };

  /** Until it rings (or has rung since the last wait), the time is over, or everything stops. */
  async wait(ms: number): Promise<"rung" | "time" | "stopped"> {
    if (this.#signal.aborted) return "stopped";
    if (!this.#rung) await this.#sleep(ms);
    const rung = this.#rung;
    this.#rung = false;
    return this.#signal.aborted ? "stopped" : rung ? "rung" : "time";
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", done);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#signal.addEventListener("abort", done);
      this.#wake = done;
    });
  }
}

/**
 * What a watcher has put back so far. A program that deletes an entry a second time means it, and putting it back for
 * ever would be a fight: from then on the entry stays out, until a new version or a new start.
 */
class Restores {
  readonly #restored = new Set<string>();
  readonly #told = new Set<string>();
  #newly: string[] = [];
  #version = "";

  /** Another version is another wish: it may try again. */
  begin(version: string): void {
    if (version !== this.#version) {
      this.#restored.clear();
      this.#told.clear();
    }
    this.#version = version;
    this.#newly = [];
  }

  readonly revise = (decision: FileDecision, { path }: Pick<Place, "path">): FileDecision => {
    const { key, outcome } = decision;
    const id = `${path}#${key}`;
    if (outcome.verdict !== "restore" || !this.#restored.has(id)) return decision;
    if (!this.#told.has(id)) this.#newly.push(key);
    this.#told.add(id);
    return {
      ...decision,
      outcome: { verdict: "keep", reason: "user-deleted", result: undefined, record: { kind: "same" }, conflicts: [] },
    };
  };

  /** What was put back now, and what has been given up since `begin`. */
  finish(document: PlanDocument): readonly string[] {
    for (const { file, key, verdict } of document.entries)
      if (verdict === "restore") this.#restored.add(`${file}#${key}`);
    return this.#newly;
  }
}
