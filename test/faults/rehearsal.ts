import path from "node:path";
import { Place } from "./place.ts";
import type { Edit, Story } from "./stories.ts";
import { callsOf, isSameCall, type Point, pointsOf } from "./trace.ts";
import { type Fault, runTraced, type TracedRun } from "./traced.ts";

/** The contents of a place, by file. */
export type Contents = Readonly<Record<string, string>>;

/** A story at a place, played once without a fault: what it begins with, how it ends, and every call on the way. */
export class Rehearsal {
  readonly story: Story;
  readonly place: Place;
  readonly #program: string;
  readonly #log: string;
  readonly #edited = new Map<string, Promise<Contents>>();
  readonly #ends = new Map<string, Promise<string[]>>();
  /** By how many calls of a name the last run was off. */
  readonly #off = new Map<string, number>();
  before: Contents = {};
  after: Contents = {};
  /** Every call of the undisturbed run that is about the story's files. */
  points: readonly Point[] = [];

  private constructor(story: Story, folder: string, program: string) {
    this.story = story;
    this.place = new Place(folder);
    this.#program = program;
    this.#log = path.join(folder, "trace.log");
  }

  static async of(story: Story, folder: string, program: string): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(story, folder, program);
    await rehearsal.#play();
    return rehearsal;
  }

  async #play(): Promise<void> {
    const { place, story } = this;
    place.clear();
    await story.layOut(place);
    place.save("start");
    this.before = place.contents();
    const { code, stderr, trace } = await this.#run(undefined);
    if (code !== 0) throw new Error(`${story.name}: an undisturbed run ended with ${code}: ${stderr}`);
    this.points = pointsOf(callsOf(trace), place.folder);
    this.after = place.contents();
  }

  /**
   * The beginning, and then a run that meets a fault at a point. Node reads for itself before it comes to our work, and
   * not always as often: a run that was met elsewhere tells how far off, and another is tried.
   */
  async strike(point: Point, fault: Fault): Promise<TracedRun> {
    for (let attempt = 0; attempt < 60; attempt++) {
      this.place.restore("start");
      const off = (this.#off.get(point.name) ?? 0) + nearby[attempt % nearby.length]!;
      const ran = await this.#run({ fault, call: point.name, nth: Math.max(1, this.points[point.at]!.nth + off) });
      const points = pointsOf(callsOf(ran.trace), this.place.folder);
      if (wasStruckAt(point, fault, ran.trace, points)) return ran;
      const first = points.find(({ name }) => name === point.name);
      const expected = this.points.find(({ name }) => name === point.name);
      if (first && expected) this.#off.set(point.name, first.nth - expected.nth);
    }
    throw new Error(`${this.story.name}: no run could be met at ${point.line}`);
  }

  /** What comes of the place as it is now; where it was as it is now before, what came of it then. */
  sameEnd(play: () => Promise<string[]>): Promise<string[]> {
    const digest = this.place.digest();
    const end = this.#ends.get(digest) ?? play();
    this.#ends.set(digest, end);
    return end;
  }

  /** What an edit ends in, made to the file before the command or after it; the command runs after the edit. */
  editedEnd(edit: Edit, moment: "before" | "after"): Promise<Contents> {
    const known = `${this.story.edits.indexOf(edit)} ${moment}`;
    const end = this.#edited.get(known) ?? this.#playEdited(edit, moment);
    this.#edited.set(known, end);
    return end;
  }

  async #playEdited(edit: Edit, moment: "before" | "after"): Promise<Contents> {
    const { place, story } = this;
    place.restore("start");
    if (moment === "after") await place.ok(story.argv(place));
    if (!applyEdit(place, edit)) throw new Error(`${story.name}: ${edit.words} has no place ${moment} the command`);
    await this.nextRun();
    return place.contents();
  }

  /**
   * The same command again, which must come to its end: here, where it takes less time, or as a process with all that
   * this brings along.
   */
  async nextRun(where: "here" | "process" = "here"): Promise<void> {
    const { place, story } = this;
    const { code, stderr } = await (where === "here" ? place.run(story.argv(place)) : this.#run(undefined));
    if (code === 0 || story.doneBefore?.test(stderr)) return;
    throw new Error(`${story.name}: the next run ended with ${code}: ${stderr}`);
  }

  #run(injection: Parameters<typeof runTraced>[3]["injection"]): Promise<TracedRun> {
    return runTraced(this.#program, this.story.argv(this.place), this.place.env, { log: this.#log, injection });
  }
}

/** `points`: those that the run came to. One that is killed has not come further than to its last call at all. */
function wasStruckAt(point: Point, { kind }: Fault, trace: string, points: readonly Point[]): boolean {
  const struck = kind === "kill" ? points.at(-1) : points.find(({ line }) => line.includes("(INJECTED)"));
  if (struck === undefined || struck.at !== point.at || !isSameCall(struck, point)) return false;
  return kind === "error" || trace.trimEnd().endsWith(`${struck.line}\n+++ killed by SIGKILL +++`);
}

/** Where to look for a call whose number is uncertain. */
const nearby = [0, 0, 1, -1, 0, 2, -2, 0, 3, -3];

/** As an editor does: the whole file anew. False where there is nothing to edit. */
export function applyEdit(place: Place, edit: Edit): boolean {
  const text = place.read(edit.file);
  const edited = text === undefined ? undefined : edit.change(text);
  if (edited === undefined) return false;
  place.write(edit.file, edited);
  return true;
}
